"""The 3D scene: the latest state of all markers, and how browsers are updated."""
