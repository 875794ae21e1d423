"""Collision shapes: the checked geometries of bounding objects, on the body that they are part of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, dot, norm, rotate, subtract
from sim_core.base.ids import NodeId
from sim_core.base.limits import limit, limit_text
from sim_core.model.dynamics.contact_properties import Legacy, legacy_fields
from sim_core.model.geometry import (
    Box,
    Capsule,
    Cylinder,
    ElevationGrid,
    FileMesh,
    Geometry,
    Plane,
    Sphere,
    TriangleMesh,
)
from sim_core.model.joint_frames import hinge_in_end_point
from sim_core.model.shapes import ShapeRecord, bounding_shapes, own_bounding_shapes
from sim_core.scene.node import Node

_COLLIDE = "one of Box, Sphere, Cylinder, Capsule, Plane, ElevationGrid, IndexedFaceSet, Mesh"
_LARGEST = 1e9

Records = dict[NodeId | None, list[ShapeRecord]]
"""Shapes that can collide, by solid."""


class Collider(NamedTuple):
    """One geometry of a bounding object.

    Attributes:
        geometry: its form; scale: of a mesh, along its own axes.
        solid: the solid of the bounding object.
        pose: X_LG in the frame of its body.
        material: contactMaterial of the solid; legacy: contact fields of an older Physics node.
        radius: of a sphere or of a shape that is round about an axis, m; else 0.
        is_wheel: True for a cylinder that turns about its own axis on a hinge: it touches the floor with its
            middle plane.
        steers: True for a wheel of a Hinge2Joint, which also turns about another axis.
    """

    geometry: Geometry
    scale: Vec3
    solid: NodeId
    pose: Pose
    material: str
    legacy: Legacy | None
    radius: float
    is_wheel: bool
    steers: bool


def colliding_shapes(
    roots: Sequence[Node], problems: list[SceneError], warnings: list[SceneError]
) -> Records:
    """Return the shapes of trees that can collide, by solid; errors are added to `problems`."""
    found: Records = defaultdict(list)
    left_out: set[str] = set()
    for record in bounding_shapes(roots):
        try:
            if can_collide(record):
                found[record.solid].append(record)
            elif record.type_name not in left_out:
                left_out.add(record.type_name)
                text = f"{record.type_name} in a boundingObject has no triangles, it is left out"
                warnings.append(SceneError(*record.source, text))
        except SceneError as error:
            problems.append(error)
    return found


def own_colliding_shapes(solids: Iterable[Node]) -> Records:
    """Return the shapes of some solids that can collide, by solid.

    Raises:
        SceneError: a geometry is impossible.
    """
    return {solid.id: [each for each in own_bounding_shapes(solid) if can_collide(each)] for solid in solids}


def colliders_of(
    solids: Sequence[tuple[Node, Pose]],
    joint: Node | None,
    joint_frame: Pose,
    moves: bool,
    records: Records,
    problems: list[SceneError],
) -> list[Collider]:
    """Return the collision shapes of a body; errors are added to `problems`.

    Args:
        solids: of the body, with their poses in it.
        joint: the joint above, whose frame has this pose in the body.
        moves: True if the body, or one above it, is dynamic.
        records: shapes of its solids that can collide.
        problems: see above.
    """
    found = []
    for solid, pose in solids:
        for record in records.get(solid.id, ()):
            if isinstance(record.geometry, Plane) and moves:
                text = f"Plane in the boundingObject of {solid.path()}, which moves"
                problems.append(SceneError(*record.source, text, "a shape with a volume"))
                continue
            placed = pose * record.offset
            radius, is_wheel = _round(record.geometry), False
            if isinstance(record.geometry, Cylinder) and record.geometry.height <= 2.0 * radius:
                is_wheel = joint is not None and _is_wheel(joint, joint_frame, placed, radius)
            assert record.geometry is not None  # as `can_collide` found
            legacy = legacy_fields(solid["physics"])
            material = solid["contactMaterial"]
            steers = is_wheel and joint is not None and joint.type_name == "Hinge2Joint"
            found.append(
                Collider(
                    record.geometry,
                    record.scale,
                    solid.id,
                    placed,
                    material,
                    legacy,
                    radius,
                    is_wheel,
                    steers,
                )
            )
    return found


def can_collide(record: ShapeRecord) -> bool:
    """Return whether a geometry can collide; False: it has no triangles and is left out.

    Raises:
        SceneError: the geometry is not allowed in a boundingObject or has an impossible size.
    """
    if isinstance(record.geometry, TriangleMesh):
        return _has_triangles(record, record.geometry)
    name, source = record.type_name, record.source
    if any(abs(factor - 1.0) > 1e-9 for factor in record.scale):
        scale = " ".join(f"{value:g}" for value in record.scale)
        found = f"{name} in a boundingObject below a scale of {scale}"
        raise SceneError(*source, found, "scale 1 1 1 (change the sizes of the shapes instead)")
    match record.geometry:
        case Box(size):
            _check_sizes(record, size=size)
        case Sphere(radius):
            _check_sizes(record, radius=(radius,))
        case Cylinder(radius, height):
            _check_sizes(record, radius=(radius,), height=(height,))
        case Capsule(radius, height):
            _check_sizes(record, radius=(radius,), height=(height or 1.0,))  # it may be a sphere
        case Plane():
            pass
        case _:
            raise SceneError(*source, f"{name} in a boundingObject", _COLLIDE)
    position = record.offset.position
    if not all(abs(value) <= _LARGEST for value in position):
        raise SceneError(*source, f"{name} at {_text(position)}", "finite coordinates")
    return True


def _has_triangles(record: ShapeRecord, mesh: TriangleMesh) -> bool:
    if isinstance(mesh, FileMesh):
        _ = mesh.parts  # raises SceneError if the file is unusable
    source, name = record.source, record.type_name
    triangles = mesh.triangles
    if not len(triangles):
        return False
    if len(triangles) > limit("collision_triangles"):
        found = f"{name} in a boundingObject with {len(triangles)} triangles"
        raise SceneError(*source, found, limit_text("collision_triangles"))
    scale = np.array(record.scale)
    if not np.abs(triangles * scale).max() <= _LARGEST:
        raise SceneError(*source, f"{name} with coordinates beyond {_LARGEST:g} m", "finite ones")
    if not (scale != 0.0).all():
        raise SceneError(*source, f"{name} in a boundingObject below a scale of 0", "another one")
    if isinstance(mesh, ElevationGrid) and not 0.0 <= mesh.thickness <= _LARGEST:
        raise SceneError(*source, f"ElevationGrid.thickness {mesh.thickness:g}", "a finite number from 0")
    return True


def _check_sizes(record: ShapeRecord, **sizes: tuple[float, ...]) -> None:
    for field, values in sizes.items():
        if not all(0.0 < value <= _LARGEST for value in values):
            found = f"{record.type_name}.{field} {_text(values)}"
            raise SceneError(*record.source, found, "finite sizes above 0")


def _round(geometry: Geometry | None) -> float:
    match geometry:
        case Sphere(radius) | Capsule(radius) | Cylinder(radius):
            return radius
    return 0.0


def _is_wheel(joint: Node, frame: Pose, pose: Pose, radius: float) -> bool:
    """Return whether a cylinder's axis is that of the hinge above its body."""
    axis_in_cylinder_frame = rotate(pose.rotation, (0.0, 0.0, 1.0))
    hinge, anchor = hinge_in_end_point(frame, joint)
    if hinge is None:
        return False
    across = subtract(pose.position, anchor)
    distance = norm(subtract(across, tuple(dot(across, hinge) * value for value in hinge)))  # type: ignore[arg-type]
    return abs(dot(axis_in_cylinder_frame, hinge)) > 1.0 - 1e-6 and distance < 1e-6 + 1e-3 * radius


def _text(values: Iterable[float]) -> str:
    return " ".join(f"{number:g}" for number in values)
