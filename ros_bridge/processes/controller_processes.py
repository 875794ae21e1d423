"""Processes of the controllers that a world names, in their robots' namespaces.

The processes are planned by `controller_plans.py`. A controller that ends is not restarted.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ros_bridge.controller_api.compiling import SOURCES, build_program, uses_libcontroller
from ros_bridge.controller_api.java import JAVA, java_command
from ros_bridge.controller_api.libcontroller import WHERE_FROM
from ros_bridge.processes import end_with_parent
from ros_bridge.processes.controller_output import ControllerOutput
from ros_bridge.processes.controller_plans import (
    Plan,
    WebotsHome,
    environment,
    from_source,
    is_python_for_webots,
    plan,
)
from ros_bridge.topics.names import NO_NAMESPACE, SimulationAddress
from sim_core.base.errors import ConfigError
from sim_core.base.trust import Permission
from sim_core.scene.scene import DriverPlugin
from sim_core.session.robot import EXTERN_CONTROLLER, NO_CONTROLLER, Robot

NICENESS = 15
"""Lower priority of controllers: when processor time is short, the simulation is served first."""
STOP_SIGNALS = ((signal.SIGINT, 0.8), (signal.SIGTERM, 0.2), (signal.SIGKILL, 0.2))
"""Signals that end controllers, each with the seconds that follow it.

