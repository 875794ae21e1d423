"""X3D and VRML97, read and written."""
