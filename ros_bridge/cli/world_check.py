"""`odesim check`: reads and builds worlds without running them, and reports mistakes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ros_bridge.base.installed_ros import ros_is_installed
from ros_bridge.base.terminal import painted
from ros_bridge.cli.world_info import PLAIN, Loading, build, ode_is_installed
from ros_bridge.processes.controller_plans import plan
from sim_core.base.errors import ConfigError, Mistake, OdesimError, SceneError
from sim_core.base.shipped import WORLD_ENDINGS, find_world, worlds_below
from sim_core.base.shown import shown_in_a_line
from sim_core.model.geometry_nodes import broken_files
from sim_core.scene import Scene, load_scene, parse_scene
from sim_core.scene.assets import PROTO_ENDING, Assets
from sim_core.scene.resets import reset_values
from sim_core.scene.robot_files import add_robot_files

COLUMNS = ("file", "nodes", "PROTO", "errors", "warnings", "not simulated")


@dataclass
class Findings:
    """Findings in a file: errors, warnings and statistics."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    nodes: int = 0
    protos: Sequence[str] = ()
    """Names of the PROTOs with instances."""
    not_simulated: Counter[str] = field(default_factory=Counter)
    """Types of nodes that are read but not simulated, with their numbers."""

    def extend(self, warnings: Iterable[SceneError]) -> None:
        """Add warnings of a world; mistakes with which a run continues count as errors here."""
        for each in warnings:
            (self.errors if isinstance(each, Mistake) else self.warnings).append(str(each))


def check(paths: Iterable[str], how: Loading) -> int:
    """Check files and folders, print errors to stderr, warnings, a table and a summary to stdout.

    Without ROS the topics of the worlds are not checked, and a line says so.

    Args:
        paths: files and folders.
        how: how the worlds are read.

    Returns:
        The number of errors.
    """
    found: dict[Path, Findings] = {}
    for path in paths:
        for file in scene_files(Path(path)):
            findings = found[file] = check_file(file, how)
            for line in findings.errors:
                print(painted(shown_in_a_line(line), "red", sys.stderr), file=sys.stderr, flush=True)
            for line in findings.warnings:
                print(painted(f"warning: {shown_in_a_line(line)}", "yellow"), flush=True)
    if len(found) > 1:
        print(table(found))
    errors = sum(len(each.errors) for each in found.values())
    warnings = sum(len(each.warnings) for each in found.values())
    broken = sum(bool(each.errors) for each in found.values())
    if not ros_is_installed():
        print("ROS 2 is not installed here: topics have not been checked")
    if not ode_is_installed():
        print("PyODE is not installed here: the physics has not been built")
    good = _count(len(found) - broken, "good file")
    last = f"{good}, {broken} broken: {_count(errors, 'error')}, {_count(warnings, 'warning')}"
    print(painted(last, "red" if errors else "yellow" if warnings else "green"))
    return errors


def table(found: dict[Path, Findings]) -> str:
    """Return a table with a row for each file."""
    rows = [list(COLUMNS)]
    for file, each in found.items():
        missing = ", ".join(f"{count} {name}" for name, count in sorted(each.not_simulated.items()))
        numbers = (each.nodes, len(each.protos), len(each.errors), len(each.warnings))
        rows.append([str(file), *map(str, numbers), missing or "-"])
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:5], widths[1:5], strict=True)]
        lines.append("  ".join([*cells, row[5]]))
    return "\n".join(lines)


def scene_files(path: Path) -> Iterator[Path]:
    """Return the file itself, or all world and PROTO files of a folder and its subfolders.

    Raises:
        ConfigError: the folder contains none.
    """
    if not path.is_dir():
        yield path
        return
    files = sorted([*worlds_below(path), *path.rglob(f"*{PROTO_ENDING}")])
    if not files:
        endings = f"{', '.join(WORLD_ENDINGS)} or {PROTO_ENDING}"
        raise ConfigError(f"{path}: found no world, expected files that end in {endings}")
    yield from files


def check_file(file: Path, how: Loading = PLAIN) -> Findings:
    """Read a world and its parameter file and build its simulation; for a PROTO file, make an instance."""
    found = Findings()
    try:
        file = find_world(str(file))
        if file.suffix == PROTO_ENDING:
            scene = _instance(file, how)
        else:
            scene = load_scene(file, download=how.download)
            add_robot_files(scene, how.urdf)
        _count_nodes(scene, found)
        if file.suffix != PROTO_ENDING:
            _build(scene, file, found)
    except OdesimError as error:
        found.errors += str(error).splitlines()
    return found


def _instance(file: Path, how: Loading) -> Scene:
    """Return a scene with an instance of a PROTO with default parameters."""
    text = f'#VRML_SIM R2025a utf8\nEXTERNPROTO "{file.resolve()}"\n{file.stem} {{ }}\n'
    return parse_scene(text, str(file), Assets.for_world(file, how.download))


def _count_nodes(scene: Scene, found: Findings) -> None:
    if not scene.is_lenient:  # from here on, all mistakes are collected
        scene.is_lenient = True
        reset_values(scene.walk(), scene.warnings)
    found.extend([*scene.warnings, *broken_files(scene)])
    instances = set()
    for node in scene.walk():
        found.nodes += 1
        if node.proto is not None:
            instances.add(node.proto.node_type.name)
    found.protos = sorted(instances)


def _build(scene: Scene, file: Path, found: Findings) -> None:
    read = len(scene.warnings)
    sim, bridge = build(scene, file)
    found.extend(scene.warnings[read:])
    if ros_is_installed():
        from ros_bridge.interface.interface import build_topics

        build_topics(sim, bridge, warn=found.warnings.append)
    for robot in sim.robots.values():
        found.extend(robot.warnings)
        for node in robot.not_simulated:
            found.not_simulated[node.type_name] += 1
            found.warnings.append(f"{node.where}: {node.type_name} is not simulated yet")
    if ode_is_installed():
        found.extend(sim.physics.warnings)
    plan(sim.robots.values(), file, lambda line: found.warnings.append(f"{file}: {line}"))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
