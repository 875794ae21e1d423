"""How sharp a camera with a Focus node sees what is at which depth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LARGEST_BLUR = 10.0
"""Pixels: largest diameter of the circle of confusion, as in Webots."""


@dataclass(frozen=True)
class FocusModel:
    """What is out of focus is spread over a disc, the circle of confusion (Webots reference, Focus).

    Its diameter is 10 px·min(1, |depth - distance|/length). That is Webots' rule: the node has no aperture,
    of which a thin lens would need to know. `focalLength` says how deep the sharp part is: the larger, the
    deeper.

    Attributes:
        distance: m along the axis to what is sharp, above 0.
        length: m before and behind it, above 0; from there on the disc is largest.
    """

    distance: float
    length: float

    def diameter(self, depth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Diameter in pixels of the disc that a point at each depth (m, may be inf) becomes."""
        away: NDArray[np.float64] = np.abs(np.asarray(depth, float) - self.distance) / self.length
        return LARGEST_BLUR * np.minimum(1.0, away)
