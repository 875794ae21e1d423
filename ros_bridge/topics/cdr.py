"""Write and read messages in CDR, their serialized form on the wire.

(OMG DDS-RTPS 2.5, 10.2: plain CDR; numbers are aligned by their size, counted from the end of the header.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from struct import Struct
from struct import error as StructError
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.serde import SerdeError

from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.definitions import definition
from sim_core.base.clock import NANOSECONDS

HEADER = b"\0\1\0\0"
"""Header of a message in CDR: little-endian."""
COUNT, STAMP = Struct("<I"), Struct("<iI")
LITTLE_ENDIAN = {b"\x00\x00": False, b"\x00\x01": True}
"""Whether data is big-endian, by the first bytes of a header."""
WIDE_SEQUENCE = re.compile(r"^\s*u?(?:float|int)64\[(?:<=\d+)?\]", re.MULTILINE)


class CdrBody:
    """A message that is laid out once, part by part in order, and then filled repeatedly.

    It replaces rclpy messages that take several times as long to fill: names and sizes stay the same, so only
    stamps and numbers are written again, at known offsets.
    """

    def __init__(self) -> None:
        self._data = bytearray()

    def extend(self, alignment: int, size: int) -> int:
        """Append space for numbers after padding to their alignment; return its offset."""
        place = -(-len(self._data) // alignment) * alignment
        self._data.extend(bytes(place + size - len(self._data)))
        return place

    def add_count(self, count: int) -> None:
        """Append an unsigned 32-bit number, as before the items of a sequence."""
        place = self.extend(4, COUNT.size)
        COUNT.pack_into(self._data, place, count)

    def add_text(self, text: str) -> None:
        """Append a string."""
        data = text.encode() + b"\0"
        self.add_count(len(data))
        self._data += data

    def add_texts(self, texts: Iterable[str]) -> None:
        """Append a sequence of strings."""
        listed = list(texts)
        self.add_count(len(listed))
        for text in listed:
            self.add_text(text)

    def add_stamp(self) -> int:
        """Append space for a builtin_interfaces/Time; return its offset."""
        return self.extend(4, STAMP.size)

    def set_stamp(self, place: int, time_ns: int) -> None:
        """Write a stamp at an offset."""
        STAMP.pack_into(self._data, place, *divmod(time_ns, NANOSECONDS))

    def add_numbers(self, count: int, kind: str = "<f8") -> int:
        """Append a sequence of `count` floats of a numpy type; return the offset of the first."""
        self.add_count(count)
        size = np.dtype(kind).itemsize
        return self.extend(size if count else 1, count * size)

    def pack_into(self, struct: Struct, place: int, *values: float) -> None:
        """Write numbers at an offset."""
        struct.pack_into(self._data, place, *values)

    def view(self, place: int, count: int, kind: str = "<f8") -> NDArray[np.float64]:
        """Return (count,) numbers as a writable array; nothing can be appended afterwards."""
        return np.frombuffer(self._data, kind, count, place)

    @property
    def message(self) -> bytes:
        """The whole message as sent on the wire."""
        return HEADER + self._data


def serialize(message: Any) -> bytes:
    """Serialize a message to CDR of exactly its length; return bytes unchanged.

    rclpy's result has the length that the middleware estimates. After an empty sequence of eight-byte numbers
    that is too long, and the rest is uninitialised memory: readers refuse it, and recordings are not
    repeatable.
    """
    if isinstance(message, bytes):
        return message
    kind: Any = type(message)
    return _serializer(kind)(message)


@cache
def _serializer(message_type: Any) -> Callable[[Any], bytes]:
    from rclpy.serialization import serialize_message  # imported here: bags are also read without ROS

    kind = type_name(message_type)
    text = definition(kind).text
    if WIDE_SEQUENCE.search(text) is None:
        return serialize_message
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(text, kind))

    def serialize(message: Any) -> bytes:
        data = serialize_message(message)
        return bytes(data[: len(HEADER) + parse(store, data, kind)[1]])

    return serialize


def parse(store: Any, data: bytes, kind: str) -> tuple[Any, int]:
    """Return a message as rosbags makes it, and its length without the header; ignore bytes after it.

    Raises:
        ValueError: the bytes are not such a message.
    """
    if bytes(data[:2]) not in LITTLE_ENDIAN:
        raise ValueError(f"{kind}: found no CDR")
    made = store.get_msgdef(kind)
    read = made.deserialize_cdr_le if LITTLE_ENDIAN[bytes(data[:2])] else made.deserialize_cdr_be
    try:
        message, length = read(data[len(HEADER) :], 0, made.cls, store)
    except (SerdeError, StructError, ValueError, IndexError) as error:
        raise ValueError(f"{kind}: {error}") from None
    return message, length


class Decoder:
    """Makes messages from bytes, of any type that has a definition."""

    def __init__(self) -> None:
        from rosbags.typesys import Stores, get_typestore

        self.store = get_typestore(Stores.EMPTY)

    def decode(self, data: bytes, kind: str) -> Any:
        """Return a message as rosbags makes it.

        Args:
            data: in CDR, with its header.
            kind: such as `sensor_msgs/msg/Range`

        Raises:
            ValueError: the bytes are not such a message.
            ConfigError: the type has no definition.
        """
        if kind not in self.store.types:
            from rosbags.typesys import get_types_from_msg

            types = get_types_from_msg(definition(kind).text, kind)
            self.store.register(
                {name: fields for name, fields in types.items() if name not in self.store.types}
            )
        return parse(self.store, data, kind)[0]
