"""Fluids, and their effect on solids (Webots reference, Fluid and ImmersionProperties)."""

from __future__ import annotations

import math
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, norm, rotate_back, subtract
from sim_core.base.ids import NodeId
from sim_core.model.frames import sizes_of, world_vector_of
from sim_core.model.geometry import Box, Capsule, Cylinder, Plane, Sphere
from sim_core.model.shapes import ShapeRecord, own_bounding_shapes
from sim_core.scene.node import Node

IMMERSED, PROJECTED = "immersed area", ("xyz-projected area", "xyz-projection")


class Region(NamedTuple):
    """One geometry of a fluid's boundingObject.

    Attributes:
        pose: X_WR of the geometry; its z axis points up.
        surface: height of the surface above the geometry's centre; bottom: that of the bottom, m.
        half: half the size along x and y of a box; radius: of a round shape; inf: unlimited.
    """

    pose: Pose
    surface: float
    bottom: float
    half: tuple[float, float] = (math.inf, math.inf)
    radius: float = math.inf

    @property
    def up(self) -> Vec3:
        """Upward direction, in the world."""
        r = self.pose.rotation
        return (r[2], r[5], r[8])

    def height(self, point: Vec3) -> float | None:
        """Return the height of the surface above a point in the world, m; None: the point is beside or
        below."""
        x, y, z = rotate_back(self.pose.rotation, subtract(point, self.pose.position))
        if abs(x) > self.half[0] or abs(y) > self.half[1] or x * x + y * y > self.radius**2:
            return None
        return self.surface - z if z >= self.bottom else None


class Fluid(NamedTuple):
    """Fluid node: kg/m³, kg/(m·s), velocity of the stream in world axes in m/s, regions."""

    id: NodeId
    density: float
    viscosity: float
    stream: Vec3
    regions: tuple[Region, ...]


class Immersion(NamedTuple):
    """ImmersionProperties node: effect of a fluid on the shapes of a solid.

    Attributes:
        solid: the solid of the shapes.
        fluid: name of the fluid.
        is_projected: True: drag depends on the area projected along each axis of the solid.
        drag, torque: coefficients along the solid's axes.
        viscous, viscous_torque: coefficients of viscous resistance.
    """

    solid: NodeId
    fluid: str
    is_projected: bool
    drag: Vec3
    torque: Vec3
    viscous: float
    viscous_torque: float


def fluid_of(node: Node, pose: Pose) -> Fluid:
    """Return the record of a Fluid node at a pose in the world.

    Raises:
        SceneError: a value is impossible.
    """
    for field in ("density", "viscosity"):
        if not 0.0 <= node[field] < 1e9:
            raise SceneError(*node.source, f"Fluid.{field} {node[field]:g}", "a finite number of 0 or more")
    if not norm(node["streamVelocity"]) < 1e6:
        raise SceneError(*node.source, f"Fluid.streamVelocity {node['streamVelocity']}", "finite numbers")
    return Fluid(
        node.id,
        node["density"],
        node["viscosity"],
        world_vector_of(node, "streamVelocity"),
        tuple(_region(record, pose * record.offset) for record in own_bounding_shapes(node)),
    )


def immersion_of(solid: Node, properties: Node) -> Immersion:
    """Return the record of an ImmersionProperties node of a solid.

    Raises:
        SceneError: a value is impossible.
    """
    area = properties["referenceArea"]
    if area != IMMERSED and area not in PROJECTED:
        found = f'ImmersionProperties.referenceArea "{area}"'
        raise SceneError(*properties.source, found, f'"{IMMERSED}" or "{PROJECTED[0]}"')
    for field in (
        "dragForceCoefficients",
        "dragTorqueCoefficients",
        "viscousResistanceForceCoefficient",
        "viscousResistanceTorqueCoefficient",
    ):
        value = properties[field]
        if not all(0.0 <= number < 1e9 for number in (value if isinstance(value, tuple) else (value,))):
            found = f"ImmersionProperties.{field} {value}"
            raise SceneError(*properties.source, found, "finite numbers of 0 or more")
    return Immersion(
        solid.id,
        properties["fluidName"],
        area != IMMERSED,
        sizes_of(properties, "dragForceCoefficients"),
        sizes_of(properties, "dragTorqueCoefficients"),
        properties["viscousResistanceForceCoefficient"],
        properties["viscousResistanceTorqueCoefficient"],
    )


def _region(record: ShapeRecord, pose: Pose) -> Region:
    match record.geometry:
        case Plane():
            return Region(pose, 0.0, -math.inf)
        case Box((x, y, z)):
            return Region(pose, z / 2.0, -(z / 2.0), half=(x / 2.0, y / 2.0))
        case Sphere(radius):
            return Region(pose, radius, -radius, radius=radius)
        case Cylinder(radius, height):
            return Region(pose, height / 2.0, -(height / 2.0), radius=radius)
        case Capsule(radius, height):
            surface = height / 2.0 + radius
            return Region(pose, surface, -surface, radius=radius)
    found = f"{record.type_name} in the boundingObject of a Fluid"
    raise SceneError(*record.source, found, "Box, Capsule, Cylinder, Plane or Sphere")
