"""`odesim topic`: the functions of `ros2 topic`, for machines without a ROS 2 installation."""
