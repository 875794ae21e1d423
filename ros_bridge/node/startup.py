"""What is read, decided and said before the first step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ros_bridge.base.installed_ros import ROS_ARGS
from ros_bridge.base.log import Log
from ros_bridge.parameters.controllers import unknown_types
from ros_bridge.parameters.options import RunOptions
from ros_bridge.parameters.parameter_file import (
    NODE_NAME,
    OF_RCLPY,
    Value,
    namespace_of,
    read_parameter_file,
    values_from_overrides,
    world_values,
)
from ros_bridge.parameters.parameters import (
    Parameters,
    are_instanced,
    build_parameters,
    file_values,
    option_values,
    world_parameter_file,
)
from ros_bridge.processes.controller_processes import ALLOW
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.base.trust import NO_PLUGIN, permission_of_urdf
from sim_core.base.yaml_nodes import read_yaml
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.devices.vision.pictures import Pictures
from sim_core.model.device_spec import device_names
from sim_core.scene import Scene
from sim_core.scene.robot_files import add_robot_files
from sim_core.session.lockstep import LockStep
from sim_core.session.robot import EXTERN_CONTROLLER, NO_CONTROLLER
from sim_core.session.simulation import Simulation

if TYPE_CHECKING:
    from ros_bridge.interface.interface import WorldTopics


def add_robots(scene: Scene, options: RunOptions) -> None:
    """Put the robots of the URDF files of a run into its world, with those plugins that may drive them.

    Raises:
        SceneErrors, ConfigError: a file, or where its robot is to be, is wrong.
    """
    add_robot_files(scene, options.urdf)
    scene.plugins = [each for each in scene.plugins if permission_of_urdf(each.file) is not None]


def is_instanced(options: RunOptions) -> bool:
    """Whether equal robots of a run are held as arrays, from what can be read before there is a node.

    Raises:
        ConfigError: a parameter file cannot be read.
    """
    words = [word.partition(":=")[2] for word in options.ros_args if word.startswith("instanced:=")]
    where = f"{ROS_ARGS}:instanced"
    told = [Value(("instanced",), read_yaml(word, where), where) for word in words]
    namespace = namespace_of(options.ros_args)
    return are_instanced([*file_values(options.world, options.params, namespace), *told])


def read_parameters(node: Any, scene: Scene, options: RunOptions) -> Parameters:
    """All parameters of a run, from files, `--ros-args` and options.

    Raises:
        ConfigError: one of them is wrong.
        SceneErrors: two robots have one name.
    """
    log = Log(node.get_logger())
    files: list[str | Path] = list(options.params)
    own = world_parameter_file(options.world)
    if own is not None:
        files.insert(0, own)
        log.info(f"parameters of the world: {own}")
    values = world_values(scene)
    for file in files:
        found = read_parameter_file(file, node.get_namespace())
        if not found:
            name = f"{node.get_namespace().rstrip('/')}/{NODE_NAME}"
            log.warning(f"{file}: found no parameter of the node {name}, expected some")
        values += found
    for line in unknown_types(values):
        log.warning(line)
    values += override_values(node) + option_values(options)
    if are_instanced(values) != is_instanced(options):
        where = next(each.where for each in values[::-1] if each.path == ("instanced",))
        raise ConfigError(
            f"{where}: found instanced in a file that is read after the world, expected it in a file of "
            "--params, or -p instanced:=true"
        )
    return build_parameters(values, device_names(scene), [each.name for each in scene.folded])


def override_values(node: Any) -> list[Value]:
    """What `--ros-args` set; None for an empty list."""
    # rclpy would declare them, but no empty list, whose type it does not know
    given = {name: parameter.value for name, parameter in node._parameter_overrides.items()}
    return [value for value in values_from_overrides(given, ROS_ARGS) if value.path[0] not in OF_RCLPY]


def check_controllers(sim: Simulation) -> None:
    """Refuse to start controllers of robots that are held as arrays.

    Raises:
        ConfigError: they name some.
    """
    copies = () if sim.rolled is None else sim.rolled.copies.likes
    for robot in (sim.rolled.objects[row] for row in copies if sim.rolled is not None):
        if robot.controller not in (*NO_CONTROLLER, EXTERN_CONTROLLER):
            raise ConfigError(
                f'{robot.spec.where}: found controller "{robot.controller}" of robots that are held as '
                f'arrays (instanced: true), expected "{EXTERN_CONTROLLER}", none, or --no-controllers'
            )


def say_whose_settings(log: Log, asked: SimulationConfig, sim: Simulation) -> None:
    """Warn whose parameters ask for other settings than those of the snapshot that the run goes on from."""
    if replace(asked, seed=sim.seed if asked.seed is None else asked.seed) != sim.config:
        log.warning("parameters ask for other settings of the simulation: those of the snapshot hold")


def say_who_is_left_behind(log: Log, robots: Sequence[str]) -> None:
    """Warn who runs a world in the mode fast, where such controllers hardly get to do anything."""
    if robots:
        more = f" and {len(robots) - 1} more" if len(robots) > 1 else ""
        log.warning(f"mode fast does not wait for the controllers of {robots[0]}{more}: not in lock-step")


def say_what_is_not_started(log: Any, sim: Simulation, controllers: bool) -> None:
    """Warn who has loaded a world while another ran, of which neither controllers nor the plug-in start.

    Args:
        log: of the node.
        sim: the simulation.
        controllers: whether controllers are started at all.
    """
    named = {robot.controller for robot in sim.robots.values()} if controllers else set()
    missed = [f'controller "{name}"' for name in sorted(named - {*NO_CONTROLLER, EXTERN_CONTROLLER})]
    plugin = sim.scene.world_info["physics"]
    missed += [f'physics plug-in "{plugin}"'] if plugin not in NO_PLUGIN else []
    if missed:
        log.warning(
            f"{sim.scene.file}: not started, for the world came while another ran: {', '.join(missed)}; "
            f"odesim run {ALLOW} starts them"
        )


def start_recording(sim: Simulation, topics: WorldTopics, parameters: Parameters, options: RunOptions) -> Any:
    """The recording that the options ask for, or None.

    Raises:
        RecordingError, ConfigError: it cannot be made.
    """
    if options.record is None:
        return None
    from ros_bridge.control.world_topics import EDITS
    from ros_bridge.recorder.recording import BagRecording, check_patterns
    from ros_bridge.recorder.run_facts import run_facts

    commands = [*(item.name for item in topics.subscriptions), *EDITS]
    check_patterns(options.record_topic, [item.name for item in topics.publications] + commands)
    facts = run_facts(sim, parameters.values, options, commands)
    return BagRecording(options.record, options.record_topic, facts)


def let_pictures_come_late(sim: Simulation, lockstep: LockStep, mode: str, is_recorded: bool = False) -> None:
    """In real time the physics does not wait for pictures, save for those of robots in lock-step.

    Nor in a recording, which would miss some, and differently each time.
    """
    for robot in sim.robots.values():
        for sensor in robot.sensors():
            if isinstance(sensor, PictureSensor):
                sensor.waits = is_recorded or mode == "fast" or lockstep.waits_for(robot.name)


def say_why_no_pictures(sim: Simulation, log: Log) -> None:
    """Let the log tell if there are no pictures."""
    if any(isinstance(sensor, PictureSensor) for robot in sim.robots.values() for sensor in robot.sensors()):
        pictures = sim.media.of(Pictures)
        pictures.warn, pictures.tell = log.warning, log.info


def greet(log: Log, sim: Simulation, mode: str) -> None:
    """Say what was loaded, and what of it does not work."""
    for warning in (*sim.scene.warnings, *sim.physics.warnings):
        log.warning(str(warning))
    for robot in sim.robots.values():
        for warning in robot.warnings:
            log.warning(str(warning))
        kinds = sorted(
            {node.type_name for node in robot.not_simulated} - {"Servo"}
        )  # of type none: as it says
        if kinds:
            log.warning(f"{robot.name}: not simulated yet: {', '.join(kinds)}")
    count = "1 robot" if len(sim.robots) == 1 else f"{len(sim.robots)} robots"
    count += f" and {len(sim.scene.folded)} held as arrays" if sim.scene.folded else ""
    # Who reads it shall know that robots roll and nothing falls.
    plane = ", fast 2D" if sim.physics.can.rolling is not None else ""
    log.info(f"{Path(sim.scene.file).name}: {count}, step {sim.step_ns / 1e6:g} ms, {mode}{plane}")
