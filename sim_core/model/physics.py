"""Physics nodes: mass, inertia and damping of solids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, is_possible_inertia, subtract
from sim_core.base.turns import turned, turned_matrix
from sim_core.model.geometry import ElevationGrid, TriangleMesh
from sim_core.model.mass import MassProperties, combined, of_geometry
from sim_core.model.shapes import ShapeRecord
from sim_core.model.welding import welded
from sim_core.scene import Node

UNIT_INERTIA = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
WATER = 1000.0


class SolidPhysics(NamedTuple):
    """Compiled Physics node, in its solid's frame; `falls`: gravity acts on it."""

    mass: MassProperties
    volume: float
    linear_damping: float
    angular_damping: float
    falls: bool = True


UNKNOWN = SolidPhysics(MassProperties(1.0, (0.0, 0.0, 0.0), UNIT_INERTIA), 0.0, 0.0, 0.0)
"""Physics of a body whose node has no usable values, as in Webots."""


def read_physics(
    solid: Node, shapes: Sequence[ShapeRecord], default_damping: Node | None, warnings: list[SceneError]
) -> SolidPhysics:
    """Return mass, centre of mass, inertia and damping of a solid with Physics.

    As in Webots (reference, Physics): a positive mass takes precedence over the density; without
    boundingObject and inertiaMatrix the inertia is the identity matrix, and the mass, if not given, 1 kg.

    Raises:
        SceneError: a value is impossible.
    """
    physics: Node = solid["physics"]
    mass, density = physics["mass"], physics["density"]
    mass, density = mass or -1.0, density or -1.0  # Webots regards 0 as unknown, too
    for field, value in (("mass", mass), ("density", density)):
        if value != -1.0 and not 0.0 < value < 1e12:
            raise SceneError(
                *physics.source, f"Physics.{field} {value:g}", "a number above 0, or -1 for unknown"
            )
    if mass == -1.0 and density == -1.0:
        density = WATER
        found = f"Physics without mass and density: {WATER:g} kg/m3 are used"
        warnings.append(SceneError(*physics.source, found, "a mass or a density"))
    reference = combined(
        of_geometry(shape.geometry, WATER, shape.scale).moved(shape.offset) for shape in shapes
    )
    centre = _centre(physics)
    if physics["inertiaMatrix"]:
        own = MassProperties(_mass_for_inertia(physics), centre or (0.0, 0.0, 0.0), _inertia(physics))
    elif reference.mass > 0.0:
        own = reference.scaled_to(mass if mass > 0.0 else reference.mass * density / WATER)
        own = own._replace(centre=centre or own.centre)
    else:
        own = MassProperties(mass if mass > 0.0 else 1.0, centre or (0.0, 0.0, 0.0), UNIT_INERTIA)
        found = "Physics without inertiaMatrix in a solid without boundingObject that has a volume"
        warnings.append(
            SceneError(*physics.source, f"{found}: mass {own.mass:g} kg, inertia 1 kg m2 are used")
        )
    if not physics["inertiaMatrix"]:
        warnings += _open_meshes(shapes)
    damping = physics["damping"] or default_damping
    linear, angular = (
        (_part(damping, "linear"), _part(damping, "angular")) if damping is not None else (0.0, 0.0)
    )
    return SolidPhysics(own, reference.mass / WATER, linear, angular, physics["gravity"])


def merged(parts: Sequence[tuple[SolidPhysics, Pose]]) -> SolidPhysics:
    """Combine several solids to one body: masses are added, damping is their mean, weighted by volume.

    Gravity acts on it if it acts on one of them.
    """
    mass = combined(part.mass.moved(pose) for part, pose in parts)
    volume = sum(part.volume for part, _ in parts)
    weights = [part.volume if volume > 0.0 else 1.0 for part, _ in parts]
    total = sum(weights)
    linear = (
        sum(part.linear_damping * weight for (part, _), weight in zip(parts, weights, strict=True)) / total
    )
    angular = (
        sum(part.angular_damping * weight for (part, _), weight in zip(parts, weights, strict=True)) / total
    )
    return SolidPhysics(mass, volume, linear, angular, any(part.falls for part, _ in parts))


def _open_meshes(shapes: Sequence[ShapeRecord]) -> list[SceneError]:
    """Return one warning for each mesh whose volume is unknown."""
    found = []
    for shape in shapes:
        mesh = shape.geometry
        if not isinstance(mesh, TriangleMesh) or isinstance(mesh, ElevationGrid) or not len(mesh.triangles):
            continue
        if not welded(mesh.scaled(shape.scale)).is_closed:
            text = f"{shape.type_name} in a boundingObject is not closed: it weighs what a box weighs"
            found.append(SceneError(*shape.source, text))
    return found


def _centre(physics: Node) -> Vec3 | None:
    points = physics["centerOfMass"]
    if not points:
        return None
    if len(points) != 1:
        raise SceneError(
            *physics.source, f"Physics.centerOfMass with {len(points)} vectors", "one vector or none"
        )
    point: Vec3 = points[0]
    if not all(abs(value) < 1e9 for value in subtract(point, (0.0, 0.0, 0.0))):
        raise SceneError(*physics.source, f"Physics.centerOfMass {point}", "finite coordinates")
    return turned(physics.axes.above, point)


def _mass_for_inertia(physics: Node) -> float:
    mass: float = physics["mass"]
    if mass <= 0.0:
        raise SceneError(*physics.source, "Physics.inertiaMatrix without a mass", "a mass above 0")
    return mass


def _inertia(physics: Node) -> tuple[float, float, float, float, float, float, float, float, float]:
    rows = physics["inertiaMatrix"]
    if len(rows) != 2:
        found = f"Physics.inertiaMatrix with {len(rows)} vectors"
        raise SceneError(*physics.source, found, "two vectors, [Ixx Iyy Izz, Ixy Ixz Iyz], or none")
    (xx, yy, zz), (xy, xz, yz) = rows
    inertia = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
    if not is_possible_inertia(inertia):
        found = f"Physics.inertiaMatrix [{xx:g} {yy:g} {zz:g}, {xy:g} {xz:g} {yz:g}]"
        raise SceneError(*physics.source, found, "a positive definite matrix")
    return turned_matrix(physics.axes.above, inertia)


def _part(damping: Node, field: str) -> float:
    value: float = damping[field]
    if not 0.0 <= value <= 1.0:
        raise SceneError(
            *damping.source, f"Damping.{field} {value:g}", "the part of the speed lost per second, 0 to 1"
        )
    return value
