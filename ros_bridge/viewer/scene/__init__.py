"""The 3D scene: the latest state of all markers, and how a browser is told of them."""
