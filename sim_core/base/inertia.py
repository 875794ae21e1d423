"""Which inertias are possible."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.geometry import Mat3

SMALLEST_MOMENT = 1e-20
"""kg·m²; that of a grain of dust is 1e-17."""
SMALLEST_RATIO = 1e-12
"""Of the principal moments of inertia."""


def is_possible_inertia(inertia: Mat3) -> bool:
    """True if ODE can work with this inertia: finite, positive definite, and that not by a hair.

    ODE ends the process where its own check of that, or the division by it, fails through rounding.
    """
    if not all(math.isfinite(value) for value in inertia):
        return False
    moments = np.linalg.eigvalsh(np.array(inertia).reshape(3, 3))
    return bool(moments[0] > SMALLEST_MOMENT and moments[0] > SMALLEST_RATIO * moments[2])
