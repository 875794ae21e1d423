"""Requests to a run as a whole: change the mode, reset, load another world, quit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from rclpy.parameter import Parameter

from ros_bridge.base.log import Log
from ros_bridge.control import webots_supervisor, world_topics
from ros_bridge.control.fields.parameters import FieldParameters
from ros_bridge.control.recording_services import RecordingServices, save_all_traces
from ros_bridge.control.runner import Runner
from ros_bridge.control.services import make_services
from ros_bridge.control.simulation_interfaces import offer
from ros_bridge.control.spawn_topic import SpawnTopic
from ros_bridge.controller_api.api import ControllerApi
from ros_bridge.controller_api.user_input import subscribe
from ros_bridge.controller_api.windows import Windows
from ros_bridge.interface.interface import check_robot_names
from ros_bridge.interface.session_topics import SessionTopics
from ros_bridge.node.node_parameters import SETTABLE, declare_parameters
from ros_bridge.node.run_mode import RunMode
from ros_bridge.node.startup import (
    add_robots,
    is_instanced,
    is_same_file,
    log_missing_pictures,
    log_summary,
    read_parameters,
    set_picture_waiting,
    warn_not_started,
    warn_unsynchronized,
    world_of_text,
)
from ros_bridge.parameters.bridge_params import GLOBAL, KEEP_CLOCK
from ros_bridge.parameters.options import RunOptions
from ros_bridge.parameters.parameters import PresentParameters
from ros_bridge.processes.world_controllers import WorldControllers
from sim_core.base.errors import CommandError, OdesimError
from sim_core.base.shipped import find_world, shipped_worlds
from sim_core.model.device_spec import device_names
from sim_core.scene import Scene, load_scene
from sim_core.session.pipeline import Action
from sim_core.session.robot import Robot
from sim_core.session.run_commands import LoadWorld, Quit, Reset, SetMode, StepOnce
from sim_core.session.session import Follower, Session
from sim_core.session.supervision.present_state import text_for_anywhere
from sim_core.session.world_commands import StopAll

LINGER = 0.5
"""Seconds that the node stays after ~/quit, so that the answer reaches the client: rclpy cannot tell when."""


WORLD_TEXT = "#VRML_SIM "
"""Start of the text of a world."""


class RunControl(Runner, Follower):
    """Executes requests of services, parameters, topics and controllers to a run, between two steps.

    Attributes:
        controllers: controllers of the world.
        linger: seconds of wall time that the node stays after the end.
        exit_code: 0, or the code requested by a supervisor.
    """

    def __init__(
        self,
        node: Any,
        session: Session,
        options: RunOptions,
        present: PresentParameters,
        mode: RunMode,
        session_topics: SessionTopics,
    ) -> None:
        """Offer all requests on ROS, and open a socket for controllers; nothing is started yet.

        Args:
            node: offers the services and topics.
            session: of the run.
            options: which worlds and robots are loaded, and how.
            present: parameters, at the start; missing ones are filled in.
            mode: of the run.
            wiring: topics of the world.
        """
        self.linger = 0.0
        self.exit_code = 0
        sim, inbox = session.sim, session.inbox
        self._node, self._log = node, Log(node.get_logger())
        self.session, self._sim, self._inbox = session, sim, inbox
        session.run = self
        self._options, self._present, self._mode = options, present, mode
        self._parameters = parameters = present.now
        self._save_file = parameters.bridge.save_file
        self._inputs: dict[str, Any] = {}
        self._windows: Windows | None = None
        self._update_pictures()
        self._recordings = RecordingServices(sim, parameters.bridge, self._log)
        services = self.SERVICES.items()
        make_services(
            node,
            session,
            {name: do if isinstance(do, Action) else partial(do, self) for name, do in services},
        )
        self._fields = node.fields = FieldParameters(session)
        world_topics.listen(node, session)
        SpawnTopic(node, self)
        if parameters.bridge.layout == webots_supervisor.LAYOUT:
            webots_supervisor.WebotsSupervisor(node, session)
        parameters.values["seed"] = sim.seed
        declare_parameters(node, parameters.values, session.pipeline)
        api = ControllerApi(self, options.controller_port)  # created last, because its socket must be closed
        if api.address:
            self._log.info(f"controllers in any language may connect to {api.address}")
        self.controllers = WorldControllers(
            node, session, session_topics, api, options, lambda: present.now.bridge, self._lockstep_changed
        )
        self._standard = offer(node, inbox, self)

    # ---- notifications of the session

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """Update the cameras if robots were added or removed."""
        if now != before:
            self._update_pictures()

    def world_loaded(self, is_trusted: bool) -> None:
        """Update the cameras and the step, which another world may change."""
        self._update_pictures()
        self._mode.change_step(self._sim.step_ns)

    def time_is_zero(self, before_ns: int) -> None:
        """Restart pacing and speed measurement."""
        self._mode.restart_pacing()

    # ---- requests to the run

    def set_fields(self) -> None:
        """Set the fields that are given as parameters of this world.

        Raises:
            ConfigError: a field is refused.

        """
        self._fields.set_initial(self._present.now.fields)

    @property
    def mode(self) -> str:
        """Mode of the run: `realtime`, `fast` or `paused`."""
        return self._mode.name

    @property
    def steps_left(self) -> int:
        """Steps still to be made while paused."""
        return self._mode.steps_left

    @steps_left.setter
    def steps_left(self, count: int) -> None:
        self._mode.steps_left = count

    def set_mode(self, mode: str) -> str:
        """Change the mode; empty: the mode before the pause."""
        mode = GLOBAL["mode"].check(mode or self._mode.running, "mode")
        self._mode.set_mode(mode)
        set_picture_waiting(self._sim, self.session.lockstep, mode, self.session.journal.is_on)
        self._mirror("mode", mode)
        return f"mode {mode} at {self._sim.time:g} s"

    def set_parameter(self, name: str, value: Any) -> str:
        """Set a parameter at run time."""
        if name not in SETTABLE:
            raise CommandError(f'found the parameter "{name}", expected one of {", ".join(SETTABLE)}')
        if name == "mode":
            return self.set_mode(value)
        value = GLOBAL[name].check(value, name)
        if name == "speed":
            self._mode.pacer.set_speed(value)
        elif name == "save_file":
            self._save_file = value
        elif name == "seed":
            self.session.seed = value
            self._log.info(f"seed {value} takes effect at the next reset")
        else:
            self._recordings.set_parameter(name, value)
        return f"{name} {value}"

    def step_once(self) -> str:
        """Make one step, as in Webots: it pauses a running simulation, and later requests follow it."""
        if self._mode.name != "paused":
            self.set_mode("paused")
        self._mode.request_step()
        self._inbox.hold()
        return f"one step from {self._sim.time:g} s"

    def reset(self, restarts: bool) -> str:
        """Reset to the start; `restarts`: restart controllers that cannot detect it."""
        if self._parameters.bridge.reset == KEEP_CLOCK:
            self.session.reset_and_keep_clock()
        else:
            self.session.reset()
        self.set_fields()
        if restarts:
            self.restart_connected()
        return f"reset, at {self._sim.time:g} s"

    def restart_connected(self) -> None:
        """Restart the controllers that cannot detect that time is 0 again."""
        self.controllers.restart_connected()

    def restart_controller(self, robot: str) -> str:
        """Restart the controller of a robot."""
        self.controllers.restart_controller(robot)
        return f"{robot}: restarting the controller"

    def quit(self, exit_code: int, lingers: bool) -> str:
        """End the run before the next step."""
        self.exit_code = exit_code
        self.linger = LINGER if lingers else 0.0
        self.session.end()
        return f"ending at {self._sim.time:g} s"

    def load(self, path: str | None, scene: Scene | None = None) -> str:
        """Continue with another world or, with None, with the present one from its file, in the same mode.

        Args:
            path: a file, the name of a world of odesim, or the text of a world with its header.
            scene: the world, if it has been read.

        Raises:
            OdesimError: it cannot be read or simulated; the present world is kept.
        """
        path = self._sim.scene.file if path is None else path
        options = self._options
        if scene is None:
            path = str(world_of_text(path) if path.startswith(WORLD_TEXT) else find_world(path))
            scene = self.read(path)
        if path == self._sim.scene.file:
            add_robots(scene, options)
        check_robot_names(scene)
        is_own = is_same_file(scene.file, options.world)
        is_known = is_own or Path(scene.file).resolve() in map(Path.resolve, shipped_worlds().values())
        may_start = options.plugins if is_known else options.allow_imported_controllers
        may_start = may_start and scene.permission() is not None
        self._replace_world(scene, str(Path(path).resolve()), may_start)
        self.set_fields()
        log_summary(self._log, self._sim, self._mode.name)
        if not is_known and not may_start:
            warn_not_started(self._log, self._sim, self._options.controllers)
        return f"loaded {path}"

    def _replace_world(self, scene: Scene, path: str, may_start: bool) -> None:
        """Load a world with its own parameters; those of before stay if it is refused."""
        before, robots = self._present.now, self._present.robots
        if is_same_file(scene.file, self._options.world):
            self._present.now = self._parameters
        elif not is_same_file(scene.file, self._sim.scene.file):
            self._present.now = read_parameters(self._node, scene, self._options)
        now = self._present.now
        config, values = None, None
        if now is not before:
            given = (now.simulation.seed, self._sim.config.seed, scene.world_info["randomSeed"])
            seed = next(each for each in given if each is not None)
            config, values = replace(now.simulation, seed=seed), {**now.values, "seed": seed}
        self._present.robots = frozenset(device_names(scene))
        try:
            self.session.load(scene, path, may_start, config, values)
        except OdesimError:
            self._present.now, self._present.robots = before, robots
            raise

    def read(self, path: str, skip_missing: bool | None = None) -> Scene:
        """Read a world from its file."""
        options = self._options
        return load_scene(
            path,
            download=options.download,
            skip_missing=not options.strict if skip_missing is None else skip_missing,
            lenient=not options.strict,
            instanced=is_instanced(replace(options, world=path)),
        )

    # ---- services for controllers

    def warn(self, line: str) -> None:
        """Log a warning."""
        self._log.warning(line)

    def folder(self, robot: str) -> Path:
        """Return the folder in which the controller of a robot runs."""
        return self.controllers.folder(robot)

    def listen_to(self, kind: str) -> None:
        """Forward one kind of input of the user from its topic to the controllers."""
        if kind not in self._inputs:
            receive = self.controllers.api.set_input
            self._inputs[kind] = subscribe(self._node, self._inbox.put, kind, receive)

    def open_window(self, robot: str) -> None:
        """Create the topics between a controller and its robot's window."""
        if self._windows is None:
            self._windows = Windows(
                self._node, self._inbox.put, self.controllers.api, lambda: self._sim.robots
            )
        self._windows.open(robot)

    def send_to_window(self, robot: str, text: str) -> None:
        """Send text from a robot's controller to its window."""
        self.open_window(robot)
        assert self._windows is not None
        self._windows.send(robot, text)

    def close(self) -> None:
        """Stop the servers of requests that take longer than a step."""
        if self._standard is not None:
            self._standard.close()

    # ---- service handlers

    def _save(self) -> str:
        """Save the world as it is now to `save_file`, or next to the world file."""
        world = Path(self._sim.scene.file)
        chosen = self._save_file
        path = Path(chosen) if chosen else world.with_name(f"{world.stem}_saved.wbt")
        return f"saved as {self._sim.supervisor.save(path)}"

    def _save_snapshot(self) -> str:
        """Save the run as it is now to `snapshot_file`, or next to the world file."""
        chosen = self._parameters.bridge.snapshot_file
        path = Path(chosen) if chosen else Path(self._sim.scene.file).with_suffix(".snapshot")
        return f"saved as {self._sim.snapshot().save(path)}, at {self._sim.time:g} s"

    SERVICES: ClassVar[dict[str, Action | Callable[[RunControl], str]]] = {
        "pause": SetMode("paused"),
        "resume": SetMode(),
        "step": StepOnce(),
        "reset": Reset(),
        "physics_reset": StopAll(),
        "save": _save,
        "save_snapshot": _save_snapshot,
        "revert": LoadWorld(),
        "world_text": lambda run: text_for_anywhere(run._sim.world),
        "save_traces": lambda run: save_all_traces(run._sim, run._parameters.bridge.trace_file),
        "quit": Quit(),
        "shot": lambda run: run._recordings.shot(),
        "start_movie": lambda run: run._recordings.start_movie(),
        "stop_movie": lambda run: run._sim.recordings.stop_recording("movie"),
        "start_animation": lambda run: run._recordings.start_animation(),
        "stop_animation": lambda run: run._sim.recordings.stop_recording("animation"),
    }
    """Services below the node's name, each with its command or its handler, which returns a line."""

    def _mirror(self, name: str, value: Any) -> None:
        """Update the parameter that a service has changed."""
        if self._node.get_parameter(name).value != value:
            self._node.set_parameters([Parameter(name, value=value)])

    # ---- after changes of the world

    def _lockstep_changed(self, freed: list[str]) -> None:
        """Update after a change of the robots that lock-step waits for."""
        if freed and self._mode.name == "fast":
            if self._options.hurry and self._options.mode is None:
                self.set_mode("realtime")
            else:
                warn_unsynchronized(self._log, freed)
        self._update_pictures()

    def _update_pictures(self) -> None:
        """Set which pictures are waited for, and where missing pictures are reported."""
        session = self.session
        set_picture_waiting(self._sim, session.lockstep, self._mode.name, session.journal.is_on)
        log_missing_pictures(self._sim, self._log)
