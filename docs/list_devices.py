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

Made by `docs/list_devices.py` from what the devices declare (`sim_core/devices`): the values of a reading,
and the commands. By what formulas they work is in [sensors.md](sensors.md) and [actuators.md](actuators.md),
their topics are in [ros_interface.md](ros_interface.md).

- Values: how many numbers (a name where the device's fields decide), their unit, whose axes a vector is in,
  and limits. A lookup table's unit is not known.
- ±: the errors of [faults](faults.md) are added; (±): if `fault_fields` name the value.
- Commands are methods of the device in Python. †: faults meet the command. What stands in brackets there
  need not be given.

| node | value | commands |
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
