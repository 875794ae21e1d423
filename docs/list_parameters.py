"""Writes docs/parameters.md: every parameter, from its declaration.

python3 docs/list_parameters.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from ros_bridge.parameters import fleets
from ros_bridge.parameters.bridge_params import DEVICE, GLOBAL, ROBOT
from sim_core.base import config
from sim_core.base.settings import Rule

FILE = ROOT / "docs" / "parameters.md"
HEAD = """# Parameters

This page lists all parameters. [The ROS
interface](ros_interface.md#services-and-parameters-of-the-node) describes where you can set them
and which value wins. `config/odesim.yaml` is an example file. [ros2_control.md](ros2_control.md)
lists the parameters of ros2_control controllers.

Without a default, the value of the world file or of the level above applies. ◆: you can also use
the parameter in a [sweep](experiments.md), as `simulation.NAME`. `docs/list_parameters.py`
creates this page from the declarations (`ros_bridge/parameters/bridge_params.py`,
`sim_core/base/config.py`).
"""


def table(rules: Mapping[str, Rule], swept: Iterable[str] = ()) -> str:
    """The rows of a level; `swept`: the names of those that sweeps know."""
    rows = ["| parameter | unit | default | allowed | meaning |", "|---|---|---|---|---|"]
    for name, rule in rules.items():
        default = "" if rule.default is None else f"`{_shown(rule.default)}`"
        mark = " ◆" if name in swept else ""
        about = rule.about.replace("<", "&lt;")
        rows.append(f"| `{name}`{mark} | {rule.unit} | {default} | {rule.expected()} | {about} |")
    return "\n".join(rows)


def text() -> str:
    """All of docs/parameters.md."""
    drives = {name: rule for rules in config.OF_DRIVES.values() for name, rule in rules.items()}
    parts = {
        "## The node": table(GLOBAL, config.WHOLE),
        "## Only in sweeps": table({name: rule for name, rule in config.WHOLE.items() if name not in GLOBAL}),
        "## Robots: `robots.ROBOT.…`": table(ROBOT, config.ROBOT),
        f"### Drives: {', '.join(f'`robots.ROBOT.{name}.…`' for name in config.DRIVES)}": table(
            drives, drives
        ),
        "## Devices: `robots.ROBOT.DEVICE.…`": table(DEVICE, {**config.DEVICE, **config.FAULTS}),
        "## Fleets: `fleet.NAME.…`": table(fleets.RULES),
    }
    return HEAD + "".join(f"\n{title}\n\n{rows}\n" for title, rows in parts.items())


def _shown(value: object) -> str:
    """A default as a parameter file writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, str):
        return value if value.replace(".", "").isalnum() else f'"{value}"'
    return str(value).lower()


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
