"""Vectors, rotations and poses, with the order of components for the whole package.

- `Point` is `(x, y)` in a plane, `Vec3` `(x, y, z)`.
- `Mat3` is a rotation matrix as nine floats, row by row, the order in which ODE gives it.
- `Quaternion` is `(x, y, z, w)`, the order of ROS.
- `AxisAngle` is `(x, y, z, angle)`, the order of the scene format; the axis need not have length 1.
- `Pose` X_AB is the pose of frame B in frame A: it transforms coordinates in B to coordinates in A.

Plain tuples and floats: for single vectors they are several times faster than numpy arrays.
Batches of vectors (rays, point clouds) are numpy arrays of shape (n, 3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from transforms3d import axangles, quaternions

from sim_core.base.arrays import FloatArray
from sim_core.base.errors import PhysicsError

Point = tuple[float, float]
Vec3 = tuple[float, float, float]
Mat3 = tuple[float, float, float, float, float, float, float, float, float]
Quaternion = tuple[float, float, float, float]
AxisAngle = tuple[float, float, float, float]

IDENTITY: Mat3 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ZERO: Vec3 = (0.0, 0.0, 0.0)
STRAIGHT = 1e-15
"""m²; twice the area of a triangle below which its points are regarded as collinear."""


def three_numbers(values: Sequence[float]) -> Vec3:
    """Return three numbers as a vector.

    Raises:
        PhysicsError: there are not three.
    """
    numbers = tuple(float(value) for value in values)
    if len(numbers) != 3:
        raise PhysicsError(f"found {len(numbers)} numbers, expected 3")
    return (numbers[0], numbers[1], numbers[2])


def add(a: Vec3, b: Vec3) -> Vec3:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vec3, b: Vec3) -> Vec3:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a: Vec3, factor: float) -> Vec3:
    """Return a · factor."""
    return (a[0] * factor, a[1] * factor, a[2] * factor)


def dot(a: Vec3, b: Vec3) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec3, b: Vec3) -> Vec3:
    """Return the vector product a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a: Vec3) -> float:
    """Return the Euclidean length."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def normalized(a: Vec3) -> Vec3:
    """Return a vector of length 1 along a; a zero vector stays zero."""
    length = norm(a)
    return scale(a, 1.0 / length) if length > 0.0 else ZERO


def rotate(r: Mat3, v: Vec3) -> Vec3:
    """Return R · v."""
    x, y, z = v
    return (
        r[0] * x + r[1] * y + r[2] * z,
        r[3] * x + r[4] * y + r[5] * z,
        r[6] * x + r[7] * y + r[8] * z,
    )


def rotate_back(r: Mat3, v: Vec3) -> Vec3:
    """Return Rᵀ · v: a vector of the outer frame expressed in the inner one."""
    x, y, z = v
    return (
        r[0] * x + r[3] * y + r[6] * z,
        r[1] * x + r[4] * y + r[7] * z,
        r[2] * x + r[5] * y + r[8] * z,
    )


def multiply(a: Mat3, b: Mat3) -> Mat3:
    """Return A · B."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


def transposed(r: Mat3) -> Mat3:
    """Return Rᵀ, the inverse of a rotation."""
    return (r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8])


def rotation_from_axis_angle(rotation: AxisAngle) -> Mat3:
    """Return the rotation matrix of an SFRotation; a zero axis means no rotation, as in Webots."""
    x, y, z, angle = rotation
    if angle == 0.0 or (x == 0.0 and y == 0.0 and z == 0.0):
        return IDENTITY
    longest = max(abs(x), abs(y), abs(z))
    if not 1e-100 < longest < 1e100:  # the square of the length would overflow or underflow
        x, y, z = x / longest, y / longest, z / longest
    return _flat(axangles.axangle2mat((x, y, z), angle))


def axis_angle_from_rotation(r: Mat3) -> AxisAngle:
    """Return the SFRotation of a rotation matrix, axis of length 1; no rotation is `(0, 0, 1, 0)`.

    Computed from the quaternion, which is exact at angles of π, where the matrix gives no accurate axis.
    """
    x, y, z, w = quaternion_from_rotation(r)
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-15:
        return (0.0, 0.0, 1.0, 0.0)
    return (x / length, y / length, z / length, 2.0 * math.atan2(length, w))


def quaternion_from_rotation(r: Mat3) -> Quaternion:
    """Return the unit quaternion `(x, y, z, w)` with w ≥ 0, by Shepperd's choice of the largest component."""
    trace = r[0] + r[4] + r[8]
    if trace >= max(r[0], r[4], r[8]):
        s = 2.0 * math.sqrt(1.0 + trace)
        q = ((r[7] - r[5]) / s, (r[2] - r[6]) / s, (r[3] - r[1]) / s, s / 4.0)
    elif r[0] >= r[4] and r[0] >= r[8]:
        s = 2.0 * math.sqrt(1.0 + r[0] - r[4] - r[8])
        q = (s / 4.0, (r[1] + r[3]) / s, (r[2] + r[6]) / s, (r[7] - r[5]) / s)
    elif r[4] >= r[8]:
        s = 2.0 * math.sqrt(1.0 + r[4] - r[0] - r[8])
        q = ((r[1] + r[3]) / s, s / 4.0, (r[5] + r[7]) / s, (r[2] - r[6]) / s)
    else:
        s = 2.0 * math.sqrt(1.0 + r[8] - r[0] - r[4])
        q = ((r[2] + r[6]) / s, (r[5] + r[7]) / s, s / 4.0, (r[3] - r[1]) / s)
    return q if q[3] >= 0.0 else (-q[0], -q[1], -q[2], -q[3])


