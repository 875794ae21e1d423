"""Contacts of two shapes of which at least one is a mesh.

Balls and wheels use a kernel of this package (`mesh_kernels.py`), all others libode's trimesh colliders,
whose results are corrected for cylinders and reduced in number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sim_core.base.geometry import Vec3, dot
from sim_core.engines.ode.contacts.mesh_kernels import (
    MOST_FOUND,
    RESULT,
    correct_cylinder_contacts,
    merge_mesh_contacts,
    round_mesh_contacts,
    select_contacts,
)
from sim_core.engines.ode.ode_trimesh import ContactBuffer
from sim_core.model.geometry import Cylinder, Sphere

if TYPE_CHECKING:
    from sim_core.engines.ode.shapes import Shape

Point = tuple[Vec3, Vec3, float]
ON_ITS_SIDE = 0.7
"""Cosine between a wheel's axis and a normal from which on its flat side touches."""


class MeshContacts:
    """Finds the contacts; holds the buffers."""

    def __init__(self) -> None:
        self._buffer = ContactBuffer()
        self._sides = self._buffer.rows.view(np.int32).reshape(len(self._buffer.rows), -1)[:, -2:]
        self._out = np.zeros((MOST_FOUND, RESULT))
        self._placed = np.zeros(12)
        self._round = np.zeros(6)

    def contact_points(self, first: Shape, second: Shape, most: int) -> list[Point]:
        """Return position, normal into the first shape, and depth of each contact, in the world.

        Args:
            most: maximum number of contacts.
        """
        if first.mesh is not None and _is_round(second):
            return [
                (position, _turned(normal), depth)
                for position, normal, depth in self._of_ball_or_wheel(second, first)
            ]
        if second.mesh is not None and _is_round(first):
            return self._of_ball_or_wheel(first, second)
        return self._by_ode(first, second, most)

    def _of_ball_or_wheel(self, ball: Shape, other: Shape) -> list[Point]:
        """Return the contacts of a ball or a wheel; the normals point into it."""
        mesh = other.mesh
        assert mesh is not None
        self._place(ball, other.geom)
        if not ball.is_wheel:
            self._round[3:] = 0.0
        count = round_mesh_contacts(
            mesh.tree.triangles, mesh.normals, mesh.tree.boxes, mesh.tree.links,
            self._placed, self._round, ball.radius, self._out,
        )  # fmt: skip
        if count or not ball.is_wheel:
            return self._list(count)
        axis = tuple(self._round[3:].tolist())
        return [each for each in self._by_ode(ball, other, 4) if abs(dot(each[1], axis)) > ON_ITS_SIDE]

    def _by_ode(self, first: Shape, second: Shape, most: int) -> list[Point]:
        buffer = self._buffer
        count = buffer.collide(first.geom, second.geom)
        if not count:
            return []
        for column, one, other in ((0, first, second), (1, second, first)):
            if one.mesh is not None and isinstance(other.geometry, Cylinder):
                self._place(other, one.geom)
                half = 0.5 * other.geometry.height
                correct_cylinder_contacts(
                    buffer.rows, count, self._triangles(count), column, one.mesh.block_points,
                    one.mesh.block_normals, self._placed, self._round, other.radius, half,
                )  # fmt: skip
        if first.mesh is not None and second.mesh is not None:
            merge_mesh_contacts(buffer.rows, count, min(first.mesh.reach, second.mesh.reach))
        return self._list(select_contacts(buffer.rows, count, min(most, MOST_FOUND), self._out))

    def _triangles(self, count: int) -> Any:
        return self._sides[:count].astype(np.int64)

    def _place(self, shape: Shape, mesh: Any) -> None:
        """Store the poses of a shape with an axis, and of a mesh."""
        r = shape.geom.getRotation()
        self._round[:3], self._round[3:] = shape.geom.getPosition(), (r[2], r[5], r[8])
        self._placed[:3], self._placed[3:] = mesh.getPosition(), mesh.getRotation()

    def _list(self, count: int) -> list[Point]:
        return [
            ((px, py, pz), (nx, ny, nz), depth)
            for px, py, pz, nx, ny, nz, depth in self._out[:count].tolist()
        ]


def _is_round(shape: Shape) -> bool:
    return isinstance(shape.geometry, Sphere) or shape.is_wheel


def _turned(normal: Vec3) -> Vec3:
    return (-normal[0], -normal[1], -normal[2])
