"""Pack readings as messages to a controller: number and fields, from `controller_api.readings`."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ros_bridge.webots_protocol.layout import text
from ros_bridge.webots_protocol.messages import number_of, pack


def _one(device: str) -> Callable[[Any], bytes]:
    """Return the packer of one number."""
    layout, number = struct.Struct("<Bd"), number_of(device, "reading")
    return lambda value: layout.pack(number, value)


def _several(device: str, first: int, end: int) -> Callable[[Any], bytes]:
    """Return the packer of a part of a list of numbers."""
    layout, number = struct.Struct(f"<B{end - first}d"), number_of(device, "reading")
    return lambda values: layout.pack(number, *values[first:end])


def _touch(value: Any) -> bytes:
    if isinstance(value, list):
        return pack("TouchSensor", "force", value)
    return pack("TouchSensor", "reading", value)


def _radar(targets: Any) -> bytes:
    numbers = [number for each in targets for number in each]
    return struct.pack(f"<Bi{len(numbers)}d", number_of("Radar", "reading"), len(targets), *numbers)


def objects(seen: list[dict[str, Any]]) -> bytes:
    """Pack the objects recognized by a camera."""
    parts = [struct.pack("<Bi", number_of("Camera", "objects"), len(seen))]
    for each in seen:
        colours = each["colors"]
        parts.append(
            struct.pack(
                f"<i9d5i{len(colours)}d",
                each["id"], *each["position"], *each["orientation"], *each["size"],
                *each["position_on_image"], *each["size_on_image"], len(colours) // 3, *colours,
            )
        )  # fmt: skip
        parts.append(text(each["model"]))
    return b"".join(parts)


READINGS: dict[str, Callable[[Any], bytes]] = {
    **{kind: _several(kind, 0, 3) for kind in ("Accelerometer", "Compass", "Gyro")},
    "InertialUnit": _several("InertialUnit", 3, 7),
    "GPS": _several("GPS", 0, 7),
    **{
        kind: _one(kind)
        for kind in (
            "Altimeter", "LightSensor", "DistanceSensor", "PositionSensor", "LinearMotor", "RotationalMotor",
        )
    },
    "TouchSensor": _touch,
    "Radar": _radar,
    "Microphone": lambda values: pack("Microphone", "reading", values[0]),
    "Connector": lambda values: pack("Connector", "reading", values[0]),
    "VacuumGripper": lambda values: pack("VacuumGripper", "reading", values),
}  # fmt: skip
"""Packers of readings that are one message each, by device type."""
