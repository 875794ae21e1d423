"""`odesim topic`: what `ros2 topic` does, for machines without a ROS 2 installation."""
