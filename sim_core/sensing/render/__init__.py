"""Pictures of the world: colour, depth and segmentation, drawn with OpenGL in a process of its own.

The only folder that imports GL. `client.RenderProcess` is what the rest of the simulator sees of it.

- `draw_list.py`, `meshes.py`, `materials.py`, `surfaces.py`, `ink.py`: from the scene graph, and what devices
  do to its looks, to arrays, no GL.
- `optics.py`, `shadow.py`, `shaders.py`: projections and the frustum, the shadow map, the lights, no GL.
- `stock.py`, `stage.py`: what the graphics card keeps; `programs.py`, `glsl/`: its programs;
  `painter.py`: the arrays as pictures. GL.
- `fine.py`: what fine pictures have besides; for it `shadow_tiles.py` and `environment.py`, no GL.
- `process.py`: the render process; `client.py`: how the simulation talks to it.
"""
