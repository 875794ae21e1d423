"""Inspection and changes of a running world over ROS."""
