"""Commands to devices, from bytes; invalid bytes are only refused."""

import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from webots_client import text

from ros_bridge.webots_protocol.layout import PacketError
from ros_bridge.webots_protocol.requests import ControllerRequest, DeviceRequests, WireDevice, blocks
from ros_bridge.webots_protocol.versions import R2022B, R2025A, Version

KINDS = (
    "RotationalMotor", "Brake", "Camera", "Lidar", "Display", "Speaker", "Emitter", "Pen", "TouchSensor",
)  # fmt: skip
TAGS = {kind: tag for tag, kind in enumerate(KINDS, 1)}


def devices() -> dict[int, WireDevice]:
    fields = {"channel": 3, "range": -1.0}
    return {
        tag: WireDevice(tag, tag - 1, kind, {"name": f"the {kind}", "fields": fields})
        for kind, tag in TAGS.items()
    }


def read(kind: str, data: bytes, version: Version = R2025A) -> list[list[Any]]:
    """Return the commands in a block."""
    request = ControllerRequest(0)
    tag = TAGS[kind]
    body = struct.pack("<Hi", tag, len(data)) + data
    reader = DeviceRequests(devices(), version)
    for found, block in blocks(struct.pack("<II", 8 + len(body), 0) + body):
        reader.read_block(found, block, request)
    return [command[1:] for command in request.commands]


SOUND = struct.pack("<H", 5) + text("horn") + struct.pack("<dddHB", 0.5, 1.0, 0.0, 0, 1)


@pytest.mark.parametrize(
    ("kind", "data", "commands"),
    [
        (
            "RotationalMotor",
            struct.pack("<HdHdHddd", 1, math.inf, 2, -1.5, 7, 10.0, 1.0, 0.0),
            [["set_webots_position", math.inf], ["set_webots_velocity", -1.5], ["set_control_pid", 10, 1, 0]],
        ),
        ("Brake", struct.pack("<Bd", 2, 0.5), [["set_damping", 0.5]]),
        ("TouchSensor", struct.pack("<BHBH", 1, 32, 1, 0), [["enable", 32], ["disable"]]),
        ("TouchSensor", struct.pack("<BHBH", 1, 32, 1, 32), [["enable", 32]]),
        ("Camera", struct.pack("<BHBd", 10, 64, 4, 0.5), [["enable", 64], ["set_fov", 0.5]]),
        ("Lidar", b"\x11\x12", [["cloud", True], ["cloud", False]]),
        ("Pen", b"\x01\x04\xff\x00\x33" + struct.pack("<d", 0.5),
         [["write", True], ["set_ink", [1.0, 0.0, 0.2], 0.5]]),
        ("Emitter", struct.pack("<Bidi", 0, 3, -1.0, 2) + b"ab", [["send", b"ab"]]),
        ("Emitter", struct.pack("<Bidi", 0, 4, 2.0, 0),
         [["set_channel", 4], ["set_range", 2.0], ["send", b""]]),
        ("Display", struct.pack("<BhiiiiB", 35, 2, 1, 6, 2, 4, 1), [["fill_rectangle", 1, 2, 6, 4]]),
        ("Display", struct.pack("<Bhii", 34, 1, 3, 4) + text("hi"), [["draw_text", "hi", 3, 4]]),
        ("Display", struct.pack("<BihhB", 67, 7, 1, 1, 3) + b"abc", [["image_new", 7, b"abc", 1, 1, "RGB"]]),
        ("Display", struct.pack("<BIBH", 19, 12, 1, 6) + text("Arial"), [["set_font", "Arial", 12, True]]),
        ("Display", struct.pack("<BH", 20, TAGS["Camera"]), [["attach_camera", "the Camera"]]),
        ("Speaker", struct.pack("<BH", 2, 0), [["stop", ""]]),
        # a sound that is not told stands before it, two behind it: the lengths of what they upload
        ("Speaker", struct.pack("<Bi", 1, 1) + bytes(4) + SOUND + struct.pack("<i", 2) + b"xx" + bytes(8),
         [["play", "horn", 0.5, 1.0, 0.0, True, "both"]]),
    ],
)  # fmt: skip
def test_messages_become_the_commands_of_devices(kind: str, data: bytes, commands: list[Any]) -> None:
    assert read(kind, data) == commands


def test_older_clients_upload_no_sounds() -> None:
    told = struct.pack("<Bi", 1, 1) + SOUND + struct.pack("<BH", 2, 0)
    assert [name for name, *_ in read("Speaker", told, R2022B)] == ["play", "stop"]


@given(some.sampled_from(KINDS), some.binary(max_size=40))
def test_no_bytes_do_more_than_be_refused(kind: str, data: bytes) -> None:
    try:
        read(kind, data)
    except PacketError as error:
        assert "\n" not in str(error)


@given(some.binary(max_size=60))
def test_a_packet_of_any_bytes_is_taken_apart_or_refused(data: bytes) -> None:
    packet = struct.pack("<II", 8 + len(data), 16) + data
    try:
        taken = sum(6 + block.left for _, block in blocks(packet))
    except PacketError:
        return
    assert taken == len(data)
