"""Selection of a surface's contact by the velocity at a point: sticking, sliding, rolling or bouncing."""

from __future__ import annotations

from typing import Any

from sim_core.base.geometry import Vec3, dot, normalized, scale, subtract
from sim_core.engines.ode.contacts import asymmetry
from sim_core.engines.ode.contacts.kernels import ROLLS_FROM, SLIDES_FROM
from sim_core.engines.ode.contacts.surfaces import Surface
from sim_core.engines.ode.shapes import Shape


def moving_contact(
    surface: Surface, position: Vec3, normal: Vec3, first: Shape, second: Shape, index: int
) -> Any:
    """Return the contact of a surface for the velocity at a point; `index`: number of the contact of both
    shapes."""
    velocity: Vec3 = first.body.getPointVel(position) if first.body is not None else (0.0, 0.0, 0.0)
    if second.body is not None:
        velocity = subtract(velocity, second.body.getPointVel(position))
    approach = -dot(velocity, normal)
    bounces = approach > surface.bounce_speed
    contact = surface.bouncing(True, index) if bounces else surface.slide
    if surface.asymmetric:
        asymmetry.turn(contact, surface, normal, first, second)
        return contact
    sliding = (
        velocity[0] + approach * normal[0],
        velocity[1] + approach * normal[1],
        velocity[2] + approach * normal[2],
    )
    if dot(sliding, sliding) < SLIDES_FROM:
        sliding = _rolling(first, second, normal) if surface.rolls else (0.0, 0.0, 0.0)
        if dot(sliding, sliding) < ROLLS_FROM:
            return surface.bouncing(False, index) if bounces else surface.stick
    contact.setFDir1(normalized(sliding))
    return contact


def _rolling(first: Shape, second: Shape, normal: Vec3) -> Vec3:
    """Return the axis, times the speed in rad/s, about which the first shape rolls on the second."""
    spin: Vec3 = first.body.getAngularVel() if first.body is not None else (0.0, 0.0, 0.0)
    if second.body is not None:
        spin = subtract(spin, second.body.getAngularVel())
    return subtract(spin, scale(normal, dot(spin, normal)))
