"""Cameras and range finders, and the recognition of objects."""
