"""Conversions of rotations for ROS nodes: functions of the package `tf_transformations`, with its names.

If the package is installed, its functions are used; otherwise, as with ROS 2 from PyPI, equal ones based on
`transforms3d`, as the package itself is. A quaternion is (x, y, z, w), as in messages. The angles of the
default axes "sxyz" are roll, pitch and yaw: R = Rz(yaw)·Ry(pitch)·Rx(roll).
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "euler_from_quaternion",
    "euler_matrix",
    "of_message",
    "quaternion_from_euler",
    "quaternion_matrix",
]

try:
    from tf_transformations import (
        euler_from_quaternion,
        euler_matrix,
        quaternion_from_euler,
        quaternion_matrix,
    )
except ModuleNotFoundError:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from transforms3d import euler, quaternions

    def euler_from_quaternion(quaternion: Sequence[float], axes: str = "sxyz") -> tuple[float, float, float]:
        """Return the three angles in rad of a quaternion."""
        x, y, z, w = quaternion
        return tuple(euler.quat2euler((w, x, y, z), axes))

    def quaternion_from_euler(ai: float, aj: float, ak: float, axes: str = "sxyz") -> NDArray[np.float64]:
        """Return the unit quaternion of three angles in rad."""
        w, x, y, z = euler.euler2quat(ai, aj, ak, axes)
        return np.array((x, y, z, w))

    def euler_matrix(ai: float, aj: float, ak: float, axes: str = "sxyz") -> NDArray[np.float64]:
        """Return the 4 × 4 matrix of three angles in rad."""
        return _homogeneous(euler.euler2mat(ai, aj, ak, axes))

    def quaternion_matrix(quaternion: Sequence[float]) -> NDArray[np.float64]:
        """Return the 4 × 4 matrix of a quaternion."""
        x, y, z, w = quaternion
        return _homogeneous(quaternions.quat2mat((w, x, y, z)))

    def _homogeneous(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
        matrix = np.identity(4)
        matrix[:3, :3] = rotation
        return matrix


def of_message(quaternion: Any) -> tuple[float, float, float, float]:
    """Return the four numbers of a geometry_msgs/Quaternion."""
    return quaternion.x, quaternion.y, quaternion.z, quaternion.w
