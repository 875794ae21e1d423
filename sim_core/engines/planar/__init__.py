"""The fast 2D mode: differential robots that roll in a plane, in place of ODE (see docs/fast2d.md)."""

from __future__ import annotations

from sim_core.engines.planar.world import PlanarWorld

__all__ = ["PlanarWorld"]
