"""URDF, the robot descriptions of ROS: read to Robot nodes, and written from them.

    file ──reader──► model ──to_scene──► Robot node ──robot_model──► model ──writer──► text

`spawn.py` adds the robots of URDF files to a world.
"""
