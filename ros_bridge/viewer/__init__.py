"""The browser viewer: a ROS node of its own that shows and controls a simulation, here or on another machine.

It uses topics, services and parameters only, so it has no access that other nodes lack.
"""
