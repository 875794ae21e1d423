"""SDFormat files of Gazebo, versions 1.4 to 1.12, to scenes (http://sdformat.org/spec)."""
