"""The bridge between the simulator and ROS 2: the simulation node, and one module per device.

Nothing is imported here, so that a part which needs no ROS graph can be used without one.
"""
