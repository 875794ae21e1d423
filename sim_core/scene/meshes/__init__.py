"""Mesh and picture files, and where they are."""
