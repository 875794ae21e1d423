"""One controller's connection with Webots' protocol.

Each packet is converted to the messages of odesim's own protocol; their answers are combined to one packet
again. So both kinds of controllers are served by the same code, in the same order.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from ros_bridge.controller_api.server import SEND_SECONDS, received_now
from ros_bridge.webots_protocol.answers import Answer, Answers, packets
from ros_bridge.webots_protocol.configure import configure_device, configure_robot, device_type, introduce
from ros_bridge.webots_protocol.known_nodes import ROBOT_TAG
from ros_bridge.webots_protocol.layout import PacketError, PacketReader
from ros_bridge.webots_protocol.messages import from_controller, pack
from ros_bridge.webots_protocol.requests import (
    HEADER,
    ROBOT,
    Call,
    ControllerRequest,
    DeviceRequests,
    WireDevice,
    blocks,
    nothing,
)
from ros_bridge.webots_protocol.supervisor import SupervisorMessages
from ros_bridge.webots_protocol.versions import Version
from webots_api.controller.connection import ALWAYS_SENT, PROTOCOL
from webots_api.controller.robot import CLASSES
from webots_api.controller.user_input import DEVICES, KIND_OF_EVENT, NO_EVENT

LONGEST_PACKET = 512 << 20
ROBOT_COMMANDS = ("battery", "custom", "window", *DEVICES)
PIN = "pin"
"""Device of the robot that is not simulated; a line is logged when it is enabled."""


class SimulationAccess(Protocol):
    """Functions of the simulation used by a connection.

    Attributes:
        input: present input of the user, by kind.
    """

    input: dict[str, Any]

    def received(self, connection: Any, message: dict[str, Any]) -> object:
        """Answer a message, at once or later, with `connection.send`."""

    def query(self, connection: Any, name: str, *arguments: Any) -> Any:
        """Answer a query at once; None: it was refused."""

    def warn(self, line: str) -> object:
        """Write a line to the log."""

    def edits(self) -> int:
        """Return the number of changes of the world other than motion."""

    def wait_for_input(
        self, connection: Any, seconds: float, events: int, ended: Callable[[int], object]
    ) -> None:
        """Call `ended` with the first of some events, or with `NO_EVENT` after some seconds."""


class WebotsConnection:
    """Connection of a client whose robot is known.

    Args:
        peer: its socket.
        robot: name of the robot.
        version: of its libController.
        simulation: simulation that it is connected to.
        folder: for pictures; None: it is connected by TCP.

    Attributes:
        is_open: whether it has not been requested to end yet.
    """

    expected = "a packet of Webots' protocol"

    def __init__(
        self,
        peer: socket.socket,
        robot: str,
        version: Version,
        simulation: SimulationAccess,
        folder: Path | None,
    ) -> None:
        self.is_open = True
        self._peer, self._robot, self._version, self._simulation = peer, robot, version, simulation
        self._folder = folder
        self._data = b""
        self._request: ControllerRequest | None = None
        self._pending: Call | str | None = None
        self._answer = Answer()
        self._is_busy = self._is_configured = False
        self._devices: dict[int, WireDevice] = {}
        self._speakers: list[WireDevice] = []
        self._all = 0
        self._requests = DeviceRequests(self._devices, version)
        self._answers = Answers(self._devices, folder)
        self._supervisor = SupervisorMessages(version, self._query, self._devices)
        self._is_supervisor = False
        self._edits = simulation.edits()
        self._has_reported_pin = False
        self._awaited: tuple[int, float] | None = None
        self._time_ns = 0
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))

    def _query(self, name: str, *arguments: Any) -> Any:
        return self._simulation.query(self, name, *arguments)

    # ---- incoming

    def read(self) -> bool:
        """Read what has arrived; return False at the end of the connection.

        Raises:
            PacketError: the data are not a valid packet.
        """
        data = received_now(self._peer)
        if not data:
            return data is None
        self.feed(data)
        return True

    def feed(self, data: bytes) -> None:
        """Handle received data.

        Raises:
            PacketError: the data are not a valid packet.
        """
        self._data += data
        self._continue()

    def _continue(self) -> None:
        """Pass requests to the simulation until it answers one later or none is left."""
        if self._is_busy:
            return
        self._is_busy = True
        try:
            while self.is_open and self._pending is None and (message := self._next()) is not None:
                self._simulation.received(self, message)
        finally:
            self._is_busy = False

    def _next(self) -> dict[str, Any] | None:
        request = self._request
        if request is None:
            packet = self._take_packet()
            if packet is None:
                return None
            if not self._is_configured:
                self._pending = "hello"
                return {"do": "hello", "robot": self._robot, "protocol": PROTOCOL}
            request = self._request = self._parse(packet)
            self._answer.data += request.answer
            if not request.calls:
                return self._step(request)
        if request.calls:
            call = self._pending = request.calls.pop(0)
            commands, request.commands = request.commands, []
            arguments = list(call.arguments)
            return {"do": "call", "name": call.name, "with": arguments, "commands": commands}
        return self._step(request)

    def _step(self, request: ControllerRequest) -> dict[str, Any]:
        self._pending = "step"
        return {"do": "step", "ms": request.step, "commands": request.commands}

    def _take_packet(self) -> bytes | None:
        data = self._data
        if len(data) < 4:
            return None
        (size,) = struct.unpack_from("<I", data)
        if size == 0:  # the client announces its end; the end of the stream follows
            self._data = data[4:]
            return None
        if not HEADER.size <= size <= LONGEST_PACKET:
            raise PacketError(f"a size of {size} bytes")
        if len(data) < size:
            return None
        self._data = data[size:]
        return data[:size]

    def _parse(self, packet: bytes) -> ControllerRequest:
        request = ControllerRequest(HEADER.unpack_from(packet)[1])
        for tag, block in blocks(packet):
            if tag:
                self._requests.read_block(tag, block, request)
            else:
                self._read_robot(block, request)
        return request

    def _read_robot(self, packet: PacketReader, request: ControllerRequest) -> None:
        """Read the messages to the robot, including a supervisor's."""
        while packet.left:
            number = packet.number("u8")
            message = from_controller("Robot").get(number)
            if message is None:
                message = from_controller("Supervisor").get(number)
                if message is None or not self._is_supervisor:
                    raise PacketError(f"message {number} to a robot, which has none of this number")
                call = self._supervisor.read_message(message.name, message.layout.unpack(packet), packet)
                if call is not None:
                    request.calls.append(call)
                continue
            self._act(message.name, message.layout.unpack(packet), request)

    def _act(self, name: str, values: list[Any], request: ControllerRequest) -> None:
        """Execute a message to the robot itself."""
        if name in ROBOT_COMMANDS:
            value = values[0]
            if name == "window":
                value = value.rstrip(b"\0").decode(errors="replace")
            request.commands.append([ROBOT, name, bool(value) if name in DEVICES else value])
        elif name == "urdf":
            request.calls.append(
                Call("urdf", (values[0],), lambda found: ROBOT_TAG + pack("Robot", "urdf", found or ""))
            )
        elif name == "console":
            for line in values[1].splitlines():
                self._simulation.warn(f"{self._robot}: {line}")
        elif name == "wait_for_input":
            self._awaited = (values[0], values[1] / 1e3)
            request.calls.append(Call("input", (), nothing))
        elif name == "mouse_position":
            self._answers.reports_position = bool(values[0])
        elif name == PIN and values[0] and not self._has_reported_pin:
            self._has_reported_pin = True
            self._simulation.warn(f"{self._robot}: {name} is not supported and has no effect")

    # ---- answers of the simulation

    def send(self, message: dict[str, Any]) -> None:
        """Take the answer to the last message; the client is answered after all messages of its packet.

        A controller that has gone is ignored.
        """
        if message.get("end"):
            self._quit()
            return
        pending, self._pending = self._pending, None
        for line in message.get("lines", ()):
            self._simulation.warn(f"{self._robot}: {line}")
        if pending == "hello":
            self._configure(message)
        elif isinstance(pending, Call):
            self._take_answer(pending, message)
        elif "error" in message and not self._is_configured:  # logged by the simulation
            self._quit()
        elif "error" in message:
            self._flush(0)
        else:
            self._end_step(message)
        self._continue()

    def _take_answer(self, call: Call, message: dict[str, Any]) -> None:
        if "error" in message:
            self._simulation.warn(f"{self._robot}: {message['error']}")
        else:
            self._answers.add_time(message["time"], self._answer)
            self._add_devices(message.get("devices", ()))
        self._answer.data += call.pack(message.get("result"))
        assert self._request is not None
        if not self._request.calls and self._request.step == 0:
            self._flush(0)

    def _end_step(self, answer: dict[str, Any]) -> None:
        before_ns, self._time_ns = self._time_ns, round(answer["time"] * 1e9)
        self._answers.add_time(answer["time"], self._answer)
        if len(answer) > ALWAYS_SENT:
            self._add_devices(answer.get("devices", ()))
            self._is_supervisor = answer.get("supervisor", self._is_supervisor)
        self._answers.add_step(answer, self._answer)
        if self._is_supervisor:
            self._answer.data += self._supervisor.tracked(before_ns, self._time_ns)
            self._answer.data += self._supervisor.movie()
        if self._speakers:
            self._end_sounds(answer["time"])
        self._flush(answer["late"])

    def _flush(self, delay: int) -> None:
        """Send the answer to the client, with all changes since the last one."""
        if self._is_supervisor and self._simulation.edits() != self._edits:
            self._edits = self._simulation.edits()
            self._answer.data += self._supervisor.change_messages()
        if self._request is not None and self._request.wants_pictures:
            self._answers.open_files(self._answer)
        self._request = None
        answer, self._answer = self._answer, Answer()
        self._write(delay, answer)
        if self._awaited is not None:
            events, seconds = self._awaited
            self._awaited = None
            self._simulation.wait_for_input(self, seconds, events, self._end_wait)

    def _end_wait(self, event: int) -> None:
        answer = Answer()
        if event != NO_EVENT:
            kind = KIND_OF_EVENT[event]
            self._answers.add_input({kind: self._simulation.input[kind]}, answer)
        answer.data += ROBOT_TAG + pack("Robot", "input", event)
        self._write(0, answer)

    def _write(self, delay: int, answer: Answer) -> None:
        try:
            for data in packets(delay, answer, self._folder is None):
                self._peer.sendall(data)
        except OSError:  # its end is noticed when reading
            self.is_open = False
            self._shut_down()

    def _configure(self, world: dict[str, Any]) -> None:
        if "error" in world:
            self._simulation.warn(f"{self._robot}: {world['error']}")
            self._quit()
            return
        self._is_configured = True
        self._is_supervisor = bool(world["robot"]["supervisor"])
        self._time_ns = round(world["time"] * 1e9)
        known = self._supported_devices(world["devices"], 0)
        self._answer.data += configure_robot(world, [about for _, about in known], self._version, "")
        if self._is_supervisor:
            own = self._query("node_self")
            self._answer.data += self._supervisor.nodes.introduce(own["id"])
        self._announce_devices([each for each, _ in known])
        self._flush(0)

    def _supported_devices(
        self, descriptions: list[dict[str, Any]], first: int
    ) -> list[tuple[WireDevice, dict[str, Any]]]:
        """Yield the devices supported by libController, each with its number on the wire."""
        known = []
        for index, each in enumerate(descriptions, first):
            kind = device_type(each)
            if each["type"] in CLASSES and self._version.node_number(kind) and each.get("is_simulated", True):
                device = WireDevice(len(self._devices) + 1, index, kind, each)
                self._devices[device.tag] = device
                known.append((device, each))
        self._all = first + len(descriptions)
        self._speakers += [each for each, _ in known if each.kind == "Speaker"]
        self._answers.add_devices()
        return known

    def _announce_devices(self, devices: list[WireDevice]) -> None:
        tags = {each.index: each.tag for each in self._devices.values()}
        for each in devices:
            self._answer.data += configure_device(each.description, each.tag, tags, self._version)

    def _add_devices(self, descriptions: Any) -> None:
        if not descriptions:
            return
        known = self._supported_devices(list(descriptions), self._all)
        self._answer.data += ROBOT_TAG + pack("Robot", "new_devices") + struct.pack("<H", len(known))
        for _, each in known:
            self._answer.data += introduce(each, self._version)
        self._announce_devices([each for each, _ in known])

    def _end_sounds(self, now: float) -> None:
        for device in self._speakers:
            playing = {name for name in device.sounds if self._query("is_playing", device.index, name)}
            self._answers.sounds_over(device, device.sounds - playing, now, self._answer)
            device.sounds = playing

    # ---- the end

    def _quit(self) -> None:
        """Tell the client to end, and answer its requests once more before it goes."""
        if not self.is_open:
            return
        over = Answer()
        over.data += ROBOT_TAG + pack("Robot", "quit")
        self._write(0, over)
        self._write(0, Answer())
        self.is_open = False

    def close(self) -> None:
        """Close the connection; the client is informed first, otherwise it would wait forever."""
        self._quit()
        self._shut_down()
        self._peer.close()
        self._answers.close()

    def _shut_down(self) -> None:
        with suppress(OSError):  # the peer may have closed it already
            self._peer.shutdown(socket.SHUT_RDWR)
