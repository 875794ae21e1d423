"""Messages of a controller between two answers: commands to devices, queries, and the step."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from ros_bridge.webots_protocol.layout import PacketError, PacketReader
from ros_bridge.webots_protocol.messages import MOTORS, from_controller, number_of, pack
from ros_bridge.webots_protocol.versions import Version

HEADER = struct.Struct("<II")
BLOCK = struct.Struct("<Hi")
ROBOT = -1
"""Index of the robot; its devices have indices from 0 on."""
_NUMBER = struct.Struct("<H")
_ZERO = bytes(4)
_SIDES = {0: "both", 1: "right", 0xFFFF: "left"}
_FORMATS = {3: ("RGB", 3), 4: ("RGBA", 4), 5: ("ARGB", 4), 6: ("BGRA", 4), 7: ("ABGR", 4)}


class Call(NamedTuple):
    """A request that is answered before the next step.

    Attributes:
        name: of the request in `controller_api.requests`.
        arguments: of it.
        pack: makes the messages to the controller from the answer; None if it was refused.
    """

    name: str
    arguments: tuple[Any, ...]
    pack: Callable[[Any], bytes]


def nothing(found: Any) -> bytes:
    """Return no message."""
    return b""


@dataclass
class ControllerRequest:
    """Contents of one packet.

    Attributes:
        step: length of the step in ms; 0: answer at once.
        commands: for devices and the robot, as in `controller_api.client`.
        calls: queries, and actions of a supervisor.
        answer: messages at the start of the answer.
        wants_pictures: whether the client must be sent the names of picture files.
    """

    step: int
    commands: list[list[Any]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    answer: bytes = b""
    wants_pictures: bool = False


def blocks(packet: bytes) -> Iterator[tuple[int, PacketReader]]:
    """Yield the tags of a packet with the data for each.

    Raises:
        PacketError: it is not a valid packet.
    """
    at = HEADER.size
    while at < len(packet):
        if at + BLOCK.size > len(packet):
            raise PacketError(f"{len(packet) - at} bytes in place of a tag and a length")
        tag, length = BLOCK.unpack_from(packet, at)
        at += BLOCK.size
        if not 0 <= length <= len(packet) - at:
            raise PacketError(f"a length of {length} where {len(packet) - at} bytes are left")
        yield tag, PacketReader(packet, at, at + length)
        at += length


class WireDevice:
    """A device as known to a controller.

    Attributes:
        tag: its number on the wire.
        index: its number in the simulation.
        kind: node type.
        description: its description by the simulation.
        period: of its readings, ms; 0: not enabled.
        recognition: period of recognized objects of a camera, ms; 0: none.
        segmentation: whether a camera's segmentation picture is sent.
        channel, distance: of the last packet of an emitter.
        sounds: that a speaker plays.
        speech: number of characters of a text being spoken.
    """

    def __init__(self, tag: int, index: int, kind: str, description: dict[str, Any]) -> None:
        self.tag, self.index, self.kind, self.description = tag, index, kind, description
        self.period = self.recognition = 0
        self.segmentation = False
        self.channel: int | None = description["fields"].get("channel")
        self.distance: float | None = description["fields"].get("range")
        self.sounds: set[str] = set()
        self.speech = 0


class DeviceRequests:
    """Reads commands to devices.

    Args:
        devices: by their numbers on the wire; more may be added.
        version: of the client.
    """

    def __init__(self, devices: dict[int, WireDevice], version: Version) -> None:
        self._devices, self._version = devices, version

    def read_block(self, tag: int, packet: PacketReader, request: ControllerRequest) -> None:
        """Add the contents of a block to a request.

        Raises:
            PacketError: they are not valid.
        """
        device = self._devices.get(tag)
        if device is None:
            raise PacketError(f"device {tag} of {len(self._devices)}")
        while packet.left:
            number = packet.number("u16" if device.kind in MOTORS else "u8")
            if device.kind == "Brake":  # its messages are bits of one number
                for each in filter(None, (number & 2, number & ~2)):
                    self._read(device, each, packet, request)
            else:
                self._read(device, number, packet, request)

    def _read(
        self, device: WireDevice, number: int, packet: PacketReader, request: ControllerRequest
    ) -> None:
        name, read, act, translate = _handling(device.kind, number)
        values = _sounds(packet, self._version.uploads_sounds) if read is None else read(packet)
        if act is not None:
            act(self, device, values, request)
        elif translate is not None:
            request.commands += [[device.index, *command] for command in translate(values)]
        else:
            request.commands.append([device.index, name, *values])

    # ---- depending on the device, or on its state

    def _enable(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        before, device.period = device.period or device.recognition, values[0]
        self._sample(device, before, request)

    def _recognition(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        before, device.recognition = device.period or device.recognition, values[0]
        self._sample(device, before, request)

    @staticmethod
    def _sample(device: WireDevice, before: int, request: ControllerRequest) -> None:
        """Sample a device with the period its controller wants, if that has changed."""
        period = device.period or device.recognition
        request.wants_pictures = True
        if period and period != before:
            request.commands.append([device.index, "enable", period])
        elif before and not period:
            request.commands.append([device.index, "disable"])

    def _segmentation(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        device.segmentation = bool(values[0])
        request.wants_pictures = True

    def _neighbour(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        """Answer with the device of another kind at the same joint, with the same number."""
        number = self._version.node_number
        wanted = {number(kind): "motor" for kind in MOTORS}
        wanted |= {number("Brake"): "brake", number("PositionSensor"): "sensor"}
        index = device.description.get(wanted.get(values[0], ""))
        found = next((each.tag for each in self._devices.values() if each.index == index), 0)
        request.answer += _NUMBER.pack(device.tag) + pack(device.kind, "neighbour", found)

    def _send(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        """Send a packet; channel and range in it are set first if they have changed."""
        channel, distance, data = values
        self._set_channel(device, [channel], request)
        self._set_range(device, [distance], request)
        request.commands.append([device.index, "send", data])

    def _set_channel(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        if values[0] != device.channel:
            device.channel = values[0]
            request.commands.append([device.index, "set_channel", values[0]])

    def _set_range(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        if values[0] != device.distance:
            device.distance = values[0]
            request.commands.append([device.index, "set_range", values[0]])

    def _attach_camera(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        camera = self._devices.get(values[0])
        if camera is None:
            raise PacketError(f"device {values[0]} of {len(self._devices)} as a camera")
        request.commands.append([device.index, "attach_camera", camera.description["name"]])

    def _image_save(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        """Return the picture: the controller writes the file itself."""
        image = values[0]

        def answer(found: Any) -> bytes:
            width, height, pixels = found or (0, 0, b"")
            head = (device.tag, number_of("Display", "image"), image, width, height)
            return struct.pack("<HBiii", *head) + bytes(pixels)

        request.calls.append(Call("display_image", (device.index, image or None), answer))

    def _play(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        for sound in values:
            device.sounds.add(sound[0])
            request.commands.append([device.index, "play", *sound])

    def _speak(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        device.speech = max(1, len(values[0]))

    def _nothing(self, device: WireDevice, values: list[Any], request: ControllerRequest) -> None:
        """Ignore voices of texts that are not audible, and commands for displays of real robots."""


Act = Callable[[DeviceRequests, WireDevice, list[Any], ControllerRequest], None]
Translate = Callable[[list[Any]], list[list[Any]]]


class Handling(NamedTuple):
    """What is done with a message to a device.

    Attributes:
        name: of the message, and of the command if nothing else is done.
        read: reads its fields; None: they are sounds, which depend on the version.
        act: carries it out, if it depends on the device.
        translate: makes commands of its fields, if they differ from those of the command.
    """

    name: str
    read: Callable[[PacketReader], list[Any]] | None
    act: Act | None
    translate: Translate | None


@cache
def _handling(kind: str, number: int) -> Handling:
    """Return what is done with a message to a device of a kind.

    Raises:
        PacketError: there is none of this number.
    """
    message = from_controller(kind).get(number)
    if message is None:
        raise PacketError(f"message {number} to a {kind}, which has none of this number")
    key = (kind, message.name)
    read = None if key == ("Speaker", "play") else _IRREGULAR.get(key, message.layout.unpack)
    return Handling(message.name, read, _ACTIONS.get(message.name), _TRANSLATED.get(key))


_ACTIONS: dict[str, Act] = {
    "enable": DeviceRequests._enable,
    "neighbour": DeviceRequests._neighbour,
    "recognition": DeviceRequests._recognition,
    "segmentation": DeviceRequests._segmentation,
    "send": DeviceRequests._send,
    "set_channel": DeviceRequests._set_channel,
    "set_range": DeviceRequests._set_range,
    "attach_camera": DeviceRequests._attach_camera,
    "image_save": DeviceRequests._image_save,
    "image_all": DeviceRequests._nothing,
    "play": DeviceRequests._play,
    "speak": DeviceRequests._speak,
    "engine": DeviceRequests._nothing,
    "language": DeviceRequests._nothing,
}
"""By name of the message."""


def _verb(fill: int) -> str:
    return "fill" if fill else "draw"


_TRANSLATED: dict[tuple[str, str], Translate] = {
    ("Lidar", "cloud_on"): lambda values: [["cloud", True]],
    ("Lidar", "cloud_off"): lambda values: [["cloud", False]],
    ("Pen", "write"): lambda values: [["write", True]],
    ("Pen", "write_not"): lambda values: [["write", False]],
    ("Pen", "set_ink"): lambda values: [["set_ink", [part / 255.0 for part in values[0]], values[1]]],
    ("Display", "set_alpha"): lambda values: [["set_alpha", values[0] / 255.0]],
    ("Display", "set_opacity"): lambda values: [["set_opacity", values[0] / 255.0]],
    ("Display", "set_font"): lambda values: [["set_font", values[2], values[0], bool(values[1])]],
    ("Display", "draw_text"): lambda values: [["draw_text", values[2], values[0][0], values[1][0]]],
    ("Display", "draw_pixel"): lambda values: [["draw_pixel", values[0][0], values[1][0]]],
    ("Display", "draw_line"): lambda values: [
        ["draw_line", values[0][0], values[1][0], values[0][1], values[1][1]]
    ],
    ("Display", "rectangle"): lambda values: [[f"{_verb(values[2])}_rectangle", *_place_and_size(values)]],
    ("Display", "oval"): lambda values: [[f"{_verb(values[2])}_oval", *_place_and_size(values)]],
    ("Display", "polygon"): lambda values: [[f"{_verb(values[2])}_polygon", *map(list, values[:2])]],
    ("Display", "image_paste"): lambda values: [["image_paste", *values[:3], bool(values[3])]],
    ("Speaker", "stop"): lambda values: [["stop", name] for name in values or [""]],
}
"""Converters of messages whose fields differ from those of the command."""


def _place_and_size(values: list[Any]) -> list[int]:
    """Return x, y, width and height, which are sent as two points."""
    (x, width, *_), (y, height, *_) = values[:2]
    return [x, y, width, height]


# ---- messages whose fields depend on others


def _points(packet: PacketReader, least: int) -> list[Any]:
    count = packet.number("i16")
    if count < least:
        raise PacketError(f"{count} points in place of {least}")
    layout = struct.Struct(f"<{count}i")
    return [packet.take(layout), packet.take(layout)]


def _image(packet: PacketReader) -> list[Any]:
    image, width, height, form = packet.take(struct.Struct("<ihhB"))
    name, size = _FORMATS.get(form, ("", 0))
    if not name or width < 0 or height < 0:
        raise PacketError(f"an image of {width} × {height} pixels in format {form}")
    return [image, packet.raw(width * height * size), width, height, name]


def _sounds(packet: PacketReader, are_uploaded: bool) -> list[Any]:
    """Read sounds; if sounds are uploaded, each is followed by the length of its data, sent or not."""
    count = packet.number("i32")
    sounds: list[Any] = []
    while len(sounds) < count:
        if are_uploaded and packet.skip(_ZERO):
            continue
        name = packet.text("z16")
        volume, pitch, balance, side, loop = packet.take(struct.Struct("<dddHB"))
        if are_uploaded:
            packet.raw(packet.number("i32"))
        sounds.append([name, volume, pitch, balance, bool(loop), _SIDES.get(side, "both")])
    while are_uploaded and packet.skip(_ZERO):
        pass
    return sounds


_IRREGULAR: dict[tuple[str, str], Callable[[PacketReader], list[Any]]] = {
    ("Display", "draw_pixel"): lambda packet: _points(packet, 1),
    ("Display", "draw_line"): lambda packet: _points(packet, 2),
    ("Display", "draw_text"): lambda packet: [*_points(packet, 1), packet.text()],
    ("Display", "rectangle"): lambda packet: [*_points(packet, 2), packet.number("u8")],
    ("Display", "oval"): lambda packet: [*_points(packet, 2), packet.number("u8")],
    ("Display", "polygon"): lambda packet: [*_points(packet, 0), packet.number("u8")],
    ("Display", "image_new"): _image,
    ("Speaker", "stop"): lambda packet: [packet.text("z16") for _ in range(packet.number("u16"))],
}
