"""`odesim info` and `odesim list`: what a world has, and what comes with odesim, without running anything."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ros_bridge.controllers import SHIPPED
from ros_bridge.field_names import check_fields
from ros_bridge.parameter_file import device_values, read_parameter_file
from ros_bridge.parameters import BridgeParams, build_parameters, world_parameter_file
from ros_bridge.paths import CODE, shipped_worlds
from sim_core.robot import NO_CONTROLLER, Robot, device_nodes, robot_nodes
from sim_core.scene import Scene, load_scene
from sim_core.simulation import Simulation
from sim_core.urdf.spawn import add_urdfs

Description = dict[str, Any]


def build(scene: Scene, world: Path, params: Sequence[str | Path] = ()) -> tuple[Simulation, BridgeParams]:
    """The simulation of a world, of which nothing is run, and what is set about its topics.

    Args:
        scene: the world as read.
        world: its file; `config/<world>.yaml` beside its folder is read if it is there.
        params: more parameter files; a later one wins.

    Raises:
        OdesimError: the world cannot be simulated, or a parameter is wrong.
    """
    own = world_parameter_file(world)
    files = [*([own] if own else []), *params]
    values = device_values(scene) + [value for file in files for value in read_parameter_file(file)]
    devices = {robot["name"]: [node["name"] for node in device_nodes(robot)] for robot in robot_nodes(scene)}
    parameters = build_parameters(values, devices)
    sim = Simulation(scene, replace(parameters.simulation, plugins=False))
    check_fields(sim, parameters.fields)
    return sim, parameters.bridge


def describe_world(
    world: Path,
    params: Sequence[str | Path] = (),
    urdf: Sequence[str] = (),
    *,
    download: bool = False,
    skip_missing: bool = False,
) -> Description:
    """Robots, devices and topics of a world as plain data.

    Raises:
        OdesimError: the world cannot be read or simulated, or a parameter is wrong.
    """
    from ros_bridge.interface import describe  # the only part that needs the ROS messages

    scene = load_scene(world, download=download, skip_missing=skip_missing)
    add_urdfs(scene, urdf)
    sim, bridge = build(scene, world, params)
    return {
        "world": str(world),
        "title": scene.world_info["title"],
        "step": sim.step_ns / 1e9,
        "seed": sim.seed,
        "robots": [_robot(robot) for robot in sim.robots.values()],
        "topics": [topic._asdict() for topic in describe(sim, bridge)],
    }


def as_json(description: Description) -> str:
    """For programs; lengths of time are in seconds."""
    return json.dumps(description, indent=2, ensure_ascii=False)


def as_text(description: Description) -> str:
    """For people."""
    robots = description["robots"]
    count = f"{len(robots)} robot{'' if len(robots) == 1 else 's'}"
    lines = [
        f"{description['world']}: {description['title'] or 'no title'}",
        f"step {description['step'] * 1000:g} ms, seed {description['seed']}, {count}",
    ]
    for robot in robots:
        lines += ["", f"{robot['name']}: {robot['type']}, {_control(robot)}"]
        if robot["drive"]:
            radius, separation = robot["drive"].values()
            lines.append(f"  differential drive, wheel radius {radius:g} m, separation {separation:g} m")
        lines += [f"  warning: {warning}" for warning in robot["warnings"]]
        lines += _indented([device["name"], device["type"]] for device in robot["devices"])
        lines += [f"  {node['name']}: {node['type']} is not simulated yet" for node in robot["not_simulated"]]
        lines += [
            "",
            *_indented(_topic(topic) for topic in description["topics"] if topic["robot"] == robot["name"]),
        ]
    world = [_topic(topic) for topic in description["topics"] if not topic["robot"]]
    return "\n".join([*lines, "", "the world", *_indented(world)])


def shipped_text() -> str:
    """The worlds and controllers that come with odesim."""
    worlds = [[name, load_scene(path).world_info["title"]] for name, path in shipped_worlds().items()]
    controllers = [[name, _first_line(CODE / f"ros_bridge/controllers/{name}.py")] for name in SHIPPED]
    return "\n".join(["worlds", *_indented(worlds), "", "controllers", *_indented(controllers)])


def _robot(robot: Robot) -> Description:
    drive = robot.drive
    return {
        "name": robot.name,
        "type": robot.node.type_name,
        "controller": robot.controller,
        "synchronized": robot.synchronized,
        "control_period": robot.control_period_ns / 1e9,
        "drive": drive and {"wheel_radius": drive.wheel_radius, "wheel_separation": drive.wheel_separation},
        "devices": [{"name": d.name, "type": d.node.type_name} for d in robot.devices.values()],
        "warnings": [str(warning) for warning in robot.warnings],
        "not_simulated": [{"name": n["name"], "type": n.type_name} for n in robot.not_simulated],
    }


def _control(robot: Description) -> str:
    if robot["controller"] in NO_CONTROLLER:
        return "no controller"
    period = f"every {robot['control_period'] * 1000:g} ms" if robot["synchronized"] else "free-running"
    return f"controller {robot['controller']}, {'in lock-step ' if robot['synchronized'] else ''}{period}"


def _topic(topic: Description) -> list[str]:
    arrow = {"publish": "out", "subscribe": "in"}[topic["direction"]]
    period = "" if topic["period"] is None else f"{topic['period'] * 1000:g} ms"
    return [topic["name"], arrow, topic["type"], period, topic["frame_id"]]


def _indented(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows as lines with columns of equal width."""
    table = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def _first_line(module: Path) -> str:
    """The first line of a module's docstring, without importing it."""
    text = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return text.splitlines()[0].rstrip(".") if text else ""
