"""Settings of a run: options, and parameters from files and ROS."""
