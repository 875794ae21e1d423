"""Sensors and plugins of Gazebo, as URDF's `<gazebo>` tags and SDF have them, as devices and settings."""
