"""Sensors and plugins of Gazebo, from `<gazebo>` tags of URDF and from SDF, as devices and settings."""
