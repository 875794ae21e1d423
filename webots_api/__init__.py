"""Packages that controllers written for Webots import.

Only this folder is added to the PYTHONPATH of Python controllers, so that `from controller import Robot`
finds `controller/` here. Nothing in it needs ROS or the simulator.
"""
