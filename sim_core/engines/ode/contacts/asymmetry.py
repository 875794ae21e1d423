"""Anisotropic friction (Webots reference, ContactProperties, with 2 to 4 values).

Each side has a first direction on each of its faces: a Plane x, a Box or a Cylinder x on top and bottom and z
on the other faces, turned by -frictionRotation about the normal into the first shape, that which moves. The
contact's first direction is that of `material1`; of two equal materials that of the second shape. (So in
Webots, WbSimulationCluster.) With c and s the absolute cosine and sine of the angle between both sides'
directions, the coefficients of both sides are added, as in Webots:

    2 values    μ1 = a + a·c + b·s    μ2 = b + a·s + b·c        both sides have (a, b)
    3 values    μ1 = a + d            μ2 = b + d                (a, b), and d all round
    4 values    μ1 = a + d·c + e·s    μ2 = b + d·s + e·c        (a, b) and (d, e)

The same applies to forceDependentSlip; if one of two values is 0 the other is used alone. Other shapes have
no directions: with one of them, the first value applies in all directions. With the hidden field
`frictionDirection`, as SDF has it, every shape of `material1` has that first direction, in its own axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin, sqrt
from typing import Any

from sim_core.base.geometry import (
    ZERO,
    Mat3,
    Vec3,
    cross,
    dot,
    norm,
    normalized,
    rotate,
    rotate_back,
    scale,
    subtract,
)
from sim_core.engines.ode.contacts.surfaces import Surface
from sim_core.engines.ode.ode_binding import CONTACT_FDIR1, CONTACT_MU2, CONTACT_SLIP1, CONTACT_SLIP2
from sim_core.engines.ode.shapes import Shape
from sim_core.model.geometry import Box, Cylinder, Plane

WITH_DIRECTIONS = (Box, Cylinder, Plane)
TINY = 1e-9
FLAT = 0.9


def matching_surface(surface: Surface, first: Shape, second: Shape) -> Surface:
    """Return a surface, or its isotropic variant if a shape has no directions."""
    if surface.plain is None or surface.direction != ZERO:
        return surface
    if isinstance(first.geometry, WITH_DIRECTIONS) and isinstance(second.geometry, WITH_DIRECTIONS):
        return surface
    return surface.plain


def turn(contact: Any, surface: Surface, normal: Vec3, first: Shape, second: Shape) -> None:
    """Set the directions and coefficients of a contact.

    Args:
        contact: contact of the surface; it is changed.
        normal: unit, into `first`.
    """
    one, other = (first, second) if surface.asymmetric == 1 else (second, first)
    if surface.direction != ZERO:
        direction = across = _along(rotate(one.rotation(), surface.direction), normal, surface.turns[0])
    else:
        direction = _direction(one, normal, surface.turns[0])
        across = _direction(other, normal, surface.turns[1])
    c = min(1.0, abs(dot(direction, across)))
    s = sqrt(1.0 - c * c)
    mu1, mu2 = combined(surface.friction, c, s)
    slip1, slip2 = combined_slip(surface.slip, c, s)
    mode = contact.getMode() & ~(CONTACT_SLIP1 | CONTACT_SLIP2) | CONTACT_MU2 | CONTACT_FDIR1
    contact.setMode(mode | (CONTACT_SLIP1 if slip1 > 0.0 else 0) | (CONTACT_SLIP2 if slip2 > 0.0 else 0))
    contact.setMu(mu1)
    contact.setMu2(mu2)
    contact.setSlip1(slip1)
    contact.setSlip2(slip2)
    contact.setFDir1(direction)


def combined(values: Sequence[float], c: float, s: float) -> tuple[float, float]:
    """Return the coefficients along the contact's two directions; see the top of the file."""
    if len(values) == 1:
        return values[0], values[0]
    a, b = values[0], values[1]
    if len(values) == 3:
        return a + values[2], b + values[2]
    d, e = (values[2], values[3]) if len(values) == 4 else (a, b)
    return a + d * c + e * s, b + d * s + e * c


def combined_slip(values: Sequence[float], c: float, s: float) -> tuple[float, float]:
    """Return the same for forceDependentSlip."""
    if len(values) == 2 and 0.0 in values:
        return values[0], values[1]
    return combined(values, c, s)


def _direction(shape: Shape, inward: Vec3, angle: float) -> Vec3:
    """Return the first direction of a shape, in the contact plane; unit, world axes."""
    r: Mat3 = shape.rotation()
    column = 0
    if not isinstance(shape.geometry, Plane):
        x, y, z = (abs(part) for part in rotate_back(r, inward))
        column = 0 if z > x and z > y else 2
    return _along((r[column], r[3 + column], r[6 + column]), inward, angle)


def _along(axis: Vec3, inward: Vec3, angle: float) -> Vec3:
    """Return a direction in the contact plane, turned by -angle about the normal; unit, world axes.

    For an axis along the normal any direction is returned.
    """
    u = subtract(axis, scale(inward, dot(axis, inward)))
    if norm(u) < TINY * norm(axis):
        x, y, z = inward
        u = (-y, x, 0.0) if abs(z) < FLAT else (0.0, -z, y)
    u = normalized(u)
    v = cross(inward, u)
    return (
        cos(angle) * u[0] - sin(angle) * v[0],
        cos(angle) * u[1] - sin(angle) * v[1],
        cos(angle) * u[2] - sin(angle) * v[2],
    )
