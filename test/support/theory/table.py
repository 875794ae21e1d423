"""The table "Against theory" of docs/physics.md: its rows, and what measures each of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from theory import contacts, joints

STEPS = (1.0, 8.0, 32.0)
"""Basic time steps of the table's columns, ms."""
CASES: dict[str, Callable[[float], float]] = {
    "free fall, way": contacts.free_fall,
    "free fall, speed": contacts.speed_of_fall,
    "slope": contacts.slope,
    "slip angle": contacts.slip_angle,
    "sliding distance": contacts.sliding_distance,
    "rolling ball": contacts.rolling,
    "belt": contacts.belt,
    "bounce": contacts.bounce,
    "bounce 0": contacts.no_bounce,
    "Newton's cradle": joints.cradle,
    "Newton's cradle, balls in touch": joints.touching_cradle,
    "stack of ten": contacts.stack,
    "buoyancy, draught": contacts.draught,
    "buoyancy, period": contacts.heave,
    "pendulum": joints.pendulum,
    "double pendulum": joints.double_pendulum,
    "double pendulum, ERP 0.8": joints.stiff_double_pendulum,
    "spring and damper": joints.spring,
    "motor that lifts": joints.lifting,
    "motor that holds": joints.holding,
}
"""By the name of its row; each takes a basic time step in ms and gives the error in the row's unit."""

_PAGE = Path(__file__).resolve().parents[3] / "docs" / "physics.md"
_ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \| ([0-9.]+) \| ([0-9.]+) \| ([0-9.]+) (?:%|mm|°) \|", re.MULTILINE)


@cache
def bounds() -> dict[str, tuple[float, ...]]:
    """By row: the largest error at each of `STEPS`."""
    _, _, section = _PAGE.read_text(encoding="utf-8").partition("\n## Against theory\n")
    return {
        name: tuple(map(float, numbers)) for name, *numbers in _ROW.findall(section.partition("\n## ")[0])
    }
