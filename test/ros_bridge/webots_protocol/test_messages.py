"""The table of messages, and the conversion of values to bytes."""

import struct
from pathlib import Path
from typing import Any

import pytest

from ros_bridge.webots_protocol.layout import FieldLayout, PacketError, PacketReader
from ros_bridge.webots_protocol.messages import FROM_CONTROLLER, TO_CONTROLLER, Message, reference

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "webots_protocol.md"
NUMBERS = {"u8": 200, "i16": -300, "u16": 60000, "i32": -70000, "u32": 4000000000, "f64": 0.1}
FLAT = [each for each in (*FROM_CONTROLLER, *TO_CONTROLLER) if not set("×[") & set(each.fields)]


def some_value(kind: str) -> Any:
    digits = len(kind) - len(kind.lstrip("0123456789"))
    count, name = kind[:digits], kind[digits:]
    value: Any = NUMBERS.get(name, b"\1\0\2" if name == "bytes" else "two words")
    return (value,) * int(count) if count else value


@pytest.mark.parametrize("message", FLAT, ids=lambda each: f"{each.device} {each.number}")
def test_a_message_is_read_as_it_was_packed(message: Message) -> None:
    values = [some_value(kind) for _, kind in message.layout.fields]
    packed = message.layout.pack(*values)
    packet = PacketReader(packed)
    assert message.layout.unpack(packet) == values
    assert packet.left == 0
    for end in range(len(packed)):
        with pytest.raises(PacketError):
            message.layout.unpack(PacketReader(packed, 0, end))


def test_numbers_are_little_endian_without_padding_and_texts_end_with_a_zero() -> None:
    layout = FieldLayout("id:u16 flag:u8 place:3f64 name:z long:z16 data:bytes")
    packed = layout.pack(258, 1, (1.0, 2.0, 3.0), "é", "ab", b"\0\1")
    assert packed == (
        b"\x02\x01\x01" + struct.pack("<3d", 1.0, 2.0, 3.0) + "é".encode() + b"\0"
        + b"\x03\0ab\0" + b"\x02\0\0\0\0\x01"
    )  # fmt: skip


@pytest.mark.parametrize("table", [FROM_CONTROLLER, TO_CONTROLLER], ids=["from", "to"])
def test_a_number_means_one_thing(table: tuple[Message, ...]) -> None:
    shared = {"Supervisor": "Robot"}  # which have the same tag
    keys = [(shared.get(each.device, each.device), each.number) for each in table]
    assert len(set(keys)) == len(keys)


def test_the_reference_page_has_the_table() -> None:
    """`python -m ros_bridge.webots_protocol.messages` writes it."""
    assert reference() in DOCUMENT.read_text(encoding="utf-8")
