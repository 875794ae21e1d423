"""Collision shapes: geometries of a model with their ODE objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from sim_core.base.geometry import Mat3, Pose, Vec3, dot, subtract
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_trimesh import make_mesh_geom
from sim_core.engines.ode.pyode import ode
from sim_core.model.dynamics.bodies import BodyKind
from sim_core.model.dynamics.colliders import Collider
from sim_core.model.geometry import Box, Capsule, Cylinder, Geometry, Plane, Sphere, TriangleMesh

if TYPE_CHECKING:
    from sim_core.engines.ode.contacts.collision_mesh import CollisionMesh

FLOOR_MIN_SIZE = 1.0
"""m: a fixed box is a floor if its horizontal sides are at least this long."""


class Group:
    """Shapes and spaces of one tree of solids.

    Attributes:
        number: mark of the geoms whose pairs the search leaves out; 0: they may collide with each other.
    """

    __slots__ = ("collides_with_itself", "joined", "number")
    _numbers = count(1)

    def __init__(self, collides_with_itself: bool) -> None:
        self.collides_with_itself = collides_with_itself
        self.number = 0 if collides_with_itself else next(self._numbers)
        self.joined: set[tuple[int, int]] = set()


class Shape:
    """One geometry of a bounding object.

    Attributes:
        geometry, solid, pose, material, legacy, radius: see `Collider`.
        is_wheel: True: it touches with its middle plane; a wheel that steers touches with both rims with
            Webots' contacts.
        mesh: its triangles, if it is a mesh.
        geom: the ODE geom.
        body: the ODE body with which it moves, or None; is_dynamic: True if that body is dynamic.
        address: address of that body's state in ODE.
        surface: index of its kind of surface (see `contacts.Surfaces`).
        belt: the belt around it, if it belongs to a Track.
    """

    __slots__ = (
        "_has_rims",
        "address",
        "belt",
        "body",
        "geom",
        "geometry",
        "group",
        "is_dynamic",
        "is_wheel",
        "legacy",
        "link",
        "material",
        "mesh",
        "pose",
        "radius",
        "solid",
        "surface",
    )  # fmt: skip

    def __init__(self, record: Collider, link: Link, are_stiff: bool) -> None:
        """Create the shape; `are_stiff`: see `Surfaces`."""
        self.geometry = record.geometry
        self.solid = record.solid
        self.pose = record.pose
        self.link = link
        self.material = record.material
        self.legacy = record.legacy
        self.radius = record.radius
        self._has_rims = record.steers and not are_stiff
        self.is_wheel = record.is_wheel and not self._has_rims
        self.mesh = mesh_of(record)
        self.belt: Any = None
        self.geom: Any = None
        self.body: Any = None
        self.address = 0
        self.group: Any = None
        self.is_dynamic = False
        self.surface = 0

    def resize(self, record: Collider) -> None:
        """Set the size to that of a geometry of the same type."""
        self.geometry, self.radius = record.geometry, record.radius
        self.is_wheel = record.is_wheel and not self._has_rims
        match self.geometry:
            case Box(size):
                self.geom.setLengths(size)
            case Sphere(radius):
                self.geom.setRadius(radius)
            case Cylinder(radius, height) | Capsule(radius, height):
                self.geom.setParams(radius, height)

    def in_body(self) -> Pose:
        """X_BG: pose of the geometry in its body's frame, whose origin is the centre of mass."""
        ancestor = self.link.dynamic_ancestor()
        if ancestor is None or ancestor is self.link:
            return Pose(subtract(self.pose.position, self.link.centre), self.pose.rotation)
        pose = ancestor.world_pose().inverse() * self.link.world_pose() * self.pose
        return Pose(subtract(pose.position, ancestor.centre), pose.rotation)

    def rotation(self) -> Mat3:
        """Return R_WG: its present rotation in the world."""
        if isinstance(self.geometry, Plane):  # ODE stores no rotation of planes
            return (self.link.start * self.pose).rotation
        rotation: Mat3 = self.geom.getRotation()
        return rotation

    def half_extents(self) -> tuple[float, float, float, float, float]:
        """Half sizes along its axes, and rounding radii: on all sides, and about z."""
        if self.mesh is not None:
            return (*self.mesh.extents, 0.0, 0.0)
        match self.geometry:
            case Box((x, y, z)):
                return (x / 2.0, y / 2.0, z / 2.0, 0.0, 0.0)
            case Capsule(radius, height):
                return (0.0, 0.0, height / 2.0, radius, 0.0)
            case Cylinder(radius, height):
                return (0.0, 0.0, height / 2.0, 0.0, radius)
        return (0.0, 0.0, 0.0, self.radius, 0.0)

    def reach(self) -> float:
        """Radius of the sphere about its centre that contains the shape."""
        if self.mesh is not None:
            return self.mesh.reach
        x, y, z, rounding, rounding_about_z = self.half_extents()
        return math.hypot(x, y, z, rounding_about_z) + rounding


