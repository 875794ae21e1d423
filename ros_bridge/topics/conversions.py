"""From the simulator's plain tuples to ROS messages: pure functions that fill a given message.

Messages are filled in place because making one costs more than sending it. Quaternions are (x, y, z, w)
and times integer nanoseconds on both sides.
"""

from __future__ import annotations

import math
from functools import cache
from importlib import import_module
from typing import Any

from sim_core.base.clock import NANOSECONDS
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import Pose, Quaternion, Vec3, quaternion_from_rotation

UNKNOWN_COVARIANCE = -1.0
"""First element of a covariance whose quantity is not measured (sensor_msgs/Imu)."""


def fill_time(message: Any, time_ns: int) -> None:
    """Fill a builtin_interfaces/Time."""
    message.sec, message.nanosec = divmod(time_ns, NANOSECONDS)


def time_of(message: Any) -> int:
    """Nanoseconds of a builtin_interfaces/Time."""
    return int(message.sec) * NANOSECONDS + int(message.nanosec)


def fill_value(message: Any, reading: Any) -> None:
    """Fill a message of std_msgs with the value of a reading."""
    message.data = reading.value


def fill_detected(message: Any, reading: Any) -> None:
    """Fill a sensor_msgs/Range of a detector that knows no distance: -inf is something, inf is nothing.

    Its least and greatest range are the same, here 0, as the message and REP-117 have it.
    """
    message.range = -math.inf if reading.value else math.inf


def fill_data(field: str, message: Any, reading: Any) -> None:
    """Fill a message of std_msgs with a field of a reading."""
    message.data = getattr(reading, field)


def fill_part(part: str, field: str, message: Any, reading: Any) -> None:
    """Fill the geometry_msgs/Vector3 or Point that is a part of a message with a field of a reading."""
    fill_vector(getattr(message, part), getattr(reading, field))


def fill_vector(message: Any, vector: Vec3) -> None:
    """Fill a geometry_msgs/Vector3 or Point."""
    message.x, message.y, message.z = vector


def fill_quaternion(message: Any, quaternion: Quaternion) -> None:
    """Fill a geometry_msgs/Quaternion."""
    message.x, message.y, message.z, message.w = quaternion


def fill_pose(message: Any, pose: Pose) -> None:
    """Fill a geometry_msgs/Pose."""
    fill_vector(message.position, pose.position)
    fill_quaternion(message.orientation, quaternion_from_rotation(pose.rotation))


def type_name(message_type: type) -> str:
    """`sensor_msgs/msg/Range` for the class of that message."""
    package, kind = message_type.__module__.split(".")[:2]
    return f"{package}/{kind}/{message_type.__name__}"


def full_type(name: str) -> str:
    """`geometry_msgs/msg/Twist`, also for `geometry_msgs/Twist`.

    Raises:
        ConfigError: it is neither.
    """
    parts = name.split("/")
    if len(parts) == 2:
        parts.insert(1, "msg")
    if len(parts) != 3 or not all(parts):
        raise ConfigError(f'found the type "{name}", expected one such as geometry_msgs/msg/Twist')
    return "/".join(parts)


def message_class(type_name: str) -> Any:
    """The class of `sensor_msgs/msg/Range`.

    Raises:
        ImportError, AttributeError: its package is not installed, or has no such message.
    """
    package, folder, kind = type_name.split("/")
    return getattr(import_module(f"{package}.{folder}"), kind)


@cache
def messages_of(package: str) -> Any:
    """The module with the messages of a package that may be missing; None: it is.

    Folders of its name, such as its sources in a workspace, can be imported too, and hold nothing.
    """
    try:
        module = import_module(f"{package}.msg")
    except ImportError:
        return None
    return module if getattr(module, "__file__", None) else None


def has_header(message_type: type) -> bool:
    """Whether messages of this type carry a stamp and a frame."""
    fields: dict[str, str] = message_type.get_fields_and_field_types()  # type: ignore[attr-defined]
    return fields.get("header") == "std_msgs/Header"
