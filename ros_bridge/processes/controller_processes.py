"""The controllers that a world names, as processes in their robots' namespaces.

Which they are, `controller_places.py` says. A controller is started once and never again.
"""

from __future__ import annotations

import os
import re
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

from ros_bridge.controller_api.compiling import SOURCES, compiled, speaks, uses_libcontroller
from ros_bridge.controller_api.libcontroller import WHERE_FROM, LibController
from ros_bridge.controllers import NAMESPACE
from ros_bridge.processes import end_with_parent
from ros_bridge.processes.controller_output import ControllerOutput
from ros_bridge.processes.controller_places import find_controller, not_found
from ros_bridge.processes.plugin_host import host_command
from ros_bridge.topics.names import NOWHERE, SimulationAddress
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import CODE, is_source_tree
from sim_core.base.trust import Permission, permission_of_urdf
from sim_core.scene.scene import DriverPlugin
from sim_core.session.robot import EXTERN_CONTROLLER, NO_CONTROLLER, Robot

NICENESS = 15
"""Lower priority of controllers: where processors are short, the simulation keeps to real time first."""
STOP_SIGNALS = ((signal.SIGINT, 0.8), (signal.SIGTERM, 0.2), (signal.SIGKILL, 0.2))
"""How controllers are ended: signals, and the seconds each is given to help.

Our own get SIGTERM at once: rclpy takes it like SIGINT, but a Python that is still starting shows no
traceback.
"""


_IMPORT = re.compile(r"^\s*(from|import)\s+(controller|vehicle)\b", re.MULTILINE)
_CLIENT = re.compile(r"^\s*(from|import)\s+ros_bridge\.controllers\b.*\brobot_client\b", re.MULTILINE)
ANSWERS_NOTHING = "command_player"
"""The one of our own that does not speak the lock-step."""


ALLOW = "--allow-imported-controllers"
"""Option of `odesim run`: what comes while the world runs may start processes and physics plug-ins."""


class ControllerExit(NamedTuple):
    """A controller that ended."""

    robot_name: str
    controller: str
    text: str
    """`exit code 3`, `killed by signal 9 (SIGKILL)`"""


class Plan(NamedTuple):
    """A process to start."""

    robot_name: str
    controller: str
    command: list[str]
    folder: Path | None
    """Where it runs; None: one of our own, which runs where we run."""
    uses_api: bool = False
    """It has Webots' interface: a Python file that imports `controller`, or C with `odesim.h`."""
    on_libcontroller: bool = False
    """It uses Webots' own library, or shall."""
    in_step: bool = False
    """It is known to speak the lock-step: it uses one of our two interfaces, or is one of our own."""


class WebotsHome(NamedTuple):
    """What controllers with Webots' own library need.

    Attributes:
        instance: folder of the simulation's sockets.
        library: which they load; None: none is installed.
        is_preferred: Python controllers use it too, in place of our module `controller`.
    """

    instance: Path
    library: LibController | None
    is_preferred: bool


@dataclass
class _RunningController:
    """A controller's process, which leads a process group of its own."""

    plan: Plan
    process: subprocess.Popen[bytes]
    output: ControllerOutput
    end_at: float | None = None
    """When it is asked to end, in seconds of `time.monotonic`; None: never, or it has been asked."""

    def send(self, number: signal.Signals) -> None:
        """Ask it and all that it started to end, by a signal."""
        self.output.is_asked_to_end = True
        try:
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            return  # they are gone


