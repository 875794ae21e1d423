"""Engines that move a world: `ode`, and `planar`, the fast 2D mode."""