def mesh_of(record: Collider) -> CollisionMesh | None:
    """Return the triangles of a geometry that has some."""
    if not isinstance(record.geometry, TriangleMesh):
        return None
    from sim_core.engines.ode.contacts.collision_mesh import (
        collision_mesh,  # compiles kernels: imported only where they are needed
    )

    return collision_mesh(record.geometry, record.scale)


def make_geom(shape: Shape) -> Any:
    """Return the ODE geom, in no space and without pose; a plane is placed in the world."""
    if shape.mesh is not None:
        return make_mesh_geom(shape.mesh.data)
    match shape.geometry:
        case Box(size):
            return ode.GeomBox(None, size)
        case Sphere(radius):
            return ode.GeomSphere(None, radius)
        case Cylinder(radius, height):
            return ode.GeomCylinder(None, radius, height)
        case Capsule(radius, height):
            return ode.GeomCapsule(None, radius, height)
    pose = shape.link.start * shape.pose
    normal = (pose.rotation[2], pose.rotation[5], pose.rotation[8])
    return ode.GeomPlane(None, normal, dot(normal, pose.position))


def place_geom(shape: Shape, pose: Pose) -> None:
    """Move a geom without body to a pose in the world."""
    if not isinstance(shape.geometry, Plane):
        shape.geom.setPosition(pose.position)
        shape.geom.setRotation(pose.rotation)


def attach_geom(shape: Shape, body: Any, offset: Pose) -> None:
    """Attach a geom to a body, at a pose in the body's frame."""
    shape.geom.setBody(body)
    shape.geom.setOffsetPosition(offset.position)
    shape.geom.setOffsetRotation(offset.rotation)


def is_floor(shape: Shape) -> bool:
    """Return whether a shape is a floor for the compiled loop: level planes and large fixed boxes."""
    return not shape.belt and may_be_floor(shape.link, shape.geometry, shape.pose)


def may_be_floor(link: Link, geometry: Geometry, pose: Pose) -> bool:
    """Return whether a geometry at a pose on a link is a floor, unless it has a belt."""
    if link.kind is not BodyKind.FIXED:
        return False
    rotation = (link.start * pose).rotation
    match geometry:
        case Plane():
            return rotation[8] > 1.0 - 1e-12
        case Box(size):
            up = _top_axis(rotation)
            is_level = abs(rotation[6 + up]) > 1.0 - 1e-12
            return is_level and all(size[i] >= FLOOR_MIN_SIZE for i in range(3) if i != up)
    return False


class Floor:
    """Floor plane z = d, with bounds if it is the top of a box.

    Attributes:
        centre, axes, half: centre of the top face, the two directions of its edges, half their lengths.
        thickness: depth below the plane up to which a point is in the floor.
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
        if isinstance(shape.geometry, Box):
            up, size = _top_axis(r), shape.geometry.size
            a, b = (i for i in range(3) if i != up)
            self.d += 0.5 * size[up]
            self.axes = ((r[a], r[3 + a], r[6 + a]), (r[b], r[3 + b], r[6 + b]))
            self.half = (0.5 * size[a], 0.5 * size[b])
            self.thickness = size[up]


def _top_axis(rotation: Sequence[float]) -> int:
    """Return the index of the axis that is nearest to the vertical."""
    return max(range(3), key=lambda i: abs(rotation[6 + i]))
