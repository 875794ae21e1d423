"""Contacts of two shapes by libode, with a correction where it fails: boxes with parallel edges.

libode searches a separating direction of two boxes among 15, nine of them across an edge of each. If edges
are parallel up to rounding, such a direction and the distances along it are rounding noise: in one of about
30 poses a gap is found that does not exist, and a crate on a sloped table falls through it; in one of some
thousands the noise is used as the contact's normal. So if two boxes touch in fewer than two points, and an
axis of one is nearly parallel to an axis of the other, they are tested again, in the first one's frame and
with exactly parallel axes: the noise is then 0.
"""

from __future__ import annotations

from typing import Any

from sim_core.base.geometry import (
    IDENTITY,
    Mat3,
    Vec3,
    add,
    multiply,
    rotate,
    rotate_back,
    subtract,
    transposed,
)
from sim_core.engines.ode.pyode import ode
from sim_core.engines.ode.shapes import Shape
from sim_core.model.geometry import Box

NOISE = 1e-9
"""Sine of the angle below which two axes are regarded as parallel."""
ALONG = 1.0 - 1e-12
"""Lower bound of the cosine of two axes that are parallel up to rounding."""
TIE_BREAK = 1e-9
"""Added depth, m, of each further contact of two boxes. A box that lies evenly on its corners gives ODE's
exact solver ties; at some of them it gives up, and in that step nothing holds the box.
"""
_IN_ROW_AND_COLUMN = [
    [other for other in range(9) if (other // 3 == place // 3) != (other % 3 == place % 3)]
    for place in range(9)
]
"""For each position in a matrix, the four others in its row and in its column."""


def contacts_of(first: Shape, second: Shape) -> list[Any]:
    """Return the contacts of two shapes.

    Returns:
        For each contact: position, unit normal into `first`, depth, and possibly further values of PyODE.
    """
    points = [each.getContactGeomParams() for each in ode.collide(first.geom, second.geom)]
    if not (isinstance(first.geometry, Box) and isinstance(second.geometry, Box)):
        return points
    if len(points) < 2:
        points = _tested_again(first.geom, second.geom, points)
    return [(at, normal, deep + TIE_BREAK * index) for index, (at, normal, deep, *_) in enumerate(points)]


def _tested_again(first: Any, second: Any, points: list[Any]) -> list[Any]:
    """Return the contacts of two boxes without noise; `points`, if none of their axes are parallel."""
    turn: Mat3 = first.getRotation()
    relative = _without_noise(multiply(transposed(turn), second.getRotation()))
    if relative is None:
        return points
    place: Vec3 = first.getPosition()
    one, other = ode.GeomBox(None, first.getLengths()), ode.GeomBox(None, second.getLengths())
    one.setRotation(IDENTITY)
    other.setRotation(relative)
    other.setPosition(rotate_back(turn, subtract(second.getPosition(), place)))
    again = [each.getContactGeomParams() for each in ode.collide(one, other)]
    return [
        (add(rotate(turn, position), place), rotate(turn, normal), depth)
        for position, normal, depth, *_ in again
    ]


def _without_noise(relative: Mat3) -> tuple[float, ...] | None:
    """Return a rotation in which nearly parallel axes are exactly parallel; None: there are none."""
    if max(relative) < ALONG and min(relative) > -ALONG:  # most pairs: tested in a tenth of the time
        return None
    cleaned: list[float] | None = None
    for place, others in enumerate(_IN_ROW_AND_COLUMN):
        if all(abs(relative[other]) < NOISE for other in others):
            cleaned = cleaned or list(relative)
            cleaned[place] = 1.0 if relative[place] > 0.0 else -1.0
            for other in others:
                cleaned[other] = 0.0
    return tuple(cleaned) if cleaned else None
