"""Supervisor access on ROS: fields of nodes as parameters, and further requests to nodes."""
