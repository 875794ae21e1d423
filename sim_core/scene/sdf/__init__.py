"""SDFormat files of Gazebo, versions 1.4 to 1.12, as scenes (http://sdformat.org/spec)."""
