"""Centre of mass of a node, and static balance: the centre lies above the area that the contacts span."""

from __future__ import annotations

from collections.abc import Iterable

from sim_core.base.geometry import Point, Vec3, convex_hull, cross, dot, norm, normalized, turn
from sim_core.engines.engine import Engine
from sim_core.scene import Node


def centre_of_mass(physics: Engine, node: Node) -> Vec3 | None:
    """Return the centre of mass of all bodies of a node and below it, m, in the world; None without
    bodies."""
    total, sums = 0.0, [0.0, 0.0, 0.0]
    for body in physics.masses(each.id for each in node.walk() if each.is_a("Solid")):
        total += body.mass
        sums = [part + body.mass * at for part, at in zip(sums, body.centre, strict=True)]
    return (sums[0] / total, sums[1] / total, sums[2] / total) if total > 0.0 else None


def is_balanced(centre: Vec3, contacts: Iterable[Vec3], gravity: Vec3) -> bool:
    """Return whether the projection of a centre of mass along gravity is inside the hull of the contacts.

    The border is inside. Without contacts the result is False. (Webots reference, Supervisor,
    `wb_supervisor_node_get_static_balance`.)

    Args:
        centre: m, in the world.
        contacts: m, in the world.
        gravity: m/s²; if zero, down is -z.
    """
    up = normalized((-gravity[0], -gravity[1], -gravity[2])) if norm(gravity) > 0.0 else (0.0, 0.0, 1.0)
    other = (1.0, 0.0, 0.0) if abs(up[0]) < 0.7 else (0.0, 1.0, 0.0)
    first = normalized(cross(up, other))
    second = cross(up, first)

    def flat(point: Vec3) -> Point:
        return dot(point, first), dot(point, second)

    corners = convex_hull(flat(point) for point in contacts)
    at = flat(centre)
    if len(corners) < 3:
        return False  # a point or a line has no area
    return all(turn(a, b, at) >= 0.0 for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))
