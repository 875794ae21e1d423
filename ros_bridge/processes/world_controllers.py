"""The controllers of a running world: their processes, and which robots are waited for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ros_bridge.base.log import Log
from ros_bridge.controller_api.api import ControllerApi
from ros_bridge.controller_api.libcontroller import find_libcontroller
from ros_bridge.interface.session_topics import SessionTopics
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.parameters.options import RunOptions
from ros_bridge.processes.controller_graph import ControllerGraph
from ros_bridge.processes.controller_wait import ControllerWait
from ros_bridge.processes.lockstep_members import add_to_lockstep, fill_lockstep
from ros_bridge.processes.power_watch import PowerWatch
from ros_bridge.topics.names import simulation_address
from ros_bridge.webots_protocol.server import WebotsServer
from ros_bridge.webots_protocol.versions import SERVED
from sim_core.base.alarm import NEVER, Alarm
from sim_core.base.clock import to_seconds
from sim_core.base.errors import ConfigError
from sim_core.base.shown import shown
from sim_core.session.robot import Robot
from sim_core.session.session import Follower, Note, Session

LINE = 200
"""Characters of a line of a controller's output that are noted."""


class WorldControllers(Follower):
    """Starts and ends the controllers of the present robots, and determines who is waited for.

    Attributes:
        api: for controllers that import `controller`.
        wait: for the answers in lock-step.
        failed: a text for each that could not be started, or ended with an error during the run.
        observes: each step, while there are batteries.
    """

    def __init__(
        self,
        node: Any,
        session: Session,
        session_topics: SessionTopics,
        api: ControllerApi,
        options: RunOptions,
        params: Callable[[], BridgeParams],
        lockstep_changed: Callable[[list[str]], None],
    ) -> None:
        """Start no process yet.

        Args:
            node: of the simulation.
            session: its robots have controllers.
            wiring: the topics of its world.
            api: for controllers that import `controller`.
            options: address of the simulation on ROS, and whether controllers of robots added at run time
                are started too.
            params: of the present world: how long to wait, and for how many controllers of a robot.
            lockstep_changed: called with the robots that run free from now on; empty: some are waited for.
        """
        log = Log(node.get_logger())
        self.api = api
        self._may_import = options.allow_imported_controllers
        self.failed: list[str] = []
        self.wait = ControllerWait(
            session, api, session_topics, params(), log.warning, ControllerGraph(node), lockstep_changed
        )
        self._session = session
        self._sim, self._lockstep, self._params, self._log = session.sim, session.lockstep, params, log
        self._place = simulation_address(node.get_namespace(), options.ros_args, self._space_of)
        self._webots = self._serve_webots(options)
        self._options = options
        self._processes: Any = None
        self._power = PowerWatch(log.warning, session.lockstep, api)
        self.observes: Alarm = Alarm()

    def _serve_webots(self, options: RunOptions) -> WebotsServer | None:
        """Open the sockets where controllers made for Webots look for the simulation.

        Raises:
            ConfigError: it was requested, and there is no free address.
        """
        version = None if options.webots_tcp is None else SERVED[options.webots_tcp]
        is_asked_for = options.webots_protocol is not None or version is not None
        try:
            server = WebotsServer(self.api, options.webots_protocol, version)
        except ConfigError as error:
            if is_asked_for:
                self.api.close()
                raise
            self._log.warning(f"controllers made for Webots cannot connect: {error}")
            return None
        if is_asked_for:
            places = " and ".join(filter(None, (str(server.instance.path), server.address)))
            self._log.info(f"controllers made for Webots may connect to {places}")
        return server

    def _space_of(self, robot: str) -> str:
        """Return the namespace of a robot, also of one that was removed."""
        return self._params().namespaces([*self._sim.robots, robot])[robot]

    def start_all(self, none: bool = False) -> None:
        """Start the controllers that the world names; `none`: start none, for lack of permission."""
        from ros_bridge.processes.controller_plans import WebotsHome
        from ros_bridge.processes.controller_processes import ControllerProcesses

        robots: Any = [] if none else list(self._sim.robots.values())
        scene, log = self._sim.scene, self._log
        permission = scene.permission() if robots else None
        world, socket = Path(scene.file), self.api.path
        webots = (
            None
            if self._webots is None
            else WebotsHome(self._webots.instance.path, find_libcontroller(), self._options.libcontroller)
        )
        file = self._options.controller_output
        output = log.info if file is None else partial(_append_line, Path(file))
        processes = ControllerProcesses(
            robots, permission, world, output, socket, log.error, self._place, scene.plugins, webots
        )
        self._serve_libcontroller(processes)
        for name in processes.left_out:
            self._lockstep.controller_ended(name)
            failed = f'{name} ("{self._sim.robots[name].controller}": could not be started)'
            self.failed.append(failed)
            self._session.journal.note(Note.CONTROLLER, failed)
        for name in processes.in_step:
            self._lockstep.confirm(name)
        processes.start_all()
        self._processes = processes
        self._power = PowerWatch(log.warning, self._lockstep, self.api, processes)

    def _serve_libcontroller(self, processes: Any) -> None:
        """Serve the controllers that use Webots' own library."""
        for name in processes.on_libcontroller:
            if self._webots is not None:
                self._webots.serve_also(name)

    def world_loaded(self, is_trusted: bool) -> None:
        """Replace the controllers by those of another world, or by none."""
        if self._webots is not None:
            self._webots.serve_robots()
        are_started = self._processes is not None and is_trusted
        self.wait.params = self._params()
        fill_lockstep(self._lockstep, self._sim, self._params(), are_started)
        self.wait.clear()
        if self._processes is None:
            self._power = PowerWatch(self._log.warning, self._lockstep, self.api)
            return
        self._processes.end_all()
        self.start_all(none=not is_trusted)

    def after_step(self, now_ns: int) -> None:
        """Notify a controller of the step in which its robot's battery ran dry, however fast the run is."""
        if self._sim.world.energy.state.is_due:
            self._power.check_power(self._sim.robots.values(), now_ns)

    def check_controllers(self, now_ns: int) -> None:
        """Check which controllers have ended, and which have no energy left."""
        self._power.check_power(self._sim.robots.values(), now_ns)
        for ended in self._processes.poll() if self._processes is not None else ():
            line = f'{ended.robot_name}: controller "{ended.controller}" ended: {ended.text}'
            said = f"; its last line: {ended.last_line[:LINE]}" if ended.last_line else ""
            if ended.text == "exit code 0":
                self._log.info(line)
                self._session.journal.note(Note.ENDED, line + said)
            else:
                self._log.error(line)
                when = f"at {to_seconds(now_ns):g} s"
                self.failed.append(f'{ended.robot_name} ("{ended.controller}": {ended.text}, {when})')
                self._session.journal.note(Note.CONTROLLER, line + said)
            self._lockstep.controller_ended(ended.robot_name)
            self.api.retry_held()

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """End the processes of removed robots, start those of new ones.

        A controller that imports `controller` identifies devices by number. If its robot's devices have been
        rebuilt, with another seed, it has been requested to end, and is restarted, too.
        """
        if now == before:
            return
        if self._webots is not None:
            self._webots.serve_robots()
        self._watch_batteries()
        self._lockstep.remove_robots(
            [name for name in self._lockstep.robots() if name not in self._sim.robots]
        )
        if self._processes is None:
            return
        there, were = {robot.instance for robot in now}, {robot.instance for robot in before}
        known = set(before)
        for robot in now:
            if robot.instance in were and robot not in known and self._processes.uses_api(robot.name):
                self.restart_controller(robot.name)
        for robot in before:
            if robot.instance not in there:
                self._processes.end_controller(robot.name)
        come = [robot for robot in now if robot.instance not in were]
        for name in self._processes.start_for(come, self._may_import):
            add_to_lockstep(self._lockstep, self._sim.robots[name], self._sim, self._params())
            if name in self._processes.in_step:
                self._lockstep.confirm(name)

    def restart_controller(self, robot: str) -> None:
        """Restart the controller of a robot."""
        self.api.end_controllers(robot)
        if self._processes is not None and self._processes.end_controller(robot):
            self._processes.start_again(robot)

    def restart_connected(self) -> None:
        """Restart the controllers that cannot detect that time is 0 again."""
        for name in dict.fromkeys(self.api.robots()):
            self.restart_controller(name)

    def time_is_zero(self, before_ns: int) -> None:
        """Restart the handshake with all controllers that were there before the reset."""
        self._watch_batteries()
        self._lockstep.clear_answers()
        self._power.restart_controllers()
        self.wait.clear()

    def note_last_lines(self) -> None:
        """Note in the journal what the controllers that still run said last."""
        for robot, said in self._processes.last_lines() if self._processes is not None else ():
            self._session.journal.note(Note.SAID, f"{robot}: the last line of its controller: {said[:LINE]}")

    def folder(self, robot: str) -> Path:
        """Return the folder in which the controller of a robot runs."""
        own = self._processes.folder(robot) if self._processes is not None else None
        return own or Path.cwd()

    def _watch_batteries(self) -> None:
        has_batteries = any(robot.battery is not None for robot in self._sim.robots.values())
        self.observes.set(0 if has_batteries else NEVER)

    def end_all(self) -> None:
        """Stop all of them; never raises, may be called twice."""
        self.api.close()
        if self._webots is not None:
            self._webots.close()
        if self._processes is not None:
            self._processes.end_all()


def _append_line(file: Path, line: str) -> None:
    with file.open("a", encoding="utf-8") as stream:
        stream.write(shown(line) + "\n")
