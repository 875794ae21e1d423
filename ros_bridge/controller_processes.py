"""The controllers that a world names, as processes in their robots' namespaces.

A controller `name` is looked for as Webots does (Webots user guide, "The Standard File Hierarchy of a
Project"): the program `controllers/name/name`, then `controllers/name/name.py`, beside the folder of the
world; then among odesim's own (`ros_bridge/controllers`). A controller is started once and never again.
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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

from ros_bridge import end_with_parent
from ros_bridge.controllers import SHIPPED
from ros_bridge.names import robot_name
from ros_bridge.paths import CODE, is_source_tree
from sim_core.errors import ConfigError, hint
from sim_core.robot import EXTERN_CONTROLLER, NO_CONTROLLER, Robot

NICENESS = 15
"""Lower priority of controllers: where processors are short, the simulation keeps to real time first."""
STOP_SIGNALS = ((signal.SIGINT, 0.8), (signal.SIGTERM, 0.2), (signal.SIGKILL, 0.2))
"""How controllers are ended: signals, and the seconds each is given to help.

Our own get SIGTERM at once: rclpy takes it like SIGINT, but a Python that is still starting shows no
traceback.
"""


_IMPORT = re.compile(r"^\s*(from|import)\s+(controller|vehicle)\b", re.MULTILINE)


OTHER_LANGUAGES = (".c", ".cc", ".cpp", ".java", ".class", ".jar", ".m")
"""Endings of controllers that Webots would compile or run."""


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
    """It is a Python file that imports `controller`, Webots' interface."""


@dataclass
class _Running:
    """A controller's process, which leads a process group of its own."""

    plan: Plan
    process: subprocess.Popen[bytes]

    def send(self, number: signal.Signals) -> None:
        """Send a signal to it and to all that it started."""
        try:
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            return  # they are gone


class ControllerProcesses:
    """The processes of one simulation.

    Args:
        robots: robots without a controller, and those whose controller is `<extern>`, are passed over.
        world_path: the world file.
        log: gets the controllers' output line by line, each with its robot's name before it; called from
            another thread.
        socket: where those that import `controller` find the simulation; None: nowhere.
        warn: gets a line for each controller that is not there; None: `log` does.
        skip_missing: a controller that is not there is a warning, and its robot has none.

    Attributes:
        left_out: robots whose controllers are not there.

    Raises:
        ConfigError: one or more controllers are not there; nothing has been started.
    """

    def __init__(
        self,
        robots: Iterable[Robot],
        world_path: Path,
        log: Callable[[str], object],
        socket: Path | None = None,
        skip_missing: bool = False,
        warn: Callable[[str], object] | None = None,
    ) -> None:
        self._log = log
        self._warn = warn or log
        self._world_path = world_path
        self._socket = socket
        self._running: list[_Running] = []
        self._ended: list[_Running] = []  # by `end`, and not yet seen to be gone
        robots = list(robots)
        self._plans = plan(robots, world_path, self._warn if skip_missing else None)
        planned = [one.robot_name for one in self._plans]
        names = [one.name for one in robots if one.controller not in (*NO_CONTROLLER, EXTERN_CONTROLLER)]
        self.left_out = [name for name in names if name not in planned]
        self._selector = selectors.DefaultSelector()
        self._reading = False
        self._lock = threading.Lock()  # for `_reading`
        self._reader = threading.Thread()

    def start(self) -> None:
        """Start all processes; does not wait for them to be ready."""
        for one in self._plans:
            self._launch(one)

    def folder(self, robot_name: str) -> Path | None:
        """Where the controller of a robot runs; None: it has none, or one of our own."""
        return next((one.folder for one in self._plans if one.robot_name == robot_name), None)

    def start_for(self, robots: Iterable[Robot]) -> list[str]:
        """Start the controllers of robots that have come; those that are not there are said.

        Returns:
            The names of the robots that have got one.
        """
        plans = plan(robots, self._world_path, self._warn)
        self._plans += plans
        for one in plans:
            self._launch(one)
        return [one.robot_name for one in plans]

    def end(self, robot_name: str) -> bool:
        """Ask the controller of a robot to end, whose exit is then not reported; False: it has none."""
        mine = [one for one in self._running if one.plan.robot_name == robot_name]
        for one in mine:
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
        """The controllers that ended since the last call."""
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

    def _launch(self, one: Plan) -> None:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", end_with_parent.__file__, str(os.getpid()), *one.command],
            cwd=one.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(one, self._socket),
            process_group=0,  # Ctrl-C at the terminal reaches the simulation alone, which then stops us
        )
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        self._running.append(_Running(one, process))
        assert process.stdout is not None  # because of PIPE
        os.set_blocking(process.stdout.fileno(), False)
        with self._lock:
            self._selector.register(process.stdout, selectors.EVENT_READ, _Lines(one.robot_name, self._log))
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


