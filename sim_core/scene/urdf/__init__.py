"""URDF, the robot descriptions of ROS: read into Robot nodes, and written from them.

    file ──reader──► model ──to_scene──► Robot node ──robot_model──► model ──writer──► text

`spawn.py` puts the robots of URDF files into a world.
"""
