"""Mesh and picture files, and the search for them."""