Our own get SIGTERM at once: rclpy handles it like SIGINT, but a Python that is still starting prints no
traceback.
"""
OUTPUT_LIMIT = 0.2
"""Seconds in which the last lines of a process that has ended arrive."""

ALLOW = "--allow-imported-controllers"
"""Option of `odesim run`: worlds and robots added at run time may start processes and physics plug-ins."""


class ControllerExit(NamedTuple):
    """A controller that ended."""

    robot_name: str
    controller: str
    text: str
    """Such as `exit code 3` or `killed by signal 9 (SIGKILL)`."""
    last_line: str
    """The last line of its output."""


@dataclass
class _RunningController:
    """A controller's process, which leads its own process group."""

    plan: Plan
    process: subprocess.Popen[bytes]
    output: ControllerOutput
    end_at: float | None = None
    """When to send it a signal to end, in seconds of `time.monotonic`; None: never, or already sent."""

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to it and to all that it started."""
        self.output.is_asked_to_end = True
        try:
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            return  # they have ended


class ControllerProcesses:
    """The processes of one simulation.

    Args:
        robots: robots of the world; those without a controller, and `<extern>` ones without plugins, are
            skipped.
        permission: permission to start the controllers of the world; None: none are started.
        world_path: the world file.
        log: receives the controllers' output line by line, each with its robot's name as prefix; called in
            another thread.
        socket: socket of the simulation for those that import `controller`; None: none.
        warn: receives a line for each missing controller; None: `log` does.
        place: address of the simulation on ROS.
        plugins: plugins that drive `<extern>` robots.
        webots: settings for controllers that use Webots' own library; None: not supported.

    Attributes:
        left_out: robots whose controllers are missing: they have none.
    """

    def __init__(
        self,
        robots: Iterable[Robot],
        permission: Permission | None,
        world_path: Path,
        log: Callable[[str], object],
        socket: Path | None = None,
        warn: Callable[[str], object] | None = None,
        place: SimulationAddress = NO_NAMESPACE,
        plugins: Sequence[DriverPlugin] = (),
        webots: WebotsHome | None = None,
    ) -> None:
        self._log = log
        self._webots = webots
        self._place = place
        self._permission = permission
        self._plugins = plugins
        self._warn = warn or log
        self._world_path = world_path
        self._socket = socket
        self._running: list[_RunningController] = []
        self._ended: list[_RunningController] = []  # ended by `end_controller`, exit not noticed yet
        robots = list(robots)
        self._programs: dict[str, list[str]] = {}  # by source: what runs it
        warn = lambda line: self._warn(f'{line}; using "void" instead')  # noqa: E731
        plans = self._plan(robots if permission is not None else [], warn)
        self._plans = [built for one in plans if (built := self._built(one)) is not None]
        planned = [one.robot_name for one in self._plans]
        names = [one.name for one in robots if one.controller not in (*NO_CONTROLLER, EXTERN_CONTROLLER)]
        self.left_out = [name for name in names if name not in planned]
        self._selector = selectors.DefaultSelector()
        self._reading = False
        self._lock = threading.Lock()  # for `_reading`
        self._reader = threading.Thread()

    def _plan(self, robots: Iterable[Robot], warn: Callable[[str], object]) -> list[Plan]:
        """Return the processes to start; a controller whose library is missing is left out."""
        plans = plan(robots, self._world_path, warn, self._place, self._plugins)
        library = None if self._webots is None else self._webots.library
        kept = []
        for one in plans:
            if self._webots is not None and self._webots.is_preferred and is_python_for_webots(one):
                one = one._replace(on_libcontroller=True)
            if one.on_libcontroller and library is None:
                one = from_source(one)
            if one.on_libcontroller and library is None and Path(one.command[0]).suffix not in JAVA:
                found = f'{one.robot_name}: controller "{one.controller}" needs libController of Webots'
                warn(f"{found}, expected an installed one: {WHERE_FROM}")
                continue
            kept.append(one)
        return kept

    @property
    def on_libcontroller(self) -> list[str]:
        """The robots whose controllers use Webots' own library."""
        return [one.robot_name for one in self._plans if one.on_libcontroller]

    @property
    def in_step(self) -> list[str]:
        """The robots whose controllers surely support lock-step."""
        return [one.robot_name for one in self._plans if one.in_step]

    def start_all(self) -> None:
        """Start all processes, without waiting until they are ready."""
        for one in self._plans:
            self._launch(one)

    def folder(self, robot_name: str) -> Path | None:
        """Return the working directory of a robot's controller; None: it has none, or one of ours."""
        return next((one.folder for one in self._plans if one.robot_name == robot_name), None)

    def uses_api(self, robot_name: str) -> bool:
        """Return whether the controller of a robot imports `controller`."""
        return any(one.robot_name == robot_name and one.uses_api for one in self._plans)

    def start_for(self, robots: Iterable[Robot], may_be_new: bool) -> list[str]:
        """Start the controllers of new robots; log those that may not be started.

        Args:
            robots: new robots.
            may_be_new: start any; False: only those that the world had at its start, for robots that are
                added again.

        Returns:
            The names of the robots whose controllers were started.
        """
        started: list[str] = []
        if self._permission is None:
            return started
        for one in self._plan(robots, self._warn):
            known = next((each for each in self._plans if each.same_as(one)), None)
            if known is None and not may_be_new:
                self._warn(
                    f'{one.robot_name}: controller "{one.controller}" is not started, because its robot was '
                    f"added at run time; to start such controllers, use odesim run {ALLOW}"
                )
                continue
            if known is None:
                known = self._built(one)
                if known is None:
                    continue
                self._plans.append(known)
            self._launch(known)
            started.append(one.robot_name)
        return started

    def end_controller(self, robot_name: str, grace: float = 0.0) -> bool:
        """End the controller of a robot, whose exit is then not reported.

        Args:
            robot_name: name of the robot.
            grace: seconds of wall time that it has to end by itself before.

        Returns:
            False: it has none.
        """
        mine = [one for one in self._running if one.plan.robot_name == robot_name]
        for one in mine:
            if grace > 0.0:
                one.end_at = time.monotonic() + grace
            else:
                one.send_signal(signal.SIGTERM)
            self._running.remove(one)
            self._ended.append(one)
        return bool(mine)

    def start_again(self, robot_name: str) -> None:
        """Restart the controller of a robot that was ended by `end_controller`."""
        for one in [one for one in self._ended if one.plan.robot_name == robot_name]:
            one.send_signal(signal.SIGKILL)  # its grace is over
            one.process.wait()
            self._ended.remove(one)
            self._launch(one.plan)

    def poll(self) -> list[ControllerExit]:
        """Return the controllers that ended since the last call; end those whose grace is over."""
        now = time.monotonic()
        for one in self._ended:
            if one.end_at is not None and one.end_at <= now:
                one.end_at = None
                if one.process.poll() is None:
                    one.send_signal(signal.SIGTERM)
        ended = [one for one in self._running if one.process.poll() is not None]
        self._running = [one for one in self._running if one not in ended]
        for one in ended:
            one.send_signal(signal.SIGKILL)  # kills processes that it may have started
            one.output.has_ended.wait(OUTPUT_LIMIT)
        return [
            ControllerExit(
                one.plan.robot_name,
                one.plan.controller,
                describe_exit(one.process.returncode),
                one.output.last,
            )
            for one in ended
        ]

    def last_lines(self) -> list[tuple[str, str]]:
        """Return for each controller that runs, and that has said something, its robot and its last line."""
        return [(one.plan.robot_name, one.output.last) for one in self._running if one.output.last]

    def end_all(self) -> None:
        """End all controllers within 1.2 s; may be called again."""
        self._running += [one for one in self._ended if one.process.poll() is None]
        self._ended.clear()
        for number, seconds in STOP_SIGNALS:
            for one in self._running:
                if not (
                    one.plan.uses_api and number == signal.SIGINT
                ):  # requested by the answer of its last step
                    is_own = one.plan.folder is None
                    one.send_signal(signal.SIGTERM if is_own and number == signal.SIGINT else number)
            deadline = time.monotonic() + seconds
            for one in self._running:
                try:
                    one.process.wait(max(0.0, deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    continue
            self.poll()
            if not self._running:
                break
        if self._reader.is_alive():
            self._reader.join(STOP_SIGNALS[-1][1])  # for the last lines

    def _built(self, one: Plan) -> Plan | None:
        """Build a controller's program if needed; log a line and return None if that fails."""
        source = one.command[0]
        if Path(source).suffix not in (*SOURCES, *JAVA):
            return one
        if source not in self._programs:
            try:
                self._programs[source] = self._program_of(Path(source))
            except ConfigError as error:
                self._warn(f'{one.robot_name}: {error}; using "void" instead')
                return None
        if one.on_libcontroller:
            return one
        is_linked = uses_libcontroller(Path(self._programs[source][0]))
        return one._replace(on_libcontroller=is_linked, uses_api=one.uses_api or is_linked)

    def _program_of(self, source: Path) -> list[str]:
        """Return the command line of a source, which is built, or of a compiled program in Java.

        Sources in C and C++ that do not compile with our headers are built with Webots' own library, if it is
        installed.

        Raises:
            ConfigError: it cannot be built, or a program that it needs is missing.
        """
        library = None if self._webots is None else self._webots.library
        if source.suffix in JAVA:
            return java_command(source, library, self._log)
        is_preferred = self._webots is not None and self._webots.is_preferred
        if not is_preferred:
            try:
                return [str(build_program(source, self._log))]
            except ConfigError:
                if library is None:
                    raise
        return [str(build_program(source, self._log, library))]

    def _launch(self, one: Plan) -> None:
        program, *words = one.command
        command = [*self._programs.get(program, [program]), *words]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", end_with_parent.__file__, str(os.getpid()), *command],
            cwd=one.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(one, self._socket, self._place, self._webots),
            process_group=0,  # Ctrl-C in the terminal reaches the simulation only, which then stops us
        )
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        output = ControllerOutput(one.robot_name, self._log)
        self._running.append(_RunningController(one, process, output))
        assert process.stdout is not None  # because of PIPE
        os.set_blocking(process.stdout.fileno(), False)
        with self._lock:
            self._selector.register(process.stdout, selectors.EVENT_READ, output)
            if not self._reading:
                self._reading = True
                self._reader = threading.Thread(target=self._read, name="controller output", daemon=True)
                self._reader.start()

    def _read(self) -> None:
        """Forward output until all processes have closed theirs."""
        while True:
            with self._lock:
                if not self._selector.get_map():
                    self._reading = False
                    return
            for key, _ in self._selector.select():
                if not key.data.forward(key.fileobj):
                    self._selector.unregister(key.fileobj)


def describe_exit(code: int) -> str:
    """Return a description of a return code of Popen."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"killed by signal {-code}"
