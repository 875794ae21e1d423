"""Cylinders that lie side by side, such as logs in a pile, and cylinders that stand on a plane.

Logs touch along a line. libode returns one point of it, at either end, unless the axes are parallel to the
last digits: a log on two others then tips and sinks in between them. Here the line is held at both ends.

In libode, a cylinder that is tilted by more than half a milliradian stands on one point: on soft contacts it
then rocks from one point to the next, and sinks in. Here it stands, as in Webots, on up to four points of its
rim.
"""

from __future__ import annotations

import math
from typing import Any

from sim_core.base.geometry import Vec3, add, cross, dot, norm, normalized, scale, subtract
from sim_core.engines.ode.shapes import Shape
from sim_core.model.geometry import Cylinder, Plane

PARALLEL = 0.995
"""Cosine of the angle (6°) between two axes up to which they are regarded as parallel."""
UPRIGHT, STANDS, LEANS = 2e-7, 1e-3, 0.1
"""Squared sines of the angle between a cylinder's axis and a plane's normal: below the first libode finds
four points; up to the second, 1.8°, they are on the cylinder's own axes, then the lowest point of its rim is
one of them; from the last on, 18°, it touches with one point, or lies."""


def side_by_side(first: Shape, second: Shape) -> list[Any] | None:
    """Return the contacts of two cylinders whose sides touch along a line.

    At each end of the common stretch, the depth is that of the two circles there, R + S less the distance of
    the axes.

    Returns:
        One or two: position, unit normal into `first`, depth. None: they do not touch like that, and libode
        must test them.
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


def on_plane(first: Shape, second: Shape) -> list[Any] | None:
    """Return the contacts of a cylinder and a plane on which it stands.

    Returns:
        Those of eight points, four on the rim of each end, that are below the plane: position, unit normal
        into `first`, depth. None: it does not stand like that, and libode must test it.
    """
    cylinder, plane = (first, second) if isinstance(first.geometry, Cylinder) else (second, first)
    if not (isinstance(cylinder.geometry, Cylinder) and isinstance(plane.geometry, Plane)):
        return None
    normal, height = plane.geom.getParams()
    centre, axis, half, radius = _axis(cylinder.geom, cylinder.geometry)
    across = cross(axis, normal)
    sine = dot(across, across)
    if not UPRIGHT < sine < LEANS:
        return None
    if sine < STANDS:
        r: Any = cylinder.geom.getRotation()
        u, v = scale((r[0], r[3], r[6]), radius), scale((r[1], r[4], r[7]), radius)
    else:
        v = scale(across, radius / math.sqrt(sine))
        u = scale(normalized(subtract(scale(axis, dot(axis, normal)), normal)), radius)  # downhill
    into = normal if first is cylinder else scale(normal, -1.0)
    points = []
    for end in (half, -half):
        middle = add(centre, scale(axis, end))
        for arm in (u, v, scale(u, -1.0), scale(v, -1.0)):
            point = add(middle, arm)
            depth = height - dot(normal, point)
            if depth > 0.0:
                points.append((point, into, depth))
    return points


def _axis(geom: Any, cylinder: Cylinder) -> tuple[Vec3, Vec3, float, float]:
    """Return centre, direction, half length and radius."""
    r: Any = geom.getRotation()
    centre: Vec3 = geom.getPosition()
    return centre, (r[2], r[5], r[8]), cylinder.height / 2.0, cylinder.radius
