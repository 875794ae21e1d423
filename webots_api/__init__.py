"""What controllers written for Webots import.

This folder, and nothing else of it, is put on the PYTHONPATH of controllers that are Python files, so that
`from controller import Robot` finds `controller/` here. Nothing in it needs ROS or the simulator.
"""
