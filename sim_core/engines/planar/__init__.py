"""Fast 2D mode: differential robots that roll in a plane, instead of ODE (see docs/fast2d.md)."""

from __future__ import annotations

from sim_core.engines.planar.world import PlanarWorld

__all__ = ["PlanarWorld"]
