"""Pictures of the world: colour, depth and segmentation, drawn with OpenGL in a process of its own.

The only folder that imports GL. `client.RenderProcess` is what the rest of the simulator sees of it.

- `draw_list.py`, `meshes.py`, `materials.py`: from the scene graph to arrays, no GL.
- `optics.py`: projections and the frustum, no GL.
- `painter.py`, `shaders.py`: the arrays as pictures, GL.
- `process.py`: the render process; `client.py`: how the simulation talks to it.
"""