def cos_sin(angles: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return cosines and sines as `math` computes them: numpy's may differ in the last bit."""
    listed = angles.tolist()
    return np.array([*map(math.cos, listed)]), np.array([*map(math.sin, listed)])


def rotation_from_quaternion(q: Quaternion) -> Mat3:
    """Return the rotation matrix of a quaternion `(x, y, z, w)`."""
    x, y, z, w = q
    return _flat(quaternions.quat2mat((w, x, y, z)))


def roll_pitch_yaw(r: Mat3) -> Vec3:
    """Return the angles of R = Rz(yaw)·Ry(pitch)·Rx(roll), as in REP-103; at pitch ±π/2 yaw is 0."""
    # Written out: mat2euler of transforms3d 0.4 fails on lists with NumPy 2.
    cos_pitch = math.hypot(r[0], r[3])
    pitch = math.atan2(-r[6], cos_pitch)
    if cos_pitch < 1e-12:
        return (math.atan2(-r[5], r[4]), pitch, 0.0)
    return (math.atan2(r[7], r[8]), pitch, math.atan2(r[3], r[0]))


def rotation_from_roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> Mat3:
    """Return R = Rz(yaw)·Ry(pitch)·Rx(roll)."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return (
        *(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        *(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        *(-sp, cp * sr, cp * cr),
    )


def yaw_of(r: Mat3) -> float:
    """Return the heading of the frame's x axis: angle from the outer x axis, counter-clockwise about z, in
    (-π, π]."""
    return math.atan2(r[3], r[0])


class Pose(NamedTuple):
    """Pose X_AB of frame B in frame A; `parent * child` composes, X_AC = X_AB * X_BC."""

    position: Vec3 = ZERO
    rotation: Mat3 = IDENTITY

    @classmethod
    def from_axis_angle(cls, position: Vec3, rotation: AxisAngle) -> Pose:
        """Return the pose of `translation` and `rotation` fields."""
        return cls(position, rotation_from_axis_angle(rotation))

    @property
    def quaternion(self) -> Quaternion:
        """The rotation as `(x, y, z, w)`."""
        return quaternion_from_rotation(self.rotation)

    def apply(self, point: Vec3) -> Vec3:
        """Return a point given in B, expressed in A."""
        return add(rotate(self.rotation, point), self.position)

    def __mul__(self, other: Pose) -> Pose:  # type: ignore[override]
        return Pose(self.apply(other.position), multiply(self.rotation, other.rotation))

    def inverse(self) -> Pose:
        """Return X_BA of this X_AB."""
        back = transposed(self.rotation)
        return Pose(scale(rotate(back, self.position), -1.0), back)


def _flat(matrix: Any) -> Mat3:
    """Convert a 3 × 3 array of transforms3d to nine Python floats."""
    return tuple(matrix.ravel().tolist())


SMALLEST_MOMENT = 1e-20
"""kg·m²; a grain of dust has 1e-17."""
SMALLEST_RATIO = 1e-12
"""Smallest ratio of the least to the largest principal moment of inertia."""
SMALLEST_GYRATION = 1e-6
"""m; programs that write descriptions write an inertia of 0 as a rounding error, such as 1e-20."""


def is_possible_inertia(inertia: Mat3, mass: float = 0.0) -> bool:
    """Return True if ODE can work with this inertia: finite, and positive definite with a margin.

    ODE ends the process if its own check of that, or the division by the inertia, fails by rounding.

    Args:
        inertia: about the centre of mass, kg·m².
        mass: of the body, kg; its radii of gyration must be above `SMALLEST_GYRATION`.
    """
    if not all(map(math.isfinite, inertia)):
        return False
    moments = np.linalg.eigvalsh(np.array(inertia).reshape(3, 3))
    least = max(SMALLEST_MOMENT, SMALLEST_RATIO * moments[2], mass * SMALLEST_GYRATION**2)
    return bool(moments[0] > least)


def turn(a: Point, b: Point, c: Point) -> float:
    """Return twice the area of a triangle; positive if a, b, c turn to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def convex_hull(points: Iterable[Point]) -> list[Point]:
    """Return the corners of the convex hull, counter-clockwise (Andrew's monotone chain, 1979); of collinear
    points the two ends."""
    ordered = sorted(set(points))
    return ordered if len(ordered) < 3 else _chain(ordered) + _chain(ordered[::-1])


def _chain(ordered: Iterable[Point]) -> list[Point]:
    kept: list[Point] = []
    for point in ordered:
        while len(kept) > 1 and turn(kept[-2], kept[-1], point) <= STRAIGHT:
            kept.pop()
        kept.append(point)
    return kept[:-1]
