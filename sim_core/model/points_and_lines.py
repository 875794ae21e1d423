"""Geometries without a surface: points and lines, which are drawn but not hit by rays.

They are unlit and cast no shadow, as in Webots (reference, PointSet and IndexedLineSet). They are frozen
records like those of `geometry.py`, made by `geometry_nodes.geometry_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import Vec3


@dataclass(frozen=True, eq=False)
class PointSet:
    """Points; with colours only as many as there are colours.

    Attributes:
        coord: positions, m.
        colours: of each; None: the emissive colour of the appearance.
    """

    coord: Sequence[Vec3]
    colours: Sequence[Vec3] | None = None

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """(k, 3) the points that are drawn, m."""
        count = None if self.colours is None else len(self.colours)
        return np.array(self.coord[:count], dtype=float).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class LineSet:
    """Lines of an IndexedLineSet: from point to point, each up to the next -1 in `coord_index`."""

    coord: Sequence[Vec3]
    coord_index: Sequence[int]

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """(2 n, 3) both ends of each segment, m; segments with points that do not exist are left out."""
        known = range(len(self.coord))
        pieces = [piece for piece in pairwise(self.coord_index) if piece[0] in known and piece[1] in known]
        return np.array([self.coord[i] for piece in pieces for i in piece], dtype=float).reshape(-1, 3)


PointsOrLines = PointSet | LineSet
