"""Sensing: rays, and pictures of the render process."""
