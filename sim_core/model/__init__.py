"""Compiled model of a scene as typed records: geometries, appearances, poses, masses and kinematics.

Engines, sensors, renderers and the ROS bridge read these records instead of the fields of nodes. A record is
made from the present state of a node and never changes: after an edit a new one is made.
"""
