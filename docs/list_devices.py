"""Writes docs/devices.md: what every device measures, and what it can be told.

python3 docs/list_devices.py
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sim_core.devices import DEVICES, Sensor, class_in
from sim_core.devices.channels import Channel, Errors
from sim_core.devices.commands import Argument, CommandSpec

FILE = ROOT / "docs" / "devices.md"
HEAD = """# Devices

This page lists all devices with the values of a reading and the commands. [Sensors](sensors.md)
and [actuators](actuators.md) describe the formulas, [the ROS interface](ros_interface.md) the
topics. `docs/list_devices.py` creates this page from the declarations in `sim_core/devices`.

- Values: the number of elements (a name if it depends on fields of the device), the unit, the
  axes of a vector, and the limits. The unit of a lookup table is unknown.
- ±: the errors of [faults](faults.md) apply; (±): they apply if `fault_fields` contains the
  value.
- Commands are methods of the device in Python. †: faults apply to the command. Arguments in
  brackets are optional.

| node | values | commands |
|---|---|---|
"""
MARKS = {Errors.ADDED: " ±", Errors.ROTATED: " ±", Errors.IF_NAMED: " (±)", Errors.REFUSED: ""}


def described(name: str, channel: Channel) -> str:
    """`speed (m/s) (±)`."""
    size = "×".join(map(str, channel.shape))
    kind = {"object": "records" if channel.shape else "a record", "bool": "true or false"}.get(
        channel.dtype, ""
    )
    axes = f"{channel.frame} axes" if channel.frame else ""
    limits = ""
    if kind == "" and (math.isfinite(channel.low) or math.isfinite(channel.high)):
        limits = (
            f"{channel.low:g} to {channel.high:g}" if channel.high < math.inf else f"{channel.low:g} or more"
        )
    details = ", ".join(filter(None, (size, kind, channel.unit, axes, limits)))
    return f"`{name}`{f' ({details})' if details else ''}{MARKS[channel.errors]}"


def told(spec: CommandSpec) -> str:
    """`set_position(position rad or m, [velocity rad/s or m/s])` and its mark."""
    arguments = ", ".join(_argument(name, each) for name, each in spec.arguments.items())
    return f"`{spec.name}({arguments})`{' †' if spec.meets_faults else ''}"


def text() -> str:
    """All of docs/devices.md."""
    rows = []
    for node, module in DEVICES.items():
        kind = class_in(module)
        channels = kind.channels.items() if issubclass(kind, Sensor) else ()
        values = ", ".join(described(name, channel) for name, channel in channels)
        commands = ", ".join(told(spec) for spec in kind.commands.values())
        rows.append(f"| {node} | {values or '–'} | {commands or '–'} |")
    return HEAD + "\n".join(rows) + "\n"


def _argument(name: str, argument: Argument) -> str:
    whole = f"{name} {argument.unit}".strip()
    return f"[{whole}]" if argument.optional else whole


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
