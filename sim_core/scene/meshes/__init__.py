"""Geometries that come as points or files, as triangles and pictures."""
