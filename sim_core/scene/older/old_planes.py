"""Squares in bounding objects, which Webots 6 treated as infinite planes: they support a ball beside them,
too."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.base.geometry import (
    Vec3,
    add,
    axis_angle_from_rotation,
    cross,
    dot,
    norm,
    normalized,
    rotate,
    rotation_from_axis_angle,
    scale,
    subtract,
)
from sim_core.scene.node import Node

TOLERANCE = 1e-4
"""Largest deviation from a square, as a fraction of a side."""
LEVEL = 0.999
"""Least cosine between the vertical and the normal of a horizontal square."""


class _Square(NamedTuple):
    centre: Vec3
    along: Vec3
    normal: Vec3
    side: float


def planes_of_squares(solid: Node) -> None:
    """Replace each IndexedFaceSet that is one square, in the boundingObject of a static solid, by a Plane.

    Its front is the side on which its corners are anticlockwise; a horizontal one faces up in any case.
    """
    bounds: Node | None = solid["boundingObject"]
    if bounds is None or any(_moves(each) for each in (solid, *solid.ancestors())):
        return
    for shape in list(bounds.walk()):
        mesh = shape["geometry"] if shape.type_name == "Shape" else shape
        is_within = shape.parent is not None and shape.parent.type_name == "Shape"
        if mesh is None or mesh.type_name != "IndexedFaceSet" or is_within:
            continue
        square = _square_of(mesh)
        if square is not None:
            _replace(shape, _plane(shape, square))


def _moves(node: Node) -> bool:
    return node.is_a("Robot") or node.is_a("Joint") or (node.is_a("Solid") and node["physics"] is not None)


def _square_of(mesh: Node) -> _Square | None:
    """Return the square that a mesh is; None: it is another shape."""
    points = mesh["coord"]["point"] if mesh["coord"] is not None else []
    corners = list(mesh["coordIndex"])
    if corners[-1:] == [-1]:
        corners.pop()
    if len(corners) != 4 or not all(0 <= corner < len(points) for corner in corners):
        return None
    a, b, c, d = (points[corner] for corner in corners)
    along, across = subtract(b, a), subtract(c, b)
    side = norm(along)
    slack = TOLERANCE * side
    if (
        not slack > 0.0
        or norm(subtract(add(a, across), d)) > slack
        or abs(norm(across) - side) > slack
        or abs(dot(along, across)) > slack * side
    ):
        return None
    normal = normalized(cross(along, across))
    return _Square(scale(add(a, c), 0.5), normalized(along), normal if mesh["ccw"] else _back(normal), side)


def _plane(shape: Node, square: _Square) -> Node:
    """Return a Plane in a Pose whose y axis is the normal."""
    up = square.normal
    for above in shape.ancestors():
        if above.is_a("Pose"):
            up = rotate(rotation_from_axis_angle(above["rotation"]), up)
    (x, normal), side = square[1:3], square.side
    if up[1] < -LEVEL:
        normal = _back(normal)
    z = cross(x, normal)
    turn = axis_angle_from_rotation((x[0], normal[0], z[0], x[1], normal[1], z[1], x[2], normal[2], z[2]))
    plane = Node.create("Plane", size=(side, side))
    pose = Node.create("Pose", translation=square.centre, rotation=turn, children=[plane])
    pose.source = plane.source = shape.source
    return pose


def _back(vector: Vec3) -> Vec3:
    return scale(vector, -1.0)


def _replace(node: Node, other: Node) -> None:
    parent, field = node.parent, node.parent_field
    assert parent is not None and field is not None  # the node is within a boundingObject
    held = parent[field]
    parent[field] = [other if each is node else each for each in held] if isinstance(held, list) else other
