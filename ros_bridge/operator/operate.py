"""`odesim operator`: the operator's station at a terminal, or in a script."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions

from ros_bridge.controllers.robot_client import SIM_TIME
from ros_bridge.node import middleware
from ros_bridge.node.ros_thread import RosThread
from ros_bridge.node.signals import handled_signals
from ros_bridge.operator.console import HELP, Console
from ros_bridge.operator.link import PERIOD
from ros_bridge.operator.sensors import TABLES
from ros_bridge.operator.station import Station
from ros_bridge.topics.names import legal_name
from sim_core.base.clock import LONGEST
from sim_core.base.errors import ConfigError, OdesimError

FIRST_WORD = 3.0
"""Seconds until it is said that nobody answers."""


@dataclass(frozen=True)
class OperatorOptions:
    """What the command line says.

    Attributes:
        folder: in which each recording makes a folder of its own.
        sensors: recorded from the start on; `all` for all.
        duration: s of simulated time until the end; None: until `exit` or Ctrl-C.
    """

    robot: str = "ute"
    folder: str = "runs"
    sensors: tuple[str, ...] = ()
    duration: float | None = None
    ros_args: tuple[str, ...] = ()


def check_options(options: OperatorOptions) -> None:
    """Refuse what cannot be meant.

    Raises:
        ConfigError: no such name is possible, the duration is no time, the folder is a file.
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
    """Carry out the lines of standard input until `exit`, the end of time, or Ctrl-C.

    Raises:
        OdesimError: wrong options.
    """
    check_options(options)
    middleware.prepare()
    rclpy.init(args=list(options.ros_args), signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("operator", parameter_overrides=SIM_TIME)
    ros = RosThread(node)
    station = Station(node, options.robot)
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
            said = station.end_recording()
            if said:
                print(said, flush=True)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ros.stop()
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _serve(node: Any, station: Station, console: Console, duration: float | None) -> None:
    """Beat, listen to the input, say when the link comes or goes, flush the files."""
    lines, next_beat, alive = InputLines(), 0.0, False
    first_word: float | None = time.monotonic() + FIRST_WORD
    while not console.ended:
        now = time.monotonic()
        if now >= next_beat:
            next_beat = now + PERIOD
            station.link.beat(now)
            station.flush()
        if station.link.is_alive(now) != alive:
            alive, first_word = not alive, None
            print(station.link.state(now), flush=True)
        if first_word is not None and now >= first_word:
            first_word = None
            print(f"{station.link.state(now)}: waiting for a ute, odesim run ute", flush=True)
        if duration is not None and node.get_clock().now().nanoseconds >= duration * 1e9:
            return
        wait = max(0.0, min(next_beat - now, 0.1))
        for line in lines.wait(wait):
            try:
                said = console.run(line)
            except OdesimError as error:
                said = f"refused: {error}"
            if said:
                print(said, flush=True)


class InputLines:
    """The lines of standard input, as they come."""

    def __init__(self) -> None:
        self._rest = b""
        self._open = True

    def wait(self, seconds: float) -> list[str]:
        """Wait for input, at most so long; returns the lines that are complete."""
        if not self._open:
            time.sleep(seconds)
            return []
        # not through sys.stdin: what that has read ahead, select does not see
        if not select.select([0], [], [], seconds)[0]:
            return []
        data = os.read(0, 4096)
        self._open = bool(data)
        *lines, self._rest = (self._rest + (data or b"\n")).split(b"\n")
        return [line.decode(errors="replace") for line in lines]
