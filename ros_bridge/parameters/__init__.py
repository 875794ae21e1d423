"""What a run is told: options, and parameters from files and ROS."""
