"""Cylinders that lie along each other, such as logs in a pile.

They touch along a line. libode answers with one point of it, at either end, unless the axes are parallel to
the last digits: a log on two others then tips and sinks in between them. Here the line is held at both ends.
"""

from __future__ import annotations

from typing import Any

from sim_core.base.geometry import Vec3, add, dot, norm, normalized, scale, subtract
from sim_core.engines.ode.shapes import Shape
from sim_core.model.geometry import Cylinder

PARALLEL = 0.995
"""Cosine of the angle between two axes from which on they count as parallel, 6°."""


def side_by_side(first: Shape, second: Shape) -> list[Any] | None:
    """Contacts of two shapes, if these are cylinders whose sides touch along a line.

    At each end of the stretch over which both lie side by side, the depth is that of the two circles there,
    R + S less the distance of the axes.

    Returns:
        One or two: position, unit normal into `first`, depth. None: they do not touch so, and whether they
        touch otherwise is for libode to say.
    """
    if not (isinstance(first.geometry, Cylinder) and isinstance(second.geometry, Cylinder)):
        return None
    a, u, p, radius = _axis(first.geom, first.geometry)
    b, v, q, other = _axis(second.geom, second.geometry)
    c = dot(u, v)
    if abs(c) < PARALLEL:
        return None
    if c < 0.0:
        v, c = scale(v, -1.0), -c
    along = normalized(add(u, v))
    middle = dot(subtract(b, a), along)
    low, high = max(-p * c, middle - q * c), min(p * c, middle + q * c)
    points = []
    for t in (low, high):
        on_first = add(a, scale(u, t / dot(u, along)))
        on_second = add(b, scale(v, (t - middle) / dot(v, along)))
        apart = subtract(on_first, on_second)
        distance = norm(apart)
        depth = radius + other - distance
        if not 0.0 < depth < min(high - low, distance):
            continue
        normal = scale(apart, 1.0 / distance)
        points.append((add(on_second, scale(normal, other - 0.5 * depth)), normal, depth))
    return points or None


def _axis(geom: Any, cylinder: Cylinder) -> tuple[Vec3, Vec3, float, float]:
    """Centre, direction, half length and radius."""
    r: Any = geom.getRotation()
    centre: Vec3 = geom.getPosition()
    return centre, (r[2], r[5], r[8]), cylinder.height / 2.0, cylinder.radius
