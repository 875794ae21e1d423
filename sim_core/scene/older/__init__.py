"""Worlds of older releases: other axes, other nodes, scaled solids."""
