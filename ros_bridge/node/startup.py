"""What is read, decided and logged before the first step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
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
    is_of_any_world,
    option_values,
    world_parameter_file,
)
from ros_bridge.processes.controller_processes import ALLOW
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError, SceneError
from sim_core.base.shipped import cache_dir
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
    """Add the robots of the URDF files of a run to its world, with the plugins that may drive them.

    Raises:
        SceneErrors, ConfigError: a file, or the pose of its robot, is invalid.
    """
    add_robot_files(scene, options.urdf)
    scene.plugins = [each for each in scene.plugins if permission_of_urdf(each.file) is not None]


def is_instanced(options: RunOptions) -> bool:
    """Return whether equal robots are held as arrays, from what can be read before there is a node.

    Raises:
        ConfigError: a parameter file cannot be read.
    """
    words = [word.partition(":=")[2] for word in options.ros_args if word.startswith("instanced:=")]
    where = f"{ROS_ARGS}:instanced"
    values = [Value(("instanced",), read_yaml(word, where), where) for word in words]
    namespace = namespace_of(options.ros_args)
    return are_instanced([*file_values(options.world, options.params, namespace), *values])


def read_parameters(node: Any, scene: Scene, options: RunOptions) -> Parameters:
    """Return all parameters of a run, from files, `--ros-args` and options.

    Of these, those of robots and fields apply to the world of the run alone. Another one that is loaded has
    its own in its file.

    Raises:
        ConfigError: a parameter is invalid.
        SceneErrors: two robots have the same name.
    """
    log = Log(node.get_logger())
    is_other = not is_same_file(scene.file, options.world)
    options = replace(options, world=scene.file)
    own = world_parameter_file(scene.file)
    values = world_values(scene)
    if own is not None:
        log.info(f"using the world's parameters: {own}")
        values += _values_of(own, node, log)
    given = [value for file in options.params for value in _values_of(file, node, log)]
    for line in unknown_types(values + given):
        log.warning(line)
    given += override_values(node)
    values += [each for each in given if is_of_any_world(each)] if is_other else given
    values += option_values(options)
    if are_instanced(values) != is_instanced(options):
        where = next(each.where for each in values[::-1] if each.path == ("instanced",))
        raise ConfigError(
            f"{where}: found instanced in a file that is read after the world, expected it in a file of "
            "--params, or -p instanced:=true"
        )
    return build_parameters(values, device_names(scene), [each.name for each in scene.folded])


def _values_of(file: str | Path, node: Any, log: Log) -> list[Value]:
    found = read_parameter_file(file, node.get_namespace())
    if not found:
        name = f"{node.get_namespace().rstrip('/')}/{NODE_NAME}"
        log.warning(f"{file}: found no parameters for the node {name}, expected some")
    return found


def is_same_file(one: str | Path, other: str | Path) -> bool:
    """Return whether two paths lead to the same file."""
    return Path(one).resolve() == Path(other).resolve()


def world_of_text(text: str) -> Path:
    """Return the file in the cache folder with the text of a world.

    Raises:
        SceneError: it cannot be written.
    """
    path = cache_dir() / "worlds" / f"{blake2b(text.encode(), digest_size=6).hexdigest()}.wbt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        found, expected = f"cannot be written: {error.strerror}", "a place for the text of the world"
        raise SceneError(str(path), 0, 0, found, expected) from None
    return path


def make_simulation(
    node: Any, begin: Scene | Simulation, options: RunOptions
) -> tuple[Parameters, Simulation]:
    """Return the parameters of a run, and its simulation.

    Args:
        node: as of `--ros-args`.
        begin: the world; or a simulation to continue, whose settings are kept: parameters about the
            simulation have no effect.
        options: of the run.

    Raises:
        OdesimError: the world or a parameter is invalid.
    """
    scene = begin.scene if isinstance(begin, Simulation) else begin
    parameters = read_parameters(node, scene, options)
    config = replace(parameters.simulation, plugins=options.plugins)
    if not isinstance(begin, Simulation):
        return parameters, Simulation(begin, config)
    warn_ignored_settings(Log(node.get_logger()), config, begin)
    return parameters, begin


def override_values(node: Any) -> list[Value]:
    """Return the parameters set by `--ros-args`; None stands for an empty list."""
    # rclpy would declare them, but no empty list, whose type it does not know
    given = {name: parameter.value for name, parameter in node._parameter_overrides.items()}
    return [value for value in values_from_overrides(given, ROS_ARGS) if value.path[0] not in OF_RCLPY]


def check_controllers(sim: Simulation) -> None:
    """Refuse to start controllers of robots that are held as arrays.

    Raises:
        ConfigError: such robots have controllers.
    """
    copies = () if sim.rolled is None else sim.rolled.copies.template_rows
    for robot in (sim.rolled.objects[row] for row in copies if sim.rolled is not None):
        if robot.controller not in (*NO_CONTROLLER, EXTERN_CONTROLLER):
            raise ConfigError(
                f'{robot.spec.where}: found controller "{robot.controller}" of robots that are held as '
                f'arrays (instanced: true), expected "{EXTERN_CONTROLLER}", none, or --no-controllers'
            )


def warn_ignored_settings(log: Log, wanted: SimulationConfig, sim: Simulation) -> None:
    """Warn if parameters differ from the settings of the snapshot that the run continues."""
    if replace(wanted, seed=sim.seed if wanted.seed is None else wanted.seed) != sim.config:
        log.warning("parameters of the simulation are ignored: what the run begins with has its own settings")


def warn_unsynchronized(log: Log, robots: Sequence[str]) -> None:
    """Warn about controllers that the mode fast does not wait for, which hardly get to run then."""
    if robots:
        more = f" and {len(robots) - 1} more" if len(robots) > 1 else ""
        log.warning(
            f"mode fast does not wait for the controllers of {robots[0]}{more}, which are not in lock-step"
        )


def warn_not_started(log: Any, sim: Simulation, controllers: bool) -> None:
    """Warn that controllers and plug-in of a world loaded at run time are not started.

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
            f"{sim.scene.file}: not started, because the world was loaded at run time: {', '.join(missed)}; "
            f"to start them, use odesim run {ALLOW}"
        )


