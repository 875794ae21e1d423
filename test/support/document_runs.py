"""Worlds and controllers typed from a document, run as a user runs them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from controller_runs import write_controllers
from processes import ODESIM, finished

ROOT = Path(__file__).resolve().parents[2]


class Told(NamedTuple):
    """What a run has said.

    Attributes:
        robots: the lines of each robot's controller.
        lines: all.
    """

    robots: dict[str, list[str]]
    lines: list[str]


def run_document(
    folder: Path, world: str, controllers: Mapping[str, str], duration: float = 10.0, *options: str
) -> Told:
    """Run a world of Webots 6 with its controllers, in a project's folder, until it ends."""
    write_controllers(folder, controllers)
    file = folder / "worlds" / "typed.wbt"
    file.parent.mkdir(exist_ok=True)
    file.write_text("#VRML_SIM V6.0 utf8\n" + world, encoding="utf-8")
    ended = finished(
        *ODESIM, "run", file, "--mode", "fast", "--duration", str(duration), *options, seconds=240.0
    )
    lines = (ended.stdout + ended.stderr).splitlines()
    assert ended.returncode == 0, lines
    said: dict[str, list[str]] = {}
    for line in lines:
        robot, colon, text = line.partition("[odesim]: ")[2].partition(": ")
        if colon:
            said.setdefault(robot, []).append(text)
    return Told(said, lines)
