"""Pictures of the world: colour, depth and segmentation, drawn with OpenGL in a separate process.

The only folder that imports GL. The rest of the simulator uses only `client.RenderProcess`.

- `draw_list.py`, `meshes.py`, `materials.py`, `surfaces.py`, `sky_and_fog.py`, `ink.py`: arrays from the
  scene graph and the changes of its appearance by devices, without GL.
- `optics.py`, `shadow.py`, `shaders.py`: projections and the frustum, the shadow map, the lights, without GL.
- `gpu_data.py`, `scene_instances.py`: data on the graphics card; `programs.py`, `glsl/`: its programs;
  `painter.py`: rendering. With GL.
- `fine.py`: additional passes of fine pictures; `shadow_tiles.py` and `environment.py` for it, without GL.
- `process.py`: the render process; `client.py`: its interface for the simulation.
"""
