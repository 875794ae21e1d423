"""Conversion of worlds of older releases: other axes, other nodes, scaled solids."""
