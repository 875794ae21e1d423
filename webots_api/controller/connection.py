"""The connection of a controller to its simulation."""

from __future__ import annotations

import math
import os
import socket
import sys
from typing import Any, NoReturn

from .user_input import NO_INPUT
from .wire import Incoming, WireError, pack, receive

SOCKET_VARIABLE = "ODESIM_CONTROLLER_URL"
ROBOT_VARIABLE = "ODESIM_ROBOT"
PROTOCOL = 3
OVER_TCP = "tcp://"
"""Prefix of the address of a simulation that is reached over TCP instead of a local socket."""
ALWAYS_SENT = 3
"""Number of parts that each answer to a step has: time, delay and readings."""
ACCUMULATE = ("Receiver",)
"""Devices whose readings are appended to those not yet read."""


class Connection:
    """Connection to the simulation: commands are sent with the next step or query; a step returns readings.

    Attributes:
        world: description of the simulation and the robot.
        time: sim time in s.
        devices: description of each device, by its number.
        values: last reading of each device, by its number.
        settings: settings made by the controller, by the number of the device.
        queued: bytes in the queues of emitters, by the number of the device.
        input: input of the user, by kind; see `user_input`.
        steps: number of completed steps.
        window: unread messages of the robot window.
        custom: the robot's customData.
        ended: whether the simulation has ended.
    """

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.settings: dict[int, dict[str, Any]] = {}
        self.queued: dict[int, int] = {}
        self.input = dict(NO_INPUT)
        self.window: list[str] = []
        self.steps = 0
        self.ended = False
        self.devices: list[dict[str, Any]] = []
        self._commands: list[list[Any]] = []
        self._socket = self._connect()
        self._incoming = Incoming()
        self.world: dict[str, Any] = self._ask(
            {"do": "hello", "robot": os.environ.get(ROBOT_VARIABLE, ""), "protocol": PROTOCOL}
        )
        if self.ended or "error" in self.world:
            fail(self.world.get("error", "the simulation has ended"))
        self.time: float = self.world["time"]
        self.custom: str = self.world["custom"]

    def command(self, tag: int, name: str, *arguments: Any) -> None:
        """Store a command of a device, which is sent with the next step."""
        self._commands.append([tag, name, *arguments])

    def set(self, tag: int, name: str, value: Any) -> None:
        """Store a setting and send it with the next step."""
        self.settings.setdefault(tag, {})[name] = value

    def setting(self, tag: int, name: str, default: Any = None) -> Any:
        """Return a setting made by the controller."""
        return self.settings.get(tag, {}).get(name, default)

    def step(self, milliseconds: int) -> int:
        """Step the simulation by a time; return 0, the delay in ms, or -1 if the simulation has ended."""
        commands, self._commands = self._commands, []
        answer = self._ask({"do": "step", "ms": milliseconds, "commands": commands})
        if self.ended:
            return -1
        self.time = answer["time"]
        self.steps += 1
        for number, value in answer["readings"]:
            if self.devices[number]["type"] in ACCUMULATE:
                kept = None if answer.get("reset") else self.values.get(number)
                self._keep(number, kept if isinstance(kept, list) else [], value)
            else:
                self.values[number] = value
        self.queued.clear()
        if len(answer) > ALWAYS_SENT:
            self._take_rest(answer)
        return int(answer["late"])

    def _take_rest(self, answer: dict[str, Any]) -> None:
        """Take the parts of a step's answer that few answers have."""
        self.queued.update(answer.get("queued", ()))
        for number, position in answer.get("positions", ()):
            self.set(number, "measured", position)
        self._take_input(answer)
        self.window += answer.get("window", ())
        self.custom = answer.get("custom", self.custom)
        robot = self.world["robot"]
        robot["supervisor"] = answer.get("supervisor", robot["supervisor"])
        if "battery" in answer:
            self.set(-1, "battery", answer["battery"])

    def call(self, name: str, *arguments: Any) -> Any:
        """Send a query and return its answer; None if it was refused, with the reason printed in one line."""
        if self.ended:
            return None
        commands, self._commands = self._commands, []
        answer = self._ask({"do": "call", "name": name, "with": arguments, "commands": commands})
        if self.ended:
            return None
        self.time = answer.get("time", self.time)
        self._take_input(answer)
        if "error" in answer:
            print_error(answer["error"])
        return answer.get("result")

    def _take_input(self, answer: dict[str, Any]) -> None:
        self.input |= {kind: answer[kind] for kind in self.input if kind in answer}

    def _keep(self, number: int, kept: list[Any], packets: list[Any]) -> None:
        """Append packets to the unread ones, as far as the receiver's `bufferSize` allows."""
        room = self.devices[number]["fields"].get("bufferSize", -1)
        used = sum(len(packet[0]) for packet in kept)
        for packet in packets:
            if room < 0 or used + len(packet[0]) <= room:
                used += len(packet[0])
                kept.append(packet)
        self.values[number] = kept

    def _connect(self) -> socket.socket:
        place = os.environ.get(SOCKET_VARIABLE, "")
        if not place:
            fail(
                f"no simulation: {SOCKET_VARIABLE} is not set; `odesim run WORLD` starts controllers, "
                "`odesim controller ROBOT FILE` one by hand"
            )
        try:
            if place.startswith(OVER_TCP):
                host, _, port = place.removeprefix(OVER_TCP).rpartition(":")
                connection = socket.create_connection((host, int(port)))
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            else:
                connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                connection.connect(place)
        except (OSError, ValueError) as error:
            fail(f"no simulation answers at {place}: {error}")
        return connection

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        if self.ended:
            return {}
        try:
            data = pack(message)
        except TypeError as error:
            print_error(str(error))
            data = pack({**message, "commands": []})
        try:
            self._socket.sendall(data)
            answer = receive(self._socket, self._incoming)
        except (OSError, WireError):
            answer = None
        if answer is None or answer.get("end"):
            self.ended = True
            return {}
        self.devices += answer.get("devices", ())
        for line in answer.get("lines", ()):
            print_error(line)
        return answer


def print_error(text: str) -> None:
    """Print a line to stderr."""
    print(text, file=sys.stderr, flush=True)


def fail(text: str) -> NoReturn:
    """Print a line to stderr and end the controller.

    Raises:
        SystemExit: always.
    """
    print_error(f"controller: {text}")
    raise SystemExit(2)


_connection: Connection | None = None


def connection() -> Connection:
    """Return the connection, made at the first call."""
    global _connection
    if _connection is None:
        _connection = Connection()
    return _connection
