"""EntityFilters: by name, category, tags and position."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress
from typing import Any

import numpy as np

from ros_bridge.control.simulation_interfaces import name_search
from sim_core.base.arrays import FloatArray
from sim_core.base.errors import Code, CommandError

CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r"\s",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
"""POSIX character classes, for use in brackets."""
EMPTY, BOX, HULL, SPHERE = range(4)
"""Types of Bounds."""
ROUNDS = 200
"""Most iterations of the search for the nearest point; a dozen are usual."""
SAME = 1e-9
"""Distance in m below which hulls touch."""


@lru_cache(maxsize=32)  # clients that query states repeat the same filters
def names_with(expression: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the names that contain a match of a POSIX extended regular expression, as in `grep -E`.

    Raises:
        CommandError: it is invalid, or it takes too much time or memory.
    """
    if not expression:
        return frozenset(names)
    translated = re.sub(r"\[:(\w+):\]", lambda found: CLASSES.get(found[1], found[0]), expression)
    child = subprocess.run(
        [sys.executable, "-I", "-S", name_search.__file__],
        input=json.dumps([translated, names]).encode(),
        capture_output=True,
        check=False,
    )
    if child.returncode:
        most = f"{name_search.SECONDS} s or {name_search.MEMORY >> 20} MB"
        raise CommandError(f'filter "{expression}" takes more than {most}, expected a simpler one')
    found = json.loads(child.stdout)
    if isinstance(found, str):
        raise CommandError(f'filter "{expression}" is not a valid regular expression: {found}')
    return frozenset(compress(names, found))


def tags_match(wanted: Any, tags: Iterable[str]) -> bool:
    """Return whether a TagsFilter accepts something with these tags."""
    requested, present = set(wanted.tags), set(tags)
    if not requested:
        return True
    return requested <= present if wanted.filter_mode == 1 else bool(requested & present)


class BoundedRegion:
    """The region of a Bounds message, in the world.

    Raises:
        CommandError: the region is empty or invalid.
    """

    def __init__(self, bounds: Any) -> None:
        self.kind = int(bounds.type)
        points = np.array([(each.x, each.y, each.z) for each in bounds.points], float).reshape(-1, 3)
        counts = {EMPTY: (0, math.inf), BOX: (2, 2), HULL: (3, math.inf), SPHERE: (2, 2)}
        if self.kind not in counts:
            raise CommandError(
                f"bounds of type {self.kind}, expected one of 0 to 3", Code.FEATURE_UNSUPPORTED
            )
        least, most = counts[self.kind]
        if not least <= len(points) <= most:
            expected = f"{least}" if least == most else f"{least} or more"
            raise CommandError(
                f"found {len(points)} points of bounds of type {self.kind}, expected {expected}"
            )
        if self.kind != EMPTY and not np.isfinite(points).all():
            raise CommandError("found bounds that are not finite, expected finite numbers")
        self.points = points
        if self.kind == BOX:
            self.points = corners(points.min(axis=0), points.max(axis=0))
        if self.kind == SPHERE and points[1, 0] < 0.0:
            raise CommandError(f"found the radius {points[1, 0]:g}, expected 0 or more")

    def meets(self, box: FloatArray) -> bool:
        """Return whether a box, given by its corners, (8, 3) m, intersects it."""
        if self.kind == EMPTY:
            return True
        if self.kind == SPHERE:
            return distance(self.points[:1], box) <= self.points[1, 0]
        return distance(self.points, box) <= SAME


def corners(low: Sequence[float] | FloatArray, high: Sequence[float] | FloatArray) -> FloatArray:
    """Return the corners of a box, (8, 3)."""
    x, y, z = zip(low, high, strict=True)
    return np.array([(a, b, c) for a in x for b in y for c in z], float)


def distance(first: FloatArray, second: FloatArray) -> float:
    """Return the distance of the convex hulls of two sets of points, (n, 3) and (m, 3); 0 if they overlap.

    It is the length of the shortest vector in the hull of all differences, found by iterating over simplices
    (P. Wolfe, Finding the nearest point in a polytope, Math. Programming 11 (1976) 128).
    """
    simplex = np.array([first[0] - second[0]])
    shares = np.ones(1)
    nearest = simplex[0]
    for _ in range(ROUNDS):
        length = float(np.linalg.norm(nearest))
        if length < SAME:
            return 0.0
        farthest = first[np.argmin(first @ nearest)] - second[np.argmax(second @ nearest)]
        if length - float(farthest @ nearest) / length <= SAME:
            return length
        simplex, shares = _shrunk(np.vstack([simplex, farthest]), np.append(shares, 0.0))
        nearest = shares @ simplex
    return float(np.linalg.norm(nearest))


def _shrunk(simplex: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the face of a simplex that contains the point nearest to the origin, and its coordinates."""
    while True:
        count = len(simplex)
        system = np.ones((count + 1, count + 1))
        system[0, 0] = 0.0
        system[1:, 1:] = simplex @ simplex.T
        wanted = np.linalg.lstsq(system, np.eye(count + 1)[0], rcond=None)[0][1:]
        outside = wanted <= 1e-12
        if not outside.any():
            return simplex, wanted
        ways = shares[outside] / np.maximum(shares[outside] - wanted[outside], 1e-300)
        shares = shares + min(1.0, float(ways.min())) * (wanted - shares)
        kept = shares > 1e-12
        if kept.all():
            kept[np.argmin(shares)] = False
        simplex, shares = simplex[kept], shares[kept] / shares[kept].sum()
