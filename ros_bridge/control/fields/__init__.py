"""The supervisor's codec on ROS: fields of nodes as parameters, and what else is asked of nodes."""
