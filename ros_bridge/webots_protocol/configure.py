"""The first answer: description of robot, world and devices, in the order that libController reads."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from ros_bridge.webots_protocol.layout import text
from ros_bridge.webots_protocol.messages import MOTORS
from ros_bridge.webots_protocol.versions import Version

MODES = ("paused", "realtime", "fast")
"""Modes of the simulation, in order of their numbers."""
_DISTANCE_TYPES = {"infra-red": 1, "sonar": 2, "laser": 3}
_TOUCH_TYPES = {"force": 1, "force-3d": 2}
_SERVO = {"linear": "LinearMotor"}


def device_type(about: dict[str, Any]) -> str:
    """Return the node type of a device for controllers; a Servo is a motor."""
    kind = str(about["type"])
    return _SERVO.get(about["fields"].get("type", ""), "RotationalMotor") if kind == "Servo" else kind


def configure_robot(
    world: dict[str, Any], devices: list[dict[str, Any]], version: Version, simulator: str
) -> bytes:
    """Return tag, number and fields of the robot.

    Args:
        world: from `describe.describe`.
        devices: devices described to the controller.
        version: of the client.
        simulator: version of the simulator to report; empty: none.
    """
    robot = world["robot"]
    name = text(robot["name"])
    parts = [struct.pack("<HB", 0, 0)]
    if not version.is_early:
        parts += [name, text(simulator)]
    kinds = len(devices) + 1, version.node_number("Robot")
    parts.append(struct.pack("<BBHHd", robot["supervisor"], robot["synchronization"], *kinds, world["time"]))
    if version.is_early:
        parts.append(name)
    parts += [introduce(each, version) for each in devices]
    parts.append(struct.pack("<d", world["step"]))
    parts += map(text, (world["project"], world["file"], robot["model"], "", "", robot["controller"]))
    parts.append(text(world["custom"]))
    parts.append(struct.pack("<BBi", 0, 0, MODES.index(world["mode"])))
    return b"".join(parts)


def introduce(about: dict[str, Any], version: Version) -> bytes:
    """Return type, name and model of a device."""
    number = version.node_number(device_type(about))
    return struct.pack("<H", number) + text(about["name"]) + text(str(about["fields"].get("model", "")))


def configure_device(about: dict[str, Any], tag: int, tags: dict[int, int], version: Version) -> bytes:
    """Return tag, number and fields of a device; empty: it has none.

    Args:
        about: from `describe.describe_device`.
        tag: its number on the wire.
        tags: wire numbers of all devices, by their numbers in the simulation.
        version: of the client.
    """
    kind = device_type(about)
    fields = about["fields"]
    if kind in MOTORS:
        packed = _motor(about, tags)
    elif kind in ("Camera", "RangeFinder", "Lidar"):
        packed = _picture(about, tag, version)
    elif kind in _CONFIGURE:
        packed = _CONFIGURE[kind](about, fields)
    else:
        return b""
    return struct.pack("<HB", tag, 0) + packed


def _table(fields: dict[str, Any]) -> bytes:
    rows = fields.get("lookupTable", [])
    numbers = [number for row in rows for number in row]
    return struct.pack(f"<i{len(numbers)}d", len(rows), *numbers)


def _integers(numbers: list[int]) -> bytes:
    return struct.pack(f"<i{len(numbers)}i", len(numbers), *numbers)


def _motor(about: dict[str, Any], tags: dict[int, int]) -> bytes:
    fields = about["fields"]
    coupled = [tags[each] for each in about["coupled"] if each in tags]
    limits = (fields["minPosition"], fields["maxPosition"], about["max_velocity"])
    gains = fields.get("controlPID") or (fields.get("controlP", 10.0), 0.0, 0.0)
    return struct.pack(
        f"<i11di{len(coupled)}H",
        device_type(about) == "LinearMotor", *limits, fields.get("acceleration", -1.0), about["max_effort"],
        *gains, about["target"], about["max_velocity"], fields.get("multiplier", 1.0), len(coupled), *coupled,
    )  # fmt: skip


def _picture(about: dict[str, Any], tag: int, version: Version) -> bytes:
    kind, fields = about["type"], about["fields"]
    is_planar = str(fields.get("projection", "planar")).lower() == "planar" and not fields.get("spherical")
    projection = is_planar != version.has_spherical
    if kind == "Camera":
        fov = about["fov"]
        low, high = about.get("zoom", (fov, fov))
        distance, length, nearest, farthest = about.get("focus", (0.0,) * 4)
        return struct.pack(
            "<IHHddBddBBd4d",
            tag, about["width"], about["height"], fov, fields.get("near", 0.01), projection, low, high,
            about["has_recognition"], about["has_segmentation"], about["exposure"],
            length, distance, nearest, farthest,
        )  # fmt: skip
    fov = fields.get("fieldOfView", 0.0)
    if kind == "RangeFinder":
        size = (about["width"], about["height"])
        return struct.pack("<IHHddBd", tag, *size, fov, fields["minRange"], projection, fields["maxRange"])
    if str(fields.get("type", "fixed")).lower() == "rotating":
        fov = 2.0 * math.pi
    columns, layers = about["width"], fields["numberOfLayers"]
    frequency = (fields["defaultFrequency"], fields["minFrequency"], fields["maxFrequency"])
    return struct.pack(
        "<IHHddBdH3ddd",
        tag, columns, layers, fov, fields["minRange"], projection, fields["maxRange"], layers, *frequency,
        fields["verticalFieldOfView"], columns,
    )  # fmt: skip


def _distance_sensor(about: dict[str, Any], fields: dict[str, Any]) -> bytes:
    values = [row[1] for row in fields.get("lookupTable", [])]
    kind = _DISTANCE_TYPES.get(str(fields.get("type", "")).lower(), 0)
    limits = (min(values, default=0.0), max(values, default=math.inf))
    return struct.pack("<iddd", kind, *limits, fields.get("aperture", 0.0)) + _table(fields)


def _touch_sensor(about: dict[str, Any], fields: dict[str, Any]) -> bytes:
    kind = _TOUCH_TYPES.get(str(fields.get("type", "")).lower(), 0)
    return struct.pack("<i", kind) + _table(fields)


def _emitter(about: dict[str, Any], fields: dict[str, Any]) -> bytes:
    """Pack an emitter; its rate is unlimited, because the simulation keeps the queue that clients would."""
    numbers = (fields.get("bufferSize", -1), fields["channel"])
    ranges = (-1.0, fields["range"], fields.get("maxRange", -1.0))
    return struct.pack("<iiddd", *numbers, *ranges) + _integers(fields.get("allowedChannels", []))


def _receiver(about: dict[str, Any], fields: dict[str, Any]) -> bytes:
    numbers = (fields.get("bufferSize", -1), fields["channel"])
    return struct.pack("<ii", *numbers) + _integers(fields.get("allowedChannels", []))


def _radar(about: dict[str, Any], fields: dict[str, Any]) -> bytes:
    names = ("minRange", "maxRange", "horizontalFieldOfView", "verticalFieldOfView")
    return struct.pack("<4d", *(fields[name] for name in names))


def _is_linear(about: dict[str, Any], fields: dict[str, Any]) -> bytes:
    return struct.pack("<i", bool(about.get("is_linear")))


def _with_table(about: dict[str, Any], fields: dict[str, Any]) -> bytes:
    return _table(fields)


_CONFIGURE: dict[str, Callable[[dict[str, Any], dict[str, Any]], bytes]] = {
    "Accelerometer": _with_table,
    "Compass": _with_table,
    "Gyro": _with_table,
    "LightSensor": _with_table,
    "InertialUnit": lambda about, fields: (
        struct.pack("<d", fields.get("noise", 0.0)) + text(about["coordinate_system"])
    ),
    "GPS": lambda about, fields: struct.pack("<i", bool(about["is_geographic"])),
    "TouchSensor": _touch_sensor,
    "DistanceSensor": _distance_sensor,
    "PositionSensor": _is_linear,
    "Brake": _is_linear,
    "Radar": _radar,
    "Microphone": lambda about, fields: struct.pack("<dd", fields["aperture"], fields["sensitivity"]),
    "Connector": lambda about, fields: struct.pack("<B", bool(fields.get("isLocked"))),
    "VacuumGripper": lambda about, fields: struct.pack("<B", bool(fields.get("isOn"))),
    "Emitter": _emitter,
    "Receiver": _receiver,
    "Display": lambda about, fields: struct.pack("<HH", fields["width"], fields["height"]),
}