def start_recording(sim: Simulation, topics: WorldTopics, parameters: Parameters, options: RunOptions) -> Any:
    """Start the recording requested by the options; return it, or None.

    Raises:
        RecordingError, ConfigError: it cannot be created.
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


def set_picture_waiting(sim: Simulation, lockstep: LockStep, mode: str, is_recorded: bool = False) -> None:
    """Let the physics not wait for pictures in real time, except for those of robots in lock-step.

    In a recording it waits for all: otherwise pictures would be missing, and different ones in each run.
    """
    for robot in sim.robots.values():
        for sensor in robot.sensors():
            if isinstance(sensor, PictureSensor):
                sensor.waits = is_recorded or mode == "fast" or lockstep.waits_for(robot.name)


def log_missing_pictures(sim: Simulation, log: Log) -> None:
    """Report missing pictures, and their reason, in the log."""
    if any(isinstance(sensor, PictureSensor) for robot in sim.robots.values() for sensor in robot.sensors()):
        pictures = sim.media.of(Pictures)
        pictures.warn, pictures.report = log.warning, log.info


def log_summary(log: Log, sim: Simulation, mode: str) -> None:
    """Log what was loaded, and what of it is not simulated."""
    for warning in (*sim.scene.warnings, *sim.physics.warnings):
        log.warning(str(warning))
    for robot in sim.robots.values():
        for warning in robot.warnings:
            log.warning(str(warning))
        kinds = sorted(
            {node.type_name for node in robot.not_simulated} - {"Servo"}
        )  # a joint of type none does nothing by definition
        if kinds:
            log.warning(f"{robot.name}: not simulated yet: {', '.join(kinds)}")
    count = "1 robot" if len(sim.robots) == 1 else f"{len(sim.robots)} robots"
    count += f" and {len(sim.scene.folded)} held as arrays" if sim.scene.folded else ""
    # Tell users that robots roll and nothing falls.
    plane = ", fast 2D" if sim.physics.can.rolling is not None else ""
    log.info(f"{Path(sim.scene.file).name}: {count}, step {sim.step_ns / 1e6:g} ms, {mode}{plane}")
