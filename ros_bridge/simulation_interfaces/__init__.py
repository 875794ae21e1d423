"""The services of `simulation_interfaces`, the ROS 2 standard for simulators, where that package is installed.

`server.offer` makes them; the other files say what each does. These see requests and responses only, and get
the message classes handed in, so that they can be used (and tested) where the package is not there.
"""
