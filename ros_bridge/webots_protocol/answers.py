"""Messages to a controller at the end of its step, from the answer of `controller_api.client`."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ros_bridge.webots_protocol.layout import text
from ros_bridge.webots_protocol.messages import number_of, pack
from ros_bridge.webots_protocol.picture_memory import SharedPicture, lidar_points
from ros_bridge.webots_protocol.readings import READINGS, objects
from ros_bridge.webots_protocol.requests import WireDevice
from webots_api.controller.connection import ALWAYS_SENT
from webots_api.controller.user_input import JOYSTICK, KEYS, MOUSE

ROBOT_TAG = bytes(2)
_TAG = struct.Struct("<H")
_HEAD = struct.Struct("<ii")
"""Size of an answer for a local socket, and delay."""
LETTER = 0.07
"""Seconds per character of a spoken text, which is not audible."""
MAX_KEYS = 255
JOYSTICK_MODEL = "sensor_msgs/Joy"
POINT = 20
"""Bytes per point of a lidar's cloud."""


class Picture(NamedTuple):
    """A picture for a controller that has no shared file for it."""

    tag: int
    command: int
    data: bytes


class Answer:
    """Collects one answer.

    Attributes:
        data: messages.
        pictures: sent after them, for clients by TCP.
    """

    def __init__(self) -> None:
        self.data = bytearray()
        self.pictures: list[Picture] = []


