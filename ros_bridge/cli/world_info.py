"""`odesim info`: describes the contents of a world without running it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from ros_bridge.base.installed_ros import ros_is_installed
from ros_bridge.base.terminal import painted
from ros_bridge.cli.shipped_list import aligned_rows
from ros_bridge.control.fields.names import check_fields
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.parameters.parameter_file import Value, world_values
from ros_bridge.parameters.parameters import are_instanced, build_parameters, file_values
from sim_core.base.errors import Mistake
from sim_core.base.shown import shown_in_a_line
from sim_core.devices.drives.ackermann_drive import AckermannDrive
from sim_core.devices.drives.differential_drive import DifferentialDrive, explain_missing_drive
from sim_core.devices.drives.mecanum_drive import MecanumDrive
from sim_core.model.device_spec import device_names
from sim_core.scene import Scene, load_scene
from sim_core.scene.robot_files import add_robot_files
from sim_core.session.robot import NO_CONTROLLER, Robot
from sim_core.session.simulation import Simulation

Description = dict[str, Any]


class Loading(NamedTuple):
    """Options for reading a world.

    Attributes:
        urdf: URDF or xacro files of robots to add to the world.
        download: whether missing files are downloaded.
        strict: whether a world with mistakes or missing PROTO files is refused.
    """

    urdf: Sequence[str] = ()
    download: bool = False
    strict: bool = False


PLAIN = Loading()


def read_world(world: Path, how: Loading, instanced: bool = False) -> Scene:
    """Read a world as `run` does, with robots from URDF or xacro files; mistakes are printed to stderr.

    Raises:
        OdesimError: the world cannot be read.
    """
    is_lenient = not how.strict
    scene = load_scene(
        world, download=how.download, skip_missing=is_lenient, lenient=is_lenient, instanced=instanced
    )
    add_robot_files(scene, how.urdf)
    for each in scene.warnings:
        if isinstance(each, Mistake):
            print(painted(f"warning: {each}", "yellow", sys.stderr), file=sys.stderr)
    return scene


def build(
    scene: Scene,
    world: Path,
    params: Sequence[str | Path] = (),
    layout: str | None = None,
    bridge: str | None = None,
    is_run: bool = False,
) -> tuple[Simulation, BridgeParams]:
    """Return the simulation of a world, and its parameters.

    Args:
        scene: the scene of the world.
        world: the world file; `config/<world>.yaml` beside its folder is read if it exists.
        params: further parameter files; later ones take precedence.
        layout, bridge: override the parameters `layout` and `bridge_file`.
        is_run: whether steps will be made; otherwise PyODE is not needed.

    Raises:
        OdesimError: the world cannot be simulated, or a parameter is invalid.
    """
    values = world_values(scene) + file_values(world, params)
    values += [] if layout is None else [Value(("layout",), layout, "--layout")]
    values += [] if bridge is None else [Value(("bridge_file",), bridge, "--bridge")]
    parameters = build_parameters(values, device_names(scene), [each.name for each in scene.folded])
    config = replace(parameters.simulation, plugins=False)
    if is_run or ode_is_installed():
        sim = Simulation(scene, config)
    else:
        sim = Simulation(scene, replace(config, physics="fast2d"))  # which supports any world
        sim.physics.model.dynamics()  # checks masses and joints
    check_fields(sim, parameters.fields)
    return sim, parameters.bridge


def ode_is_installed() -> bool:
    """Return whether the physics can be built."""
    return any(find_spec(name) is not None for name in ("ode", "odesim_ode"))


def describe_world(
    world: Path,
    params: Sequence[str | Path] = (),
    how: Loading = PLAIN,
    layout: str | None = None,
    bridge_file: str | None = None,
) -> Description:
    """Return robots, devices, topics, services and actions of a world as plain data.

    `topics`, `services` and `actions` are None if ROS is not installed.

    Raises:
        OdesimError: the world cannot be read or simulated, or a parameter is invalid.
    """
    instanced = are_instanced(file_values(world, params))
    scene = read_world(world, how, instanced)
    sim, bridge = build(scene, world, params, layout, bridge_file)
    topics = services = actions = None
    if ros_is_installed():
        from ros_bridge.cli import service_list
        from ros_bridge.interface.interface import describe

        actions = [action._asdict() for action in service_list.actions(bridge)]
        services = [service._asdict() for service in service_list.services(bridge)]
        topics = [topic.row for topic in describe(sim, bridge)]
    return {
        "world": str(world),
        "title": scene.world_info["title"],
        "step": sim.step_ns / 1e9,
        "seed": sim.seed,
        "robots": [_robot(robot) for robot in sim.robots.values()],
        "robots_as_arrays": [each.name for each in scene.folded],
        "topics": topics,
        "services": services,
        "actions": actions,
    }


def as_json(description: Description) -> str:
    """Return a description as JSON; durations are in seconds."""
    return json.dumps(description, indent=2, ensure_ascii=False)


def as_text(description: Description) -> str:
    """Return a description as text."""
    robots, topics = description["robots"], description["topics"] or []
    kinds = ("service", "services"), ("action", "actions")
    served = [(kind, each) for kind, name in kinds for each in description[name] or []]
    count = f"{len(robots)} robot{'' if len(robots) == 1 else 's'}"
    if description["robots_as_arrays"]:
        count += f" and {len(description['robots_as_arrays'])} held as arrays"
    lines = [
        f"{description['world']}: {description['title'] or 'no title'}",
        f"step {description['step'] * 1000:g} ms, seed {description['seed']}, {count}",
    ]
    for robot in robots:
        lines += ["", f"{robot['name']}: {robot['type']}, {_control(robot)}"]
        if robot["drive"]:
            lines.append(f"  {_drive_in_words(robot['drive'])}")
        elif robot["no_drive"]:
            lines.append(
                f"  no drive, so no cmd_vel: {robot['no_drive']}; diff_drive or ackermann names motors"
            )
        lines += [f"  warning: {warning}" for warning in robot["warnings"]]
        lines += aligned_rows([device["name"], device["type"]] for device in robot["devices"])
        lines += [f"  {node['name']}: {node['type']} is not simulated yet" for node in robot["not_simulated"]]
        lines += [
            "",
            *aligned_rows(_topic(topic) for topic in topics if topic["robot"] == robot["name"]),
            *aligned_rows(_served(kind, each) for kind, each in served if each["robot"] == robot["name"]),
        ]
    if description["topics"] is None:
        return _joined([*lines, "", "ROS 2 is not installed here: topics cannot be shown"])
    world = [_topic(topic) for topic in topics if not topic["robot"]]
    of_world = [_served(kind, each) for kind, each in served if not each["robot"]]
    return _joined([*lines, "", "the world", *aligned_rows(world), "", *aligned_rows(of_world)])


def _joined(lines: list[str]) -> str:
    """Return lines as text; line breaks within names are escaped."""
    return "\n".join(shown_in_a_line(line) for line in lines)


def _robot(robot: Robot) -> Description:
    drive = robot.drive
    return {
        "name": robot.name,
        "type": robot.spec.type_name,
        "controller": robot.controller,
        "synchronized": robot.synchronized,
        "control_period": robot.control_period_ns / 1e9,
        "drive": drive and _drive(drive),
        "no_drive": None if drive else explain_missing_drive(robot.devices.values()),
        "devices": [{"name": d.name, "type": d.spec.type_name} for d in robot.devices.values()],
        "warnings": [str(warning) for warning in robot.warnings],
        "not_simulated": [{"name": n["name"], "type": n.type_name} for n in robot.not_simulated],
    }


def _drive(drive: DifferentialDrive) -> Description:
    found: Description = {
        "kind": "skid-steer" if len(drive.left) > 1 else "differential",
        "wheel_radius": drive.wheel_radius,
        "wheel_separation": drive.wheel_separation,
        "left": [wheel.motor.name for wheel in drive.left],
        "right": [wheel.motor.name for wheel in drive.right],
    }
    if isinstance(drive, AckermannDrive):
        steering = [wheel.motor.name for wheel in drive.steered]
        curvature = drive.max_curvature
        found |= {
            "kind": "car",
            "wheelbase": drive.wheelbase,
            "min_radius": 1.0 / curvature if curvature else None,
            "steering": steering,
        }
    elif isinstance(drive, MecanumDrive):
        found |= {"kind": "Mecanum", "wheelbase": drive.wheelbase}
    return found


def _drive_in_words(drive: Description) -> str:
    sides = ", ".join(
        f"{side} {' and '.join(drive[side])}" for side in ("left", "right", "steering") if side in drive
    )
    base = f", wheelbase {drive['wheelbase']:g} m" if "wheelbase" in drive else ""
    if drive.get("min_radius"):
        base += f", smallest radius {drive['min_radius']:.3g} m"
    radius, separation = drive["wheel_radius"], drive["wheel_separation"]
    sizes = f"wheel radius {radius:g} m, separation {separation:g} m{base}"
    return f"{drive['kind']} drive, {sizes}; {sides}"


def _control(robot: Description) -> str:
    if robot["controller"] in NO_CONTROLLER:
        return "no controller"
    period = f"every {robot['control_period'] * 1000:g} ms" if robot["synchronized"] else "free-running"
    return f"controller {robot['controller']}, {'in lock-step ' if robot['synchronized'] else ''}{period}"


def _topic(topic: Description) -> list[str]:
    arrow = {"publish": "out", "subscribe": "in"}[topic["direction"]]
    period = "" if topic["period"] is None else f"{topic['period'] * 1000:g} ms"
    return [topic["name"], arrow, topic["type"], period, topic["frame_id"]]


def _served(kind: str, served: Description) -> list[str]:
    why = f"not served: {served['needs']} is not installed" if served["needs"] else ""
    return [served["name"], kind, served["type"], why]
