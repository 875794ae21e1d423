"""Closed formulas of mechanics, and how far the physics is off them; see docs/physics.md."""
