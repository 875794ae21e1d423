"""What libode finds between two shapes, put right where it fails: at boxes that are turned alike.

libode looks for a gap between two boxes along 15 directions, nine of them across an edge of each. Where edges
are parallel to the last digits, such a direction and what is compared along it are nothing but rounding
noise: in one of some 30 poses a gap is found that is not there, and a crate on a sloped table falls through
it; in one of some thousand the noise is taken for the direction of the contact. So where two boxes touch in
less than two points, and an axis of one is parallel to an axis of the other but for noise, they are looked at
once more, in the first one's frame and with the parallel axes exactly parallel: what was noise is then 0.
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
"""Sine of the angle below which two axes count as parallel."""
ALONG = 1.0 - 1e-12
"""Cosine that two axes have at least where they are parallel but for noise."""
TIE_BREAK = 1e-9
"""How much deeper each further contact of two boxes counts than the one before, m. Where a box lies evenly on
its corners ODE's exact solver meets ties; at some it gives up, and in that step nothing holds the box.
"""
_IN_ROW_AND_COLUMN = [
    [other for other in range(9) if (other // 3 == place // 3) != (other % 3 == place % 3)]
    for place in range(9)
]
"""Of each place in a matrix, the four others in its row and in its column."""


def contacts_of(first: Shape, second: Shape) -> list[Any]:
    """Where two shapes touch.

    Returns:
        For each contact: position, unit normal into `first`, depth, and perhaps what else PyODE says.
    """
    points = [each.getContactGeomParams() for each in ode.collide(first.geom, second.geom)]
    if not (isinstance(first.geometry, Box) and isinstance(second.geometry, Box)):
        return points
    if len(points) < 2:
        points = _looked_at_again(first.geom, second.geom, points)
    return [(at, normal, deep + TIE_BREAK * index) for index, (at, normal, deep, *_) in enumerate(points)]


def _looked_at_again(first: Any, second: Any, points: list[Any]) -> list[Any]:
    """The contacts of two boxes without noise; `points`, if none of their axes are parallel."""
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
    """A rotation in which axes that are nearly parallel are so exactly; None: none are."""
    if max(relative) < ALONG and min(relative) > -ALONG:  # most pairs: found in a tenth of the time
        return None
    cleaned: list[float] | None = None
    for place, others in enumerate(_IN_ROW_AND_COLUMN):
        if all(abs(relative[other]) < NOISE for other in others):
            cleaned = cleaned or list(relative)
            cleaned[place] = 1.0 if relative[place] > 0.0 else -1.0
            for other in others:
                cleaned[other] = 0.0
    return tuple(cleaned) if cleaned else None