class _Lines:
    """Puts the output of one controller together to lines."""

    def __init__(self, robot_name: str, log: Callable[[str], object]) -> None:
        self._prefix = f"{robot_name}: "
        self._log = log
        self._rest = b""

    def forward(self, stream: IO[bytes]) -> bool:
        """Log what can be read now; False: there will be no more."""
        data = stream.read(65536)
        if data is None:
            return True
        *lines, self._rest = (self._rest + data).split(b"\n")
        if not data and self._rest:
            lines.append(self._rest)
        for line in lines:
            self._log(self._prefix + line.decode(errors="replace").rstrip())
        return bool(data)


def plan(
    robots: Iterable[Robot], world_path: Path, skip: Callable[[str], object] | None = None
) -> list[Plan]:
    """The processes to start.

    Args:
        robots: those of the world.
        world_path: its file.
        skip: gets one line per controller that is not there.

    Raises:
        ConfigError: with one line per controller that is not there, if `skip` is None.
    """
    plans: list[Plan] = []
    missing: dict[str, list[str]] = {}
    for robot in robots:
        name = robot.controller
        if name in NO_CONTROLLER or name == EXTERN_CONTROLLER:
            continue
        program = find_controller(name, world_path)
        if program is None:
            missing.setdefault(name, []).append(robot.name)
        else:
            path = Path(program[-1])
            folder = path.parent if path.is_absolute() else None
            uses_api = imports_controller(path)
            command = [*program, *(robot.node["controllerArgs"] if uses_api else arguments(robot))]
            plans.append(Plan(robot.name, name, command, folder, uses_api))
    lines = [not_found(name, names, world_path) for name, names in missing.items()]
    if lines and skip is None:
        raise ConfigError("\n".join(lines))
    for line in lines:
        assert skip is not None
        skip(line)
    return plans


def find_controller(name: str, world_path: Path) -> list[str] | None:
    """The start of the command line of a controller; None if there is none of that name."""
    program, script = places(name, world_path)
    if program.is_file() and os.access(program, os.X_OK):
        return [str(program)]
    if script.is_file():
        return [sys.executable, str(script)]
    if name in SHIPPED:
        return [sys.executable, "-m", f"ros_bridge.controllers.{name}"]
    return None


def places(name: str, world_path: Path) -> tuple[Path, Path]:
    """The program and the Python file that a controller may be, beside the folder of the world."""
    folder = world_path.resolve().parent.parent / "controllers" / name
    return folder / name, folder / f"{name}.py"


def not_found(name: str, robot_names: list[str], world_path: Path) -> str:
    """The error for a controller that is not there."""
    program, script = places(name, world_path)
    robots = ", ".join(robot_names)
    other = next((path for path in sorted(program.parent.glob("*")) if path.suffix in OTHER_LANGUAGES), None)
    if other is not None:
        expected = "expected a Python file: other languages are not supported"
        return f'{robots}: controller "{name}" is {other}, {expected}'
    return (
        f'{robots}: no controller "{name}", looked for {program}, {script} '
        f"and among odesim's own: {', '.join(SHIPPED)}{hint(name, SHIPPED)}"
    )


def arguments(robot: Robot) -> list[str]:
    """`controllerArgs`, then what rclpy reads."""
    own: list[str] = robot.node["controllerArgs"]
    return [*own, "--ros-args", "-r", f"__ns:=/{robot_name(robot.name)}", "-p", "use_sim_time:=true"]


def imports_controller(script: Path) -> bool:
    """Whether a Python file, or another beside it, imports Webots' module `controller` or `vehicle`."""
    if script.suffix != ".py" or not script.is_file():
        return False
    for path in (script, *sorted(script.parent.glob("*.py"))):
        try:
            if _IMPORT.search(path.read_text(encoding="utf-8", errors="replace")):
                return True
        except OSError:
            continue
    return False


def environment(plan: Plan, socket: Path | None) -> dict[str, str]:
    """As ours; Python prints at once and finds our packages where they are not installed.

    Python files find the module `controller` and the simulation's socket too.
    """
    variables = {**os.environ, "PYTHONUNBUFFERED": "1"}
    paths = [str(CODE)] if is_source_tree() else []
    if socket is not None and plan.command[0] == sys.executable:
        paths.insert(0, str(CODE / "webots_api"))
        variables["ODESIM_CONTROLLER_URL"] = str(socket)
        variables["ODESIM_ROBOT"] = variables["WEBOTS_ROBOT_NAME"] = plan.robot_name
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
