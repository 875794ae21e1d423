"""`odesim check`: reads and builds worlds without running them, and says what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ros_bridge.controller_processes import plan
from ros_bridge.world_info import build
from sim_core.errors import ConfigError, OdesimError
from sim_core.scene import load_scene

WORLD_ENDING = ".wbt"


class Findings(NamedTuple):
    """What was found in one world: lines to show."""

    errors: list[str]
    warnings: list[str]


def check(paths: Iterable[str]) -> int:
    """Check files and folders, print errors to stderr, warnings and a summary to stdout.

    Returns:
        How many errors there were.
    """
    worlds = errors = warnings = broken = 0
    for path in paths:
        for file in world_files(Path(path)):
            found = check_world(file)
            for line in found.errors:
                print(line, file=sys.stderr, flush=True)
            for line in found.warnings:
                print(f"warning: {line}")
            worlds += 1
            errors += len(found.errors)
            warnings += len(found.warnings)
            broken += bool(found.errors)
    good = _count(worlds - broken, "good world")
    print(f"{good}, {broken} broken: {_count(errors, 'error')}, {_count(warnings, 'warning')}")
    return errors


def world_files(path: Path) -> Iterator[Path]:
    """The file itself, or all worlds of a folder and those below.

    Raises:
        ConfigError: a folder without worlds.
    """
    if not path.is_dir():
        yield path
        return
    files = sorted(path.rglob(f"*{WORLD_ENDING}"))
    if not files:
        raise ConfigError(f"{path}: found no world, expected files that end in {WORLD_ENDING}")
    yield from files


def check_world(file: Path) -> Findings:
    """Read a world and its parameter file, and build its simulation."""
    warnings: list[str] = []
    try:
        scene = load_scene(file)
        warnings += [str(warning) for warning in scene.warnings]
        sim, _ = build(scene, file)
    except OdesimError as error:
        return Findings(_lines(error), warnings)
    for robot in sim.robots.values():
        warnings += [f"{node.where}: {node.type_name} is not simulated yet" for node in robot.not_simulated]
    try:
        plan(sim.robots.values(), file)
    except ConfigError as error:  # the world may be good and its controllers elsewhere
        warnings += [f"{file}: {line}" for line in _lines(error)]
    return Findings([], warnings)


def _lines(error: OdesimError) -> list[str]:
    return str(error).splitlines()


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
