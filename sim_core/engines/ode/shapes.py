"""Bounding objects: from geometry nodes to what collides and what weighs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import ode

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Mat3, Pose, Vec3, dot, norm, rotate, subtract
from sim_core.engines.ode import mass
from sim_core.engines.ode.joints.joint_frames import hinge_in_end_point
from sim_core.engines.ode.links import Kind, Link
from sim_core.engines.ode.mass import MassProperties
from sim_core.engines.ode.ode_trimesh import make_mesh_geom
from sim_core.scene import Node
from sim_core.scene.meshes.geometry_walk import ShapeRecord
from sim_core.scene.meshes.triangles import MESH_NODES

if TYPE_CHECKING:
    from sim_core.engines.ode.contacts.collision_mesh import CollisionMesh

FLOOR_MIN_SIZE = 1.0
"""A box that stands still is a floor if its horizontal sides are at least this long, in m."""


class Shape:
    """One geometry of a bounding object.

    Attributes:
        solid: the solid that it belongs to.
        pose: X_LG in its link's frame.
        material: contactMaterial of the solid.
        radius: of a sphere or a wheel.
        is_wheel: a cylinder that turns about its own axis on a hinge: it touches the floor with its
            mid-plane.
        mesh: its triangles, if it is a mesh.
        geom: the ODE geom.
        body: the ODE body it moves with, or None; is_dynamic: forces move that body.
        address: where ODE keeps that body's state.
        surface: index of its kind of surface (see `contacts.Surfaces`).
        belt: the belt that runs round it, if it is a Track's.
    """

    __slots__ = (
        "address", "belt", "body", "geom", "geometry", "group", "is_dynamic", "is_wheel", "link", "material",
        "mesh", "pose", "radius", "solid", "surface",
        "type_name",
    )  # fmt: skip

    def __init__(self, record: ShapeRecord, solid: Node, pose: Pose, link: Link) -> None:
        self.geometry = record.geometry
        self.type_name = record.geometry.type_name
        self.solid = solid
        self.pose = pose
        self.link = link
        self.material: str = solid["contactMaterial"]
        self.radius: float = record.geometry["radius"] if record.geometry.has_field("radius") else 0.0
        self.is_wheel = self.type_name == "Cylinder" and _turns_about_its_axis(self)
        self.mesh = mesh_of(record)
        self.belt: Any = None
        self.geom: Any = None
        self.body: Any = None
        self.address = 0
        self.group: Any = None
        self.is_dynamic = False
        self.surface = 0

    def in_body(self) -> Pose:
        """X_BG: pose of the geometry in its body's frame, whose origin is the centre of mass."""
        ancestor = self.link.dynamic_ancestor()
        if ancestor is None or ancestor is self.link:
            return Pose(subtract(self.pose.position, self.link.centre), self.pose.rotation)
        pose = ancestor.world_pose().inverse() * self.link.world_pose() * self.pose
        return Pose(subtract(pose.position, ancestor.centre), pose.rotation)

    def rotation(self) -> Mat3:
        """R_WG: its rotation in the world now."""
        if self.type_name == "Plane":  # ODE keeps no rotation of planes
            return (self.link.start * self.pose).rotation
        rotation: Mat3 = self.geom.getRotation()
        return rotation

    def half_extents(self) -> tuple[float, float, float, float, float]:
        """Half sizes along its axes, and how far it is rounded: on all sides, and about z."""
        if self.mesh is not None:
            return (*self.mesh.extents, 0.0, 0.0)
        if self.type_name == "Box":
            x, y, z = self.geometry["size"]
            return (x / 2.0, y / 2.0, z / 2.0, 0.0, 0.0)
        if self.type_name == "Sphere":
            return (0.0, 0.0, 0.0, self.radius, 0.0)
        half = self.geometry["height"] / 2.0
        if self.type_name == "Capsule":
            return (0.0, 0.0, half, self.radius, 0.0)
        return (0.0, 0.0, half, 0.0, self.radius)

    def reach(self) -> float:
        """Radius of the ball about its centre that holds the shape."""
        if self.mesh is not None:
            return self.mesh.reach
        x, y, z, rounding, rounding_about_z = self.half_extents()
        return math.hypot(x, y, z, rounding_about_z) + rounding


def mesh_of(record: ShapeRecord) -> CollisionMesh | None:
    """The triangles of a geometry that has some.

    Raises:
        SceneError: they cannot be had, or are too many.
    """
    if record.geometry.type_name not in MESH_NODES:
        return None
    from sim_core.engines.ode.contacts.collision_mesh import (
        collision_mesh,  # compiles kernels: only where they are needed
    )

    return collision_mesh(record)


def check_shape(record: ShapeRecord) -> bool:
    """Whether a geometry can collide; False: it has no triangles and is left out.

    Raises:
        SceneError: the geometry is not allowed in a boundingObject or has an impossible size.
    """
    geometry = record.geometry
    name = geometry.type_name
    if name in MESH_NODES:
        return mesh_of(record) is not None
    if any(abs(factor - 1.0) > 1e-9 for factor in record.scale):
        raise SceneError(
            *geometry.source,
            f"{name} in a boundingObject below a scale of {' '.join(f'{value:g}' for value in record.scale)}",
            "scale 1 1 1 (change the sizes of the shapes instead)",
        )
    if name not in _MAKERS:
        raise SceneError(
            *geometry.source,
            f"{name} in a boundingObject",
            f"one of {', '.join((*_MAKERS, *MESH_NODES[:3]))}",
        )
    for field in ("size", "radius", "height"):
        if name == "Plane" or not geometry.has_field(field):
            continue
        value = geometry[field]
        for number in value if isinstance(value, tuple) else (value,):
            allowed = number >= 0.0 if name == "Capsule" and field == "height" else number > 0.0
            if not (allowed and number <= 1e9):
                raise SceneError(*geometry.source, f"{name}.{field} {_text(value)}", "finite sizes above 0")
    position = record.offset.position
    if not all(abs(value) <= 1e9 for value in position):
        raise SceneError(*geometry.source, f"{name} at {_text(position)}", "finite coordinates")
    return True


