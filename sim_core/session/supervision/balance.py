"""Whether something stands: its centre of mass above the area that its contacts span."""

from __future__ import annotations

from collections.abc import Iterable

from sim_core.base.geometry import Vec3, cross, dot, norm, normalized

_Point = tuple[float, float]


def stands(centre: Vec3, contacts: Iterable[Vec3], gravity: Vec3) -> bool:
    """Whether the projection of a centre of mass along gravity is inside that of the hull of its contacts.

    (Webots reference, Supervisor, `wb_supervisor_node_get_static_balance`.) On the border is inside. Without
    contacts nothing stands.

    Args:
        centre: m, in the world.
        contacts: m, in the world.
        gravity: m/s²; without any, down is -z.
    """
    up = normalized((-gravity[0], -gravity[1], -gravity[2])) if norm(gravity) > 0.0 else (0.0, 0.0, 1.0)
    beside = (1.0, 0.0, 0.0) if abs(up[0]) < 0.7 else (0.0, 1.0, 0.0)
    first = normalized(cross(up, beside))
    second = cross(up, first)

    def flat(point: Vec3) -> _Point:
        return dot(point, first), dot(point, second)

    corners = _hull(flat(point) for point in contacts)
    at = flat(centre)
    if len(corners) < 3:
        return False  # a point or a line: nothing keeps its balance there
    return all(_turn(a, b, at) >= 0.0 for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))


def _turn(a: _Point, b: _Point, c: _Point) -> float:
    """Positive if a, b, c is a turn to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _hull(points: Iterable[_Point]) -> list[_Point]:
    """The corners of the convex hull, counter-clockwise (Andrew's monotone chain, 1979)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    chains = []
    for way in (ordered, ordered[::-1]):
        chain: list[_Point] = []
        for point in way:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0.0:
                chain.pop()
            chain.append(point)
        chains.append(chain[:-1])
    return chains[0] + chains[1]
