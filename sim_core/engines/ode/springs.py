"""Springs and dampers as ODE constraints."""

from __future__ import annotations

WEAKEST = 1e-100
"""Smallest stiffness that can be used as a divisor."""


def spring_as_constraint(step: float, stiffness: float, damping: float) -> tuple[float, float]:
    """Return ERP and CFM that make an ODE constraint an implicit spring and damper.

    Args:
        step: s. stiffness: N/m or N·m/rad. damping: N·s/m or N·m·s/rad.
    """
    total = max(step * stiffness + damping, WEAKEST)
    return step * stiffness / total, 1.0 / total
