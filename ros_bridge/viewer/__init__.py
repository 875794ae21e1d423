"""The browser viewer: a ROS node of its own that watches and steers a simulation, on this machine or another.

It uses topics, services and parameters only, so it knows nothing of a world but what any node can know.
"""
