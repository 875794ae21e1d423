"""Checks of a spec that need its worlds and the user's modules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sim_core.base.config import DRIVES, make_config
from sim_core.base.errors import ConfigError, OdesimError, hint
from sim_core.base.trust import DecideTrust, trust_issues_of_modules
from sim_core.experiments.sweep.metrics import check_metric
from sim_core.experiments.sweep.spec import CONTROLLER, IN_PROCESS, SIMULATION, Spec
from sim_core.experiments.sweep.user_code import check_call, find_code, with_seed
from sim_core.experiments.sweep.yaml_lines import KeyPath, YamlWithLines
from sim_core.scene import Scene, load_scene
from sim_core.scene.by_name import changed_fields


def check_spec(spec: Spec, yaml: YamlWithLines, decide_trust: DecideTrust) -> None:
    """Check the names of parameters, robots and metrics in each world, and the calls of the user's code.

    `decide_trust` decides whether worlds and modules may run, before the first module is imported.

    Raises:
        ConfigError: one line with file, line, what was found and what was expected; or a file is not trusted.
        SceneError, SceneErrors: a world cannot be read.
    """
    _check_names(spec, yaml)
    if any(name and ":" in name for name in (spec.job.controller, spec.job.run, *spec.job.metrics)):
        decide_trust(trust_issues_of_modules(spec.file))
    for name, file in spec.worlds.items():
        scene = load_scene(file)
        decide_trust(
            scene.trust_issues_of_plugin() if spec.job.runner == IN_PROCESS else scene.trust_issues()
        )
        _check_world(spec, yaml, name, scene)
    _check_code(spec, yaml)


def _values(spec: Spec) -> list[tuple[KeyPath, str, list[Any]]]:
    """Return the position of each parameter in the file, its name, and values to check its type."""
    found: list[tuple[KeyPath, str, list[Any]]] = []
    found += [(("fixed", name), name, [value]) for name, value in spec.fixed.items()]
    found += [(("grid", name), name, list(values)) for name, values in spec.grid.items()]
    for name, each in spec.sample.ranges.items() if spec.sample else ():
        ends = [each.value(np.full(each.dimensions, at)) for at in (0.0, 1.0 - 1e-12)]
        found.append((("sample", "parameters", name), name, list(each.choices) or ends))
    return found


def _check_names(spec: Spec, yaml: YamlWithLines) -> None:
    seen: set[str] = set()
    for key_path, name, _ in _values(spec):
        if name in seen:
            yaml.refuse(key_path, f'"{name}" a second time', "it in one of fixed, grid and sample")
        seen.add(name)
        if name in ("world", "seed", "simulation.seed"):
            yaml.refuse(key_path, f'"{name}"', "worlds: and seeds: at the top")
        if "." not in name:
            expected = "controller.NAME, simulation.NAME or the field of a node: DEF.FIELD"
            yaml.refuse(key_path, f'"{name}"', expected)


def _check_world(spec: Spec, yaml: YamlWithLines, world: str, scene: Scene) -> None:
    devices = {
        robot["name"]: [node["name"] for node in robot.walk() if node.is_a("Device")]
        for robot in scene.walk()
        if robot.is_a("Robot")
    }
    for key_path, name, values in _values(spec):
        for value in values:
            try:
                if name.startswith(SIMULATION):
                    path = tuple(name.removeprefix(SIMULATION).split("."))
                    is_drive = len(path) == 4 and path[2] in DRIVES  # not checked alone
                    config = make_config(0, {path: value}) if not is_drive else None
                    for robot, own in (config.robots if config else {}).items():
                        _check_known(robot, list(devices), "robot")
                        for device in own.devices:
                            _check_known(device, devices[robot], f"device of {robot}")
                elif not name.startswith(CONTROLLER):
                    with changed_fields(scene, {name: value}):
                        pass
            except OdesimError as error:
                raise ConfigError(f"{yaml.place_of(key_path)}: {error}") from None
    for index, robot in enumerate(spec.job.robots):
        if robot not in devices:
            yaml.refuse(("robots", index), f'"{robot}"', f"a robot of {world}: {', '.join(devices)}")
    for index, metric in enumerate(spec.job.metrics):
        try:
            check_metric(metric, devices, Path(spec.job.folder))
        except OdesimError as error:
            raise ConfigError(f"{yaml.place_of(('metrics', index))}: {error}") from None


def _check_code(spec: Spec, yaml: YamlWithLines) -> None:
    given = {name.removeprefix(CONTROLLER): values[0] for _, name, values in _values(spec)
             if name.startswith(CONTROLLER)}  # fmt: skip
    key = "run" if spec.job.run else "controller"
    code = spec.job.run or spec.job.controller
    if code is None:
        for key_path, name, _ in _values(spec):
            if name.startswith(CONTROLLER):
                yaml.refuse(key_path, f'"{name}"', "a controller: or run: that takes it")
        return
    try:
        found = find_code(code, Path(spec.job.folder))
        is_class = isinstance(found, type)
        check_call(code, found, 1 if spec.job.run or is_class else 2, with_seed(found, given, 0))
    except OdesimError as error:
        raise ConfigError(f"{yaml.place_of((key,))}: {error}") from None


def _check_known(name: str, known: list[str], what: str) -> None:
    if name not in known:
        raise ConfigError(f'found no {what} "{name}", expected one of {", ".join(known)}{hint(name, known)}')
