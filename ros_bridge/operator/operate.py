"""`odesim operator`: the operator's station in a terminal or script, with one command per line of input."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions

from ros_bridge.base import middleware
from ros_bridge.base.ros_thread import RosThread, SpunNode
from ros_bridge.base.signals import handled_signals
from ros_bridge.controllers.robot_client import SIM_TIME
from ros_bridge.operator.heartbeat import PERIOD
from ros_bridge.operator.sensors import TABLES
from ros_bridge.operator.station import Station
from ros_bridge.topics.names import legal_name
from sim_core.base.clock import LONGEST
from sim_core.base.errors import CommandError, ConfigError, OdesimError, hint

FIRST_WORD = 3.0
"""Seconds until a missing answer is reported."""


@dataclass(frozen=True)
class OperatorOptions:
    """Options of the command line.

    Attributes:
        folder: parent of the recordings' folders.
        sensors: recorded from the start; `all` for all.
        duration: s of sim time until the end; None: until `exit`, Ctrl-C or the end of the input.
        binary: write binary files.
    """

    robot: str = "ute"
    folder: str = "runs"
    sensors: tuple[str, ...] = ()
    duration: float | None = None
    binary: bool = False
    ros_args: tuple[str, ...] = ()


def check_options(options: OperatorOptions) -> None:
    """Refuse invalid options.

    Raises:
        ConfigError: the name is not possible, the duration is invalid, or the folder is a file.
    """
    if legal_name(options.robot) != options.robot:
        raise ConfigError(f'--robot: found "{options.robot}", expected a name of a robot on ROS, such as ute')
    if options.duration is not None and not 0.0 < options.duration <= LONGEST:
        raise ConfigError(
            f"--duration: found {options.duration:g}, expected a number above 0, up to {LONGEST:g}"
        )
    if Path(options.folder).exists() and not Path(options.folder).is_dir():
        raise ConfigError(f"--folder: found the file {options.folder}, expected a folder, there or not")


def operate(options: OperatorOptions) -> int:
    """Execute lines of standard input until `exit`, Ctrl-C, the duration or, without one, the end of input.

    Raises:
        OdesimError: options are invalid.
    """
    check_options(options)
    middleware.prepare()
    rclpy.init(args=list(options.ros_args), signal_handler_options=SignalHandlerOptions.NO)
    node = SpunNode("operator", parameter_overrides=SIM_TIME)
    ros = RosThread(node)
    station = Station(node, options.robot, binary=options.binary)
    console = Console(station, Path(options.folder))
    try:
        with handled_signals() as stop_asked:
            stop_asked(lambda: setattr(console, "ended", True))
            ros.start()
            if options.sensors:
                names = TABLES if "all" in options.sensors else options.sensors
                print(f"recording into {station.record(names, Path(options.folder))}", flush=True)
            elif sys.stdin.isatty():
                print(HELP, flush=True)
            _serve(node, station, console, options.duration)
            answer = station.end_recording()
            if answer:
                print(answer, flush=True)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ros.stop_spinning()
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _serve(node: Any, station: Station, console: Console, duration: float | None) -> None:
    """Send beats, execute the input, report changes of link and alarm, flush the files."""
    lines, next_beat, alive, alarm = InputLines(), 0.0, False, ""
    first_word: float | None = time.monotonic() + FIRST_WORD
    while not console.ended:
        now = time.monotonic()
        if now >= next_beat:
            next_beat = now + PERIOD
            station.heartbeat.beat(now)
            station.flush()
        if station.heartbeat.is_alive(now) != alive:
            alive, first_word = not alive, None
            print(station.heartbeat.state(now), flush=True)
        if station.compass_alarm() != alarm:
            alarm = station.compass_alarm()
            print(f"compass: {alarm or 'ok again'}", flush=True)
        if first_word is not None and now >= first_word:
            first_word = None
            print(
                f"{station.heartbeat.state(now)}: waiting for a ute; start one with odesim run ute",
                flush=True,
            )
        if duration is not None and node.get_clock().now().nanoseconds >= duration * 1e9:
            return
        wait = max(0.0, min(next_beat - now, 0.1))
        for line in lines.wait(wait):
            try:
                answer = console.run(line)
            except OdesimError as error:
                answer = f"refused: {error}"
            if answer:
                print(answer, flush=True)
        if lines.ended and duration is None:
            return


class InputLines:
    """Lines of standard input as they arrive.

    Attributes:
        ended: whether the input has ended.
    """

    def __init__(self) -> None:
        self._rest = b""
        self.ended = False

    def wait(self, seconds: float) -> list[str]:
        """Wait for input, at most `seconds`; return complete lines."""
        if self.ended:
            time.sleep(seconds)
            return []
        # not through sys.stdin: select does not see what its buffer has read ahead
        if not select.select([0], [], [], seconds)[0]:
            return []
        data = os.read(0, 4096)
        self.ended = not data
        *lines, self._rest = (self._rest + (data or b"\n")).split(b"\n")
        return [line.decode(errors="replace") for line in lines]


HELP = f"""\
all                            record all sensors, in a new folder
select SENSOR ...              record these: {", ".join(TABLES)}
end                            stop the recording
format csv|binary              format of the next recording
ping                           check the link
set ACTUATOR VALUE             set point: steering in rad, accelerator and brake from 0 to 1
pid ACTUATOR SETTING VALUE     kp, ki, kd, se_min, se_max, y_min, y_max
mode manual|automatic          set points by the operator, or by the ute
clutch closed|open             open: the steering moves freely
speed VALUE                    m/s, in the mode automatic
stop, release                  urgent stop, and its end
help, exit"""


class Console:
    """Executes commands.

    Attributes:
        ended: whether `exit` was entered.
    """

    def __init__(self, station: Station, folder: Path) -> None:
        self.ended = False
        self._station = station
        self._folder = folder
        self._commands: dict[str, tuple[tuple[int, int], Callable[..., str]]] = {
            "all": ((0, 0), lambda: self._record(*TABLES)),
            "select": ((0, len(TABLES)), self._record),
            "end": ((0, 0), lambda: station.end_recording() or "there is no recording"),
            "ping": ((0, 0), lambda: station.heartbeat.state(time.monotonic())),
            "set": ((2, 2), self._set),
            "pid": ((3, 3), self._pid),
            "format": ((1, 1), self._format),
            "mode": ((1, 1), self._mode),
            "clutch": ((1, 1), self._clutch),
            "speed": ((1, 1), self._speed),
            "stop": ((0, 0), lambda: self._stop(True)),
            "release": ((0, 0), lambda: self._stop(False)),
            "help": ((0, 0), lambda: HELP),
            "exit": ((0, 0), self._exit),
        }

    def run(self, line: str) -> str:
        """Execute one line; return the text to print, empty for an empty line.

        Raises:
            OdesimError: the line is refused; nothing has changed.
        """
        words = line.split()
        if not words:
            return ""
        name, arguments = words[0], words[1:]
        if name not in self._commands:
            known = list(self._commands)
            raise CommandError(f'found "{name}", expected one of {", ".join(known)}{hint(name, known)}')
        (least, most), command = self._commands[name]
        if not least <= len(arguments) <= most:
            expected = f"{least}" if least == most else f"{least} to {most}"
            raise CommandError(
                f"{name}: found {len(arguments)} words after it, expected {expected}; see help"
            )
        return command(*arguments)

    def _record(self, *sensors: str) -> str:
        return f"recording into {self._station.record(sensors, self._folder)}"

    def _set(self, actuator: str, value: str) -> str:
        self._station.set_point(actuator, number(value))
        return f"{actuator}: set point {number(value):g} applied"

    def _pid(self, actuator: str, setting: str, value: str) -> str:
        self._station.set_pid(actuator, setting, number(value))
        return f"{actuator}.{setting} is {number(value):g}"

    def _mode(self, mode: str) -> str:
        self._station.set_mode(mode)
        return f"mode {mode}"

    def _format(self, name: str) -> str:
        self._station.binary = _one_of(name, ("csv", "binary")) == "binary"
        return f"the next files are {name}"

    def _clutch(self, state: str) -> str:
        self._station.set_clutch(_one_of(state, ("closed", "open")) == "closed")
        return f"clutch {state}"

    def _speed(self, speed: str) -> str:
        self._station.set_cruise_speed(number(speed))
        return f"speed {number(speed):g} m/s"

    def _stop(self, on: bool) -> str:
        self._station.urgent_stop(on)
        return ("urgent stop sent" if on else "release sent") + self._connection_warning()

    def _connection_warning(self) -> str:
        """Return what to add to "sent" if the message may not arrive."""
        now, heartbeat = time.monotonic(), self._station.heartbeat
        return "" if heartbeat.is_alive(now) else f", but {heartbeat.state(now)}"

    def _exit(self) -> str:
        self.ended = True
        return ""


def _one_of(word: str, words: tuple[str, ...]) -> str:
    """Return a word if it is one of `words`.

    Raises:
        CommandError: it is not.
    """
    if word not in words:
        raise CommandError(f'found "{word}", expected {" or ".join(words)}{hint(word, words)}')
    return word


def number(text: str) -> float:
    """Convert text to a number.

    Raises:
        CommandError: it is not one.
    """
    try:
        return float(text)
    except ValueError:
        raise CommandError(f'found "{text}", expected a number') from None
