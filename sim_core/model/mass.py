"""Mass, centre of mass and inertia of geometries and of bodies composed of them."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sim_core.base.geometry import (
    ZERO,
    Mat3,
    Pose,
    Vec3,
    cross,
    dot,
    multiply,
    rotate,
    scale,
    subtract,
    transposed,
)
from sim_core.model.geometry import (
    Box,
    Capsule,
    Cylinder,
    ElevationGrid,
    Geometry,
    Sphere,
    TriangleMesh,
    Triangles,
)
from sim_core.model.welding import welded

_NONE: Mat3 = (0.0,) * 9


class MassProperties(NamedTuple):
    """Mass (kg), centre of mass (m) and inertia (kg·m², about the centre of mass) in one frame."""

    mass: float = 0.0
    centre: Vec3 = ZERO
    inertia: Mat3 = _NONE

    @property
    def least_gyration(self) -> float:
        """Lower bound of the smallest radius of gyration, m.

        Of the principal moments a ≤ b ≤ c, a is det / bc, and bc is at most the square of half the trace.
        """
        trace = self.inertia[0] + self.inertia[4] + self.inertia[8]
        xx, xy, xz, yx, yy, yz, zx, zy, zz = (value / trace for value in self.inertia)
        return math.sqrt(
            max(0.0, 4.0 * dot((xx, xy, xz), cross((yx, yy, yz), (zx, zy, zz))) * trace / self.mass)
        )

    def moved(self, pose: Pose) -> MassProperties:
        """Return the same body in frame A, given its pose X_AB there."""
        r = pose.rotation
        return MassProperties(
            self.mass, pose.apply(self.centre), multiply(multiply(r, self.inertia), transposed(r))
        )

    def scaled_to(self, mass: float) -> MassProperties:
        """Return the same shape of uniform density with another mass."""
        factor = mass / self.mass
        return MassProperties(mass, self.centre, _scaled(self.inertia, factor))


def combined(parts: Iterable[MassProperties]) -> MassProperties:
    """Return the sum of rigidly joined parts, by the parallel-axis theorem."""
    items = [part for part in parts if part.mass > 0.0]
    total = sum(part.mass for part in items)
    if total == 0.0:
        return MassProperties()
    centre: Vec3 = ZERO
    for part in items:
        share = scale(part.centre, part.mass / total)
        centre = (centre[0] + share[0], centre[1] + share[1], centre[2] + share[2])
    inertia = _NONE
    for part in items:
        inertia = _added(_added(inertia, part.inertia), _of_point(part.mass, subtract(part.centre, centre)))
    return MassProperties(total, centre, inertia)


def of_geometry(geometry: Geometry | None, density: float, scale: Vec3) -> MassProperties:
    """Return a geometry of uniform density in its own frame; without volume, and for a Cone, the mass is 0.

    `scale` applies to meshes: primitives are not scaled. A mesh that is not closed, so that its volume is
    unknown, has the mass of its bounding box.
    """
    match geometry:
        case Box(size):
            return of_box(density, size)
        case Sphere(radius):
            return of_sphere(density, radius)
        case Cylinder(radius, height):
            return of_cylinder(density, radius, height)
        case Capsule(radius, height):
            return of_capsule(density, radius, height)
        case TriangleMesh() if not isinstance(geometry, ElevationGrid) and len(geometry.triangles):
            triangles = geometry.scaled(scale)
            own = of_mesh(density, triangles) if welded(triangles).is_closed else MassProperties()
            return own if own.mass > 0.0 else _of_box_about(density, triangles)
    return MassProperties()


def of_box(density: float, size: Vec3) -> MassProperties:
    """Return a box with edges along the axes, centred."""
    x, y, z = size
    m = density * x * y * z
    return MassProperties(
        m, ZERO, _diagonal(m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12)
    )


def of_sphere(density: float, radius: float) -> MassProperties:
    """Return a solid sphere, centred."""
    m = density * 4.0 / 3.0 * math.pi * radius**3
    i = 0.4 * m * radius * radius
    return MassProperties(m, ZERO, _diagonal(i, i, i))


def of_cylinder(density: float, radius: float, height: float) -> MassProperties:
    """Return a solid cylinder along z, centred."""
    m = density * math.pi * radius * radius * height
    across = m * (3.0 * radius * radius + height * height) / 12.0
    return MassProperties(m, ZERO, _diagonal(across, across, 0.5 * m * radius * radius))


def of_capsule(density: float, radius: float, height: float) -> MassProperties:
    """Return a cylinder along z of this height with a hemisphere on each end, centred."""
    r, h = radius, height
    cylinder = of_cylinder(density, r, h)
    ends = density * 4.0 / 3.0 * math.pi * r**3
    # two hemispheres, each with its centre of mass 3r/8 beyond the end of the cylinder
    across = cylinder.inertia[0] + ends * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r)
    return MassProperties(
        cylinder.mass + ends, ZERO, _diagonal(across, across, cylinder.inertia[8] + 0.4 * ends * r * r)
    )


def of_mesh(density: float, triangles: Triangles) -> MassProperties:
    """Return the volume inside a closed surface, summed over the tetrahedra between a point and each
    triangle.

    A tetrahedron with corners 0, a, b, c has the volume V = a·(b × c)/6, the centre (a + b + c)/4 and the
    second moment ∫ x xᵀ = V/20·(a aᵀ + b bᵀ + c cᵀ + s sᵀ) with s = a + b + c; those of triangles that face
    the point are negative.

    Args:
        triangles: (n, 3, 3) m, all anticlockwise seen from outside, or all from inside.
    """
    middle = triangles.mean(axis=(0, 1))  # near the body, to limit cancellation
    a, b, c = np.moveaxis(triangles - middle, 1, 0)
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    total = float(volumes.sum())
    sums = a + b + c
    if abs(total) <= 1e-12 * float(np.abs(volumes).sum()) or total == 0.0:
        return MassProperties()
    centre = np.einsum("i,ij->j", volumes, sums) / 4.0 / total
    moment = sum(np.einsum("i,ij,ik->jk", volumes, each, each) for each in (a, b, c, sums)) / 20.0
    moment = density * np.sign(total) * (moment - total * np.outer(centre, centre))
    inertia = np.trace(moment) * np.eye(3) - moment
    x, y, z = (centre + middle).tolist()
    return MassProperties(density * abs(total), (x, y, z), tuple(inertia.ravel().tolist()))


def _of_box_about(density: float, triangles: Triangles) -> MassProperties:
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    size, middle = (high - low).tolist(), ((high + low) / 2.0).tolist()
    return of_box(density, (size[0], size[1], size[2]))._replace(centre=(middle[0], middle[1], middle[2]))


def _of_point(m: float, p: Vec3) -> Mat3:
    """Return the inertia of a point mass about the origin: m (|p|² 1 - p pᵀ)."""
    x, y, z = p
    return (
        m * (y * y + z * z), -m * x * y, -m * x * z,
        -m * x * y, m * (x * x + z * z), -m * y * z,
        -m * x * z, -m * y * z, m * (x * x + y * y),
    )  # fmt: skip


def _diagonal(a: float, b: float, c: float) -> Mat3:
    return (a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c)


def _scaled(a: Mat3, factor: float) -> Mat3:
    return tuple(value * factor for value in a)  # type: ignore[return-value]


def _added(a: Mat3, b: Mat3) -> Mat3:
    return tuple(map(operator.add, a, b))


def along(mass: MassProperties, axis: Vec3) -> float:
    """Return the moment of inertia about an axis (unit vector) through the centre of mass."""
    turned = rotate(mass.inertia, axis)
    return turned[0] * axis[0] + turned[1] * axis[1] + turned[2] * axis[2]
