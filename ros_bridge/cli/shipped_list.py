"""`odesim list`: lists the worlds and controllers shipped with odesim."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ros_bridge.controllers import SHIPPED
from sim_core.base.shipped import CODE, shipped_worlds

_TITLE = re.compile(r"""\bWorldInfo(?: \{)?\s+title[ =](["'])([^\\]*?)\1""")
"""Title of a world as all shipped worlds begin; reading them as scenes would take most of a second."""


def shipped_text() -> str:
    """Return a list of the shipped worlds and controllers as text."""
    worlds = [[name, title_of(path)] for name, path in shipped_worlds().items()]
    controllers = [[name, _first_line(CODE / f"ros_bridge/controllers/{name}.py")] for name in SHIPPED]
    return "\n".join(["worlds", *aligned_rows(worlds), "", "controllers", *aligned_rows(controllers)])


def title_of(world: Path) -> str:
    """Return the title in the WorldInfo of a world file."""
    found = _TITLE.search(world.read_text(encoding="utf-8"))
    if found is not None:
        return found[2]
    from sim_core.scene.loader import world_info_of

    title: str = world_info_of(world)["title"]
    return title


def aligned_rows(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns."""
    table = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def _first_line(module: Path) -> str:
    """Return the first line of a module's docstring without importing the module."""
    text = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return text.splitlines()[0].rstrip(".") if text else ""
