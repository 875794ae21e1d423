"""How a running world is looked at and changed over ROS."""
