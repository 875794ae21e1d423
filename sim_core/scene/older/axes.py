"""Changes of basis between axis conventions: rotations that only swap axes and turn signs.

A basis takes the coordinates of the old frame to those of the new one. Where a frame of basis P holds one
of basis B, the pose (R, t) of the inner one becomes (P·R·Bᵀ, P·t): nothing moves, only the axes have new
names.
"""

from __future__ import annotations

from sim_core.base.geometry import (
    IDENTITY,
    AxisAngle,
    Mat3,
    Vec3,
    axis_angle_from_rotation,
    cross,
    multiply,
    rotate,
    rotation_from_axis_angle,
    transposed,
)

KEEP: Mat3 = IDENTITY
NUE_TO_ENU: Mat3 = (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
"""(x, y, z) → (z, x, y). Also what faces +z with y up, such as an old Emitter, to FLU."""
RUB_TO_FLU: Mat3 = (0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
"""(x, y, z) → (-z, -x, y): what faces -z with y up, such as an old robot or camera."""
Y_TO_Z: Mat3 = (1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0)
"""(x, y, z) → (x, -z, y): what faces +x with y up."""
BACK_TO_FORWARD: Mat3 = NUE_TO_ENU

Y_AXIS, Z_AXIS = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
AXES: tuple[Vec3, ...] = ((1.0, 0.0, 0.0), Y_AXIS, Z_AXIS)
_TINY = 1e-12


def world_basis(up: Vec3, north: Vec3) -> Mat3:
    """The basis to ENU of a world with these unit vectors, which are at right angles."""
    return (*cross(north, up), *north, *up)


def turned(basis: Mat3, vector: Vec3) -> Vec3:
    """A vector in the new coordinates, without negative zeros."""
    x, y, z = rotate(basis, vector)
    return (x + 0.0, y + 0.0, z + 0.0)


def swapped(basis: Mat3, sizes: Vec3) -> Vec3:
    """Sizes along the axes, in the order of the new axes."""
    x, y, z = rotate(_unsigned(basis), sizes)
    return (x, y, z)


def turned_rotation(parent: Mat3, rotation: AxisAngle, own: Mat3) -> AxisAngle:
    """The rotation field of a frame; the axis is kept for a rotation by nothing, where a Servo reads it."""
    if parent == own:
        return (*turned(parent, rotation[:3]), rotation[3])
    matrix = multiply(multiply(parent, rotation_from_axis_angle(rotation)), transposed(own))
    x, y, z, angle = axis_angle_from_rotation(matrix)
    return (_neat(x), _neat(y), _neat(z), angle)


def turned_inertia(basis: Mat3, rows: list[Vec3]) -> list[Vec3]:
    """An inertia matrix, given and returned as [(Ixx, Iyy, Izz), (Ixy, Ixz, Iyz)]."""
    (xx, yy, zz), (xy, xz, yz) = rows
    m = multiply(multiply(basis, (xx, xy, xz, xy, yy, yz, xz, yz, zz)), transposed(basis))
    return [(m[0] + 0.0, m[4] + 0.0, m[8] + 0.0), (m[1] + 0.0, m[2] + 0.0, m[5] + 0.0)]


def _unsigned(basis: Mat3) -> Mat3:
    return tuple(abs(value) for value in basis)  # type: ignore[return-value]


def _neat(value: float) -> float:
    """A component of an axis without the rounding of a 0, 1 or -1."""
    nearest = float(round(value))
    return nearest + 0.0 if abs(value - nearest) < _TINY else value
