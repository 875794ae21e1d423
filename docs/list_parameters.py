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

Made by `docs/list_parameters.py` from the declarations (`ros_bridge/parameters/bridge_params.py`,
`sim_core/base/config.py`). Where they may stand, and which one wins, is in
[ros_interface.md](ros_interface.md#services-and-parameters-of-the-node); `config/odesim.yaml` is a file of
them to copy from. Those of ros2_control's controllers are in [ros2_control.md](ros2_control.md). Without a
default: as the world's file or the level above says. ◆: a [sweep](experiments.md) has it as
`simulation.NAME`, too.
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
        "## Of the node": table(GLOBAL, config.WHOLE),
        "## Of sweeps alone": table(
            {name: rule for name, rule in config.WHOLE.items() if name not in GLOBAL}
        ),
        "## Of a robot: `robots.ROBOT.…`": table(ROBOT, config.ROBOT),
        f"### How it drives: {', '.join(f'`robots.ROBOT.{name}.…`' for name in config.DRIVES)}": table(
            drives, drives
        ),
        "## Of a device: `robots.ROBOT.DEVICE.…`": table(DEVICE, {**config.DEVICE, **config.FAULTS}),
        "## Of a fleet: `fleet.NAME.…`": table(fleets.RULES),
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