def shape_mass(record: ShapeRecord, density: float) -> MassProperties:
    """Mass of a geometry in its solid's frame; geometries without volume weigh nothing."""
    geometry = record.geometry
    name = geometry.type_name
    if name == "Box":
        own = mass.of_box(density, geometry["size"])
    elif name == "Sphere":
        own = mass.of_sphere(density, geometry["radius"])
    elif name == "Cylinder":
        own = mass.of_cylinder(density, geometry["radius"], geometry["height"])
    elif name == "Capsule":
        own = mass.of_capsule(density, geometry["radius"], geometry["height"])
    elif name in MESH_NODES and name != "ElevationGrid":
        mesh = mesh_of(record)
        own = mesh.weighed(density) if mesh is not None else MassProperties()
    else:
        return MassProperties()
    return own.moved(record.offset)


def make_geom(shape: Shape) -> Any:
    """The ODE geom, in no space and not placed; a plane is placed in the world."""
    if shape.mesh is not None:
        return make_mesh_geom(shape.mesh.data)
    return _MAKERS[shape.type_name](shape)


def place_geom(shape: Shape, pose: Pose) -> None:
    """Put a geom without body at a pose in the world."""
    if shape.type_name != "Plane":
        shape.geom.setPosition(pose.position)
        shape.geom.setRotation(pose.rotation)


def attach_geom(shape: Shape, body: Any, offset: Pose) -> None:
    """Fix a geom to a body, at a pose in the body's frame."""
    shape.geom.setBody(body)
    shape.geom.setOffsetPosition(offset.position)
    shape.geom.setOffsetRotation(offset.rotation)


def is_floor(shape: Shape) -> bool:
    """Whether a shape is a floor for the compiled loop: level planes and large boxes that stand still."""
    if shape.link.kind is not Kind.FIXED or shape.type_name not in ("Plane", "Box") or shape.belt:
        return False
    rotation = (shape.link.start * shape.pose).rotation
    if shape.type_name == "Plane":
        return rotation[8] > 1.0 - 1e-12
    up, size = _top_axis(rotation), shape.geometry["size"]
    return abs(rotation[6 + up]) > 1.0 - 1e-12 and all(size[i] >= FLOOR_MIN_SIZE for i in range(3) if i != up)


class Floor:
    """The plane z = d that things stand on, with bounds if it is the top of a box.

    Attributes:
        centre, axes, half: centre of the top face, the two directions of its edges, half their lengths.
        thickness: how deep below the plane a point still is in the floor.
    """

    __slots__ = ("axes", "centre", "d", "half", "shape", "thickness")

    def __init__(self, shape: Shape) -> None:
        pose = shape.link.start * shape.pose
        r = pose.rotation
        self.shape = shape
        self.centre = pose.position
        self.d = pose.position[2]
        self.axes: tuple[Vec3, Vec3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        self.half = (math.inf, math.inf)
        self.thickness = math.inf
        if shape.type_name == "Box":
            up, size = _top_axis(r), shape.geometry["size"]
            a, b = (i for i in range(3) if i != up)
            self.d += 0.5 * size[up]
            self.axes = ((r[a], r[3 + a], r[6 + a]), (r[b], r[3 + b], r[6 + b]))
            self.half = (0.5 * size[a], 0.5 * size[b])
            self.thickness = size[up]


def _turns_about_its_axis(shape: Shape) -> bool:
    """Whether the cylinder's axis is the axis of the hinge that its link hangs on."""
    link = shape.link
    joint = link.joint
    if joint is None or shape.geometry["height"] > 2.0 * shape.radius:
        return False
    axis_in_cylinder_frame = rotate(shape.pose.rotation, (0.0, 0.0, 1.0))
    hinge, anchor = hinge_in_end_point(link, joint)
    if hinge is None:
        return False
    across = subtract(shape.pose.position, anchor)
    distance = norm(subtract(across, tuple(dot(across, hinge) * value for value in hinge)))  # type: ignore[arg-type]
    return abs(dot(axis_in_cylinder_frame, hinge)) > 1.0 - 1e-6 and distance < 1e-6 + 1e-3 * shape.radius


def _top_axis(rotation: Sequence[float]) -> int:
    """Which axis of a frame is nearest to the vertical."""
    return max(range(3), key=lambda i: abs(rotation[6 + i]))


def _text(value: Any) -> str:
    return " ".join(f"{number:g}" for number in value) if isinstance(value, tuple) else f"{value:g}"


def _plane(shape: Shape) -> Any:
    pose = shape.link.start * shape.pose
    normal = (pose.rotation[2], pose.rotation[5], pose.rotation[8])
    return ode.GeomPlane(None, normal, dot(normal, pose.position))


_MAKERS: dict[str, Callable[[Shape], Any]] = {
    "Box": lambda shape: ode.GeomBox(None, shape.geometry["size"]),
    "Sphere": lambda shape: ode.GeomSphere(None, shape.radius),
    "Cylinder": lambda shape: ode.GeomCylinder(None, shape.radius, shape.geometry["height"]),
    "Capsule": lambda shape: ode.GeomCapsule(None, shape.radius, shape.geometry["height"]),
    "Plane": _plane,
}