class ControllerProcesses:
    """The processes of one simulation.

    Args:
        robots: robots without a controller, and those whose controller is `<extern>` and for which there are
            no plugins, are passed over.
        permission: leave to start the controllers of the world; None: none are started.
        world_path: the world file.
        log: gets the controllers' output line by line, each with its robot's name before it; called from
            another thread.
        socket: where those that import `controller` find the simulation; None: nowhere.
        warn: gets a line for each controller that is not there; None: `log` does.
        place: where on ROS the simulation is.
        plugins: those that drive `<extern>` robots.
        webots: for controllers that use Webots' own library; None: there is no place for them.

    Attributes:
        left_out: robots whose controllers are not there: they have none.
    """

    def __init__(
        self,
        robots: Iterable[Robot],
        permission: Permission | None,
        world_path: Path,
        log: Callable[[str], object],
        socket: Path | None = None,
        warn: Callable[[str], object] | None = None,
        place: SimulationAddress = NOWHERE,
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
        self._ended: list[_RunningController] = []  # by `end`, and not yet seen to be gone
        robots = list(robots)
        self._programs: dict[str, str] = {}
        said = lambda line: self._warn(f'{line}; "void" in its place')  # noqa: E731
        plans = self._plan(robots if permission is not None else [], said)
        self._plans = [one for one in plans if self._is_built(one)]
        planned = [one.robot_name for one in self._plans]
        names = [one.name for one in robots if one.controller not in (*NO_CONTROLLER, EXTERN_CONTROLLER)]
        self.left_out = [name for name in names if name not in planned]
        self._selector = selectors.DefaultSelector()
        self._reading = False
        self._lock = threading.Lock()  # for `_reading`
        self._reader = threading.Thread()

    def _plan(self, robots: Iterable[Robot], warn: Callable[[str], object]) -> list[Plan]:
        """The processes to start; a controller for which there is no library has none."""
        plans = plan(robots, self._world_path, warn, self._place, self._plugins)
        library = None if self._webots is None else self._webots.library
        kept = []
        for one in plans:
            if self._webots is not None and self._webots.is_preferred and _is_python_for_webots(one):
                one = one._replace(on_libcontroller=True)
            if one.on_libcontroller and library is None:
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
        """The robots whose controllers are known to speak the lock-step."""
        return [one.robot_name for one in self._plans if one.in_step]

    def start(self) -> None:
        """Start all processes; does not wait for them to be ready."""
        for one in self._plans:
            self._launch(one)

    def folder(self, robot_name: str) -> Path | None:
        """Where the controller of a robot runs; None: it has none, or one of our own."""
        return next((one.folder for one in self._plans if one.robot_name == robot_name), None)

    def uses_api(self, robot_name: str) -> bool:
        """Whether the controller of a robot imports `controller`."""
        return any(one.robot_name == robot_name and one.uses_api for one in self._plans)

    def start_for(self, robots: Iterable[Robot], may_be_new: bool) -> list[str]:
        """Start the controllers of robots that have come; those that are not started are said.

        Args:
            robots: they are there now.
            may_be_new: start any; False: only those that the world had at its start, for robots that come
                again.

        Returns:
            The names of the robots that have got one.
        """
        started: list[str] = []
        if self._permission is None:
            return started
        for one in self._plan(robots, self._warn):
            if one not in self._plans:
                if not may_be_new:
                    self._warn(
                        f'{one.robot_name}: controller "{one.controller}" is not started, for its robot came '
                        f"while the world runs; odesim run {ALLOW} starts such controllers"
                    )
                    continue
                if not self._is_built(one):
                    continue
                self._plans.append(one)
            self._launch(one)
            started.append(one.robot_name)
        return started

    def end(self, robot_name: str, grace: float = 0.0) -> bool:
        """Ask the controller of a robot to end, whose exit is then not reported.

        Args:
            robot_name: whose.
            grace: seconds of wall time that it has before to end by itself.

        Returns:
            False: it has none.
        """
        mine = [one for one in self._running if one.plan.robot_name == robot_name]
        for one in mine:
            if grace > 0.0:
                one.end_at = time.monotonic() + grace
            else:
                one.send(signal.SIGTERM)
            self._running.remove(one)
            self._ended.append(one)
        return bool(mine)

    def start_again(self, robot_name: str) -> None:
        """Start the controller of a robot anew that was ended by `end`."""
        for one in [one for one in self._ended if one.plan.robot_name == robot_name]:
            one.send(signal.SIGKILL)  # it has had its time
            one.process.wait()
            self._ended.remove(one)
            self._launch(one.plan)

    def poll(self) -> list[ControllerExit]:
        """The controllers that ended since the last call; those whose grace is over are asked to end."""
        now = time.monotonic()
        for one in self._ended:
            if one.end_at is not None and one.end_at <= now:
                one.end_at = None
                if one.process.poll() is None:
                    one.send(signal.SIGTERM)
        ended = [one for one in self._running if one.process.poll() is not None]
        self._running = [one for one in self._running if one not in ended]
        for one in ended:
            one.send(signal.SIGKILL)  # what it may have started itself
        return [
            ControllerExit(one.plan.robot_name, one.plan.controller, in_words(one.process.returncode))
            for one in ended
        ]

    def stop(self) -> None:
        """End all controllers within 1.2 s; may be called again."""
        self._running += [one for one in self._ended if one.process.poll() is None]
        self._ended.clear()
        for number, seconds in STOP_SIGNALS:
            for one in self._running:
                if not (one.plan.uses_api and number == signal.SIGINT):  # its last step has said it
                    is_own = one.plan.folder is None
                    one.send(signal.SIGTERM if is_own and number == signal.SIGINT else number)
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
            self._reader.join(STOP_SIGNALS[-1][1])  # the last lines

    def _is_built(self, one: Plan) -> bool:
        """Build the program of a controller that is a source; False, and a line, if it cannot be built."""
        source = one.command[0]
        if Path(source).suffix in SOURCES and source not in self._programs:
            try:
                self._programs[source] = str(compiled(Path(source), self._log))
            except ConfigError as error:
                self._warn(f'{one.robot_name}: {error}; "void" in its place')
                return False
        return True

    def _launch(self, one: Plan) -> None:
        program, *words = one.command
        command = [self._programs.get(program, program), *words]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", end_with_parent.__file__, str(os.getpid()), *command],
            cwd=one.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(one, self._socket, self._place, self._webots),
            process_group=0,  # Ctrl-C at the terminal reaches the simulation alone, which then stops us
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
        """Forward output until all have closed theirs."""
        while True:
            with self._lock:
                if not self._selector.get_map():
                    self._reading = False
                    return
            for key, _ in self._selector.select():
                if not key.data.forward(key.fileobj):
                    self._selector.unregister(key.fileobj)


def plan(
    robots: Iterable[Robot],
    world_path: Path,
    warn: Callable[[str], object],
    place: SimulationAddress = NOWHERE,
    plugins: Sequence[DriverPlugin] = (),
) -> list[Plan]:
    """The processes to start.

    Args:
        robots: those of the world.
        world_path: its file.
        warn: gets one line per controller that is not there; its robots have none, as if it were `void`.
        place: where on ROS the simulation is.
        plugins: those that drive `<extern>` robots.
    """
    plans: list[Plan] = []
    missing: dict[str, list[str]] = {}
    for robot in robots:
        name = robot.controller
        mine = [each for each in plugins if each.robot == robot.name and permission_of_urdf(each.file)]
        if name == EXTERN_CONTROLLER and mine:
            title = ", ".join(each.type_name for each in mine)
            plans.append(
                Plan(robot.name, title, host_command(mine, place), None, uses_api=True, in_step=True)
            )
        if name in NO_CONTROLLER or name == EXTERN_CONTROLLER:
            continue
        program = find_controller(name, world_path)
        if program is None:
            missing.setdefault(name, []).append(robot.name)
        else:
            path = Path(program[-1])
            folder = path.parent if path.is_absolute() else None
            on_libcontroller = len(program) == 1 and uses_libcontroller(path)
            uses_api = imports(_IMPORT, path) if len(program) > 1 else speaks(path) or on_libcontroller
            in_step = uses_api or (name != ANSWERS_NOTHING if folder is None else imports(_CLIENT, path))
            command = [*program, *(robot.node["controllerArgs"] if uses_api else arguments(robot, place))]
            plans.append(Plan(robot.name, name, command, folder, uses_api, on_libcontroller, in_step))
    for name, names in missing.items():
        warn(not_found(name, names, world_path))
    return plans


def arguments(robot: Robot, place: SimulationAddress) -> list[str]:
    """`controllerArgs`, then what rclpy reads."""
    own: list[str] = robot.node["controllerArgs"]
    rules = (f"__ns:={place.of_robot(robot.name)}", *place.rules)
    renamed = [word for rule in rules for word in ("-r", rule)]
    return [*own, "--ros-args", *renamed, "-p", "use_sim_time:=true"]


def imports(what: re.Pattern[str], script: Path) -> bool:
    """Whether a Python file, or another beside it, has such a line."""
    if script.suffix != ".py" or not script.is_file():
        return False
    for path in (script, *sorted(script.parent.glob("*.py"))):
        try:
            if what.search(path.read_text(encoding="utf-8", errors="replace")):
                return True
        except OSError:
            continue
    return False


def _is_python_for_webots(one: Plan) -> bool:
    """Whether it is a Python file that imports `controller`."""
    return one.uses_api and len(one.command) > 1 and imports(_IMPORT, Path(one.command[1]))


def environment(
    plan: Plan,
    socket: Path | None,
    place: SimulationAddress = NOWHERE,
    webots: WebotsHome | None = None,
) -> dict[str, str]:
    """As ours; Python prints at once and finds our packages where they are not installed.

    All find the simulation's socket, Python files the module `controller` too; those that use Webots' own
    library find that.
    """
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", NAMESPACE: place.namespace}
    paths = [str(CODE)] if is_source_tree() else []
    if plan.on_libcontroller and webots is not None and webots.library is not None:
        library = webots.library
        paths += [str(library.python)] if library.python is not None else []
        known = filter(None, [str(library.folder), os.environ.get("LD_LIBRARY_PATH")])
        variables["LD_LIBRARY_PATH"] = os.pathsep.join(known)
        variables["WEBOTS_HOME"] = str(library.home)
        variables["WEBOTS_INSTANCE_PATH"] = f"{webots.instance}/"
    elif socket is not None:
        if plan.command[0] == sys.executable:
            paths.insert(0, str(CODE / "webots_api"))
        variables["ODESIM_CONTROLLER_URL"] = str(socket)
        variables["ODESIM_ROBOT"] = plan.robot_name
    variables["WEBOTS_ROBOT_NAME"] = plan.robot_name
    if paths:
        variables["PYTHONPATH"] = os.pathsep.join([*paths, *filter(None, [os.environ.get("PYTHONPATH")])])
    return variables


def in_words(code: int) -> str:
    """What a return code of Popen says."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"killed by signal {-code}"
