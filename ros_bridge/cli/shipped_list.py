"""`odesim list`: lists the worlds and controllers shipped with odesim."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from pathlib import Path

from ros_bridge.controllers import SHIPPED
from sim_core.base.shipped import CODE, shipped_worlds
from sim_core.scene.loader import world_info_of


def shipped_text() -> str:
    """Return a list of the shipped worlds and controllers as text."""
    worlds = [[name, world_info_of(path)["title"]] for name, path in shipped_worlds().items()]
    controllers = [[name, _first_line(CODE / f"ros_bridge/controllers/{name}.py")] for name in SHIPPED]
    return "\n".join(["worlds", *indented(worlds), "", "controllers", *indented(controllers)])


def indented(rows: Iterable[Sequence[str]]) -> list[str]:
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
