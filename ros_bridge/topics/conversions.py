"""Convert the simulator's tuples to ROS messages: pure functions that fill a given message.

Messages are filled in place, because creating one costs more than sending it. Quaternions are (x, y, z, w)
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
    """Return the nanoseconds of a builtin_interfaces/Time."""
    return int(message.sec) * NANOSECONDS + int(message.nanosec)


def fill_value(message: Any, reading: Any) -> None:
    """Fill a std_msgs message with the value of a reading."""
    message.data = reading.value


def fill_detected(message: Any, reading: Any) -> None:
    """Fill a sensor_msgs/Range of a detector without distance: -inf: something detected, inf: nothing.

    Minimum and maximum range are equal, here 0, as the message definition and REP-117 require.
    """
    message.range = -math.inf if reading.value else math.inf


def fill_data(field: str, message: Any, reading: Any) -> None:
    """Fill a std_msgs message with a field of a reading."""
    message.data = getattr(reading, field)


def fill_part(part: str, field: str, message: Any, reading: Any) -> None:
    """Fill a geometry_msgs/Vector3 or Point inside a message with a field of a reading."""
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
    """Return the name of a message class, such as `sensor_msgs/msg/Range`."""
    package, kind = message_type.__module__.split(".")[:2]
    return f"{package}/{kind}/{message_type.__name__}"


def full_type(name: str) -> str:
    """Return the full name `geometry_msgs/msg/Twist` of that or of `geometry_msgs/Twist`.

    Raises:
        ConfigError: the name has neither form.
    """
    parts = name.split("/")
    if len(parts) == 2:
        parts.insert(1, "msg")
    if len(parts) != 3 or not all(parts):
        raise ConfigError(f'found the type "{name}", expected one such as geometry_msgs/msg/Twist')
    return "/".join(parts)


def message_class(type_name: str) -> Any:
    """Return the class of a type such as `sensor_msgs/msg/Range`.

    Raises:
        ImportError, AttributeError: its package is not installed, or does not contain the message.
    """
    package, folder, kind = type_name.split("/")
    return getattr(import_module(f"{package}.{folder}"), kind)


@cache
def messages_of(package: str) -> Any:
    """Return the module with a package's messages; None: the package is not installed.

    Folders of the same name, such as its sources in a workspace, can also be imported, but are empty.
    """
    try:
        module = import_module(f"{package}.msg")
    except ImportError:
        return None
    return module if getattr(module, "__file__", None) else None


def has_header(message_type: type) -> bool:
    """Return whether messages of this type have a header with stamp and frame."""
    fields: dict[str, str] = message_type.get_fields_and_field_types()  # type: ignore[attr-defined]
    return fields.get("header") == "std_msgs/Header"