class Answers:
    """Makes the messages of answers.

    Args:
        devices: of the robot, by their numbers on the wire; more may be added.
        folder: for pictures; None: they are sent in the answers.

    Attributes:
        reports_position: whether the mouse is sent with its position in the world.
    """

    def __init__(self, devices: dict[int, WireDevice], folder: Path | None) -> None:
        self._devices, self._folder = devices, folder
        self._by_index: dict[int, WireDevice] = {}
        self._files: dict[tuple[int, str], SharedPicture] = {}
        self._speech_ends: dict[int, float] = {}
        self._time = math.nan
        self._battery = math.nan
        self._joystick: tuple[Any, ...] = ()
        self.reports_position = False
        self.add_devices()

    def add_devices(self) -> None:
        """Update after devices were added."""
        self._by_index = {each.index: each for each in self._devices.values()}

    def close(self) -> None:
        """Remove the files of pictures."""
        for file in self._files.values():
            file.remove_file()

    def add_time(self, seconds: float, answer: Answer) -> None:
        """Add the time, which comes first, if it differs from the last one sent."""
        if seconds != self._time:
            self._time = seconds
            answer.data += ROBOT_TAG + pack("Robot", "time", seconds)

    def add_input(self, message: Mapping[str, Any], answer: Answer) -> None:
        """Add the input of the user that a message has; it replaces that of before."""
        if KEYS in message:
            keys = message[KEYS][:MAX_KEYS]
            packed = struct.pack(f"<{len(keys)}i", *keys)
            answer.data += ROBOT_TAG + bytes((number_of("Robot", "keys"), len(keys))) + packed
        if message.get(MOUSE) is not None:
            *buttons, u, v, x, y, z = message[MOUSE]
            position = (x, y, z) if self.reports_position else (None, None, None)
            axes = [math.nan if each is None else each for each in (u, v, *position)]
            answer.data += ROBOT_TAG + pack("Robot", "mouse", *buttons, *axes)
        if JOYSTICK in message:
            self._add_joystick(message[JOYSTICK], answer)

    def _add_joystick(self, state: dict[str, Any] | None, answer: Answer) -> None:
        shape: tuple[Any, ...] = (-1, -1, -1, "")
        if state is not None:
            shape = len(state["axes"]), state["button_count"], len(state["povs"]), JOYSTICK_MODEL
        if shape != self._joystick:
            self._joystick = shape
            answer.data += ROBOT_TAG + pack("Robot", "joystick_configure", *shape)
        if state is not None:
            numbers = [
                number for part in ("buttons", "axes", "povs") for number in (len(state[part]), *state[part])
            ]
            packed = struct.pack(f"<{len(numbers)}i", *numbers)
            answer.data += ROBOT_TAG + bytes((number_of("Robot", "joystick"),)) + packed

    def add_step(self, message: dict[str, Any], answer: Answer) -> None:
        """Add the robot's state and readings."""
        if len(message) > ALWAYS_SENT:
            self._add_state(message, answer)
        for index, reading in message["readings"]:
            device = self._by_index.get(index)
            if device is not None:
                self._reading(device, reading, answer)

    def _add_state(self, message: dict[str, Any], answer: Answer) -> None:
        """Add the robot's state, which few answers have."""
        self.add_input(message, answer)
        if "supervisor" in message:
            answer.data += ROBOT_TAG + pack("Robot", "supervisor", message["supervisor"])
        if message.get("custom") is not None:
            answer.data += ROBOT_TAG + pack("Robot", "custom", message["custom"])
        battery = message.get("battery", math.nan)
        if battery != self._battery and not math.isnan(battery):
            self._battery = battery
            answer.data += ROBOT_TAG + pack("Robot", "battery", battery)
        for line in message.get("window", ()):
            answer.data += ROBOT_TAG + pack("Robot", "window", text(line))

    def _reading(self, device: WireDevice, reading: Any, answer: Answer) -> None:
        packer = READINGS.get(device.kind)
        if packer is not None:
            answer.data += _TAG.pack(device.tag) + packer(reading)
        elif device.kind == "Camera":
            self._camera(device, reading, answer)
        elif device.kind == "RangeFinder":
            self._picture(device, "file", reading, answer)
        elif device.kind == "Lidar":
            self._scan(device, reading, answer)
        elif device.kind == "Receiver":
            channel = device.channel if device.channel is not None else 0
            for data, strength, direction in reading:
                packed = pack("Receiver", "reading", channel, direction, strength, data)
                answer.data += _TAG.pack(device.tag) + packed

    def _camera(self, device: WireDevice, reading: dict[str, Any], answer: Answer) -> None:
        image = reading["image"]
        if device.period:
            self._picture(device, "file", image, answer)
        if device.segmentation and "segmentation" in reading:
            self._picture(device, "segmentation_file", reading["segmentation"], answer)
        if device.recognition:
            answer.data += _TAG.pack(device.tag) + objects(reading["objects"])

    def _scan(self, device: WireDevice, reading: dict[str, Any], answer: Answer) -> None:
        """Add a scan; the points follow the ranges, and their space is reserved from the start."""
        ranges = reading["ranges"]
        size = len(ranges) + len(ranges) // 4 * POINT
        points = reading.get("points")
        cloud = b"" if points is None else lidar_points(points, device.description["width"])
        if self._folder is None:
            answer.pictures.append(Picture(device.tag, 0, bytes(ranges) + cloud))
            return
        file = self.open_file(device, "file", size, answer)
        file.put(ranges)
        file.put(cloud, len(ranges))

    def _picture(self, device: WireDevice, name: str, data: Any, answer: Answer) -> None:
        if self._folder is None:
            command = 0 if name == "file" else 9
            answer.pictures.append(Picture(device.tag, command, bytes(data)))
            return
        self.open_file(device, name, len(data), answer).put(data)

    def open_file(self, device: WireDevice, name: str, size: int, answer: Answer) -> SharedPicture:
        """Return the file of a device's pictures, which is created and announced at its first use."""
        assert self._folder is not None
        file = self._files.get((device.tag, name))
        if file is None:
            file = SharedPicture(self._folder / f"{name}.{device.tag}", size)
            self._files[device.tag, name] = file
            answer.data += _TAG.pack(device.tag) + pack(device.kind, name, size, str(file.path))
        return file

    def open_files(self, answer: Answer) -> None:
        """Announce the files of all pictures requested so far, so that they arrive with the next answer."""
        if self._folder is None:
            return
        for device in self._devices.values():
            size = _size(device)
            if not size:
                continue
            if device.period:
                self.open_file(device, "file", size, answer)
            if device.segmentation:
                self.open_file(device, "segmentation_file", size, answer)

    def sounds_over(self, device: WireDevice, over: set[str], now: float, answer: Answer) -> None:
        """Announce that a speaker's sounds have ended, and its speech."""
        for name in sorted(over):
            answer.data += _TAG.pack(device.tag) + pack("Speaker", "sound_over", name)
        if device.speech:
            self._speech_ends[device.tag] = now + LETTER * device.speech
            device.speech = 0
        elif now >= self._speech_ends.get(device.tag, math.inf):
            del self._speech_ends[device.tag]
            answer.data += _TAG.pack(device.tag) + pack("Speaker", "speech_over")


def _size(device: WireDevice) -> int:
    """Return the size of a device's pictures in bytes; 0: it has none."""
    description = device.description
    if device.kind in ("Camera", "RangeFinder"):
        return 4 * int(description["width"]) * int(description["height"])
    if device.kind == "Lidar":
        return (4 + POINT) * int(description["width"]) * int(description["fields"]["numberOfLayers"])
    return 0


def packets(delay: int, answer: Answer, is_remote: bool) -> Iterator[bytes]:
    """Yield the packets of an answer, for a local socket or for TCP."""
    if not is_remote:
        yield _HEAD.pack(len(answer.data) + _HEAD.size, delay) + answer.data
        return
    data = struct.pack("<i", delay) + answer.data
    yield struct.pack("<HiiB", 1 + len(answer.pictures), len(data), len(data), 0) + data
    for each in answer.pictures:
        yield struct.pack("<iBHB", len(each.data), 1, each.tag, each.command) + each.data
