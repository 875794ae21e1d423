"""Messages in CDR, the bytes that go over the wire: written, and read.

(OMG DDS-RTPS 2.5, 10.2: plain CDR; numbers are aligned by their size, counted from behind the header.)
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
"""Of a message in CDR: little-endian."""
COUNT, STAMP = Struct("<I"), Struct("<iI")
LITTLE_ENDIAN = {b"\x00\x00": False, b"\x00\x01": True}
"""By the first bytes of a header."""
WIDE_SEQUENCE = re.compile(r"^\s*u?(?:float|int)64\[(?:<=\d+)?\]", re.MULTILINE)


class CdrBody:
    """A message that is put together once, part by part in their order, and then filled again and again.

    It takes the place of those of rclpy where filling these takes several times as long: names and sizes
    stay, so only stamps and numbers are written anew, at places that are known.
    """

    def __init__(self) -> None:
        self._data = bytearray()

    def extend(self, alignment: int, size: int) -> int:
        """Make room for numbers, behind what they are aligned by; returns its place."""
        place = -(-len(self._data) // alignment) * alignment
        self._data.extend(bytes(place + size - len(self._data)))
        return place

    def add_count(self, count: int) -> None:
        """An unsigned number of 32 bits, as before the items of a sequence."""
        place = self.extend(4, COUNT.size)
        COUNT.pack_into(self._data, place, count)

    def add_text(self, text: str) -> None:
        """A string."""
        data = text.encode() + b"\0"
        self.add_count(len(data))
        self._data += data

    def add_texts(self, texts: Iterable[str]) -> None:
        """A sequence of strings."""
        listed = list(texts)
        self.add_count(len(listed))
        for text in listed:
            self.add_text(text)

    def add_stamp(self) -> int:
        """Room for a builtin_interfaces/Time; returns its place."""
        return self.extend(4, STAMP.size)

    def set_stamp(self, place: int, time_ns: int) -> None:
        """Fill a stamp."""
        STAMP.pack_into(self._data, place, *divmod(time_ns, NANOSECONDS))

    def add_numbers(self, count: int, kind: str = "<f8") -> int:
        """A sequence of so many floats of a numpy type; returns the place of the first."""
        self.add_count(count)
        size = np.dtype(kind).itemsize
        return self.extend(size if count else 1, count * size)

    def pack_into(self, struct: Struct, place: int, *values: float) -> None:
        """Fill numbers."""
        struct.pack_into(self._data, place, *values)

    def view(self, place: int, count: int, kind: str = "<f8") -> NDArray[np.float64]:
        """(count,) numbers as an array to write to; nothing can be added from now on."""
        return np.frombuffer(self._data, kind, count, place)

    @property
    def message(self) -> bytes:
        """The whole, as it goes over the wire."""
        return HEADER + self._data


def serialized(message: Any) -> bytes:
    """A message in CDR, of exactly its length; bytes are one already.

    What rclpy makes is as long as the middleware estimates. Behind an empty sequence of eight-byte numbers
    that is too long, and the rest is whatever stood in memory: readers refuse it, and no two recordings are
    the same.
    """
    if isinstance(message, bytes):
        return message
    kind: Any = type(message)
    return _serializer(kind)(message)


@cache
def _serializer(message_type: Any) -> Callable[[Any], bytes]:
    from rclpy.serialization import serialize_message  # bags are read where there is no ROS, too

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
    """A message as rosbags makes it, and its length without the header; what is behind it does not matter.

    Raises:
        ValueError: the bytes are no such message.
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
    """Makes messages of bytes, of any type whose definition there is."""

    def __init__(self) -> None:
        from rosbags.typesys import Stores, get_typestore

        self.store = get_typestore(Stores.EMPTY)

    def read(self, data: bytes, kind: str) -> Any:
        """A message as rosbags makes it.

        Args:
            data: in CDR, with its header.
            kind: `sensor_msgs/msg/Range`

        Raises:
            ValueError: the bytes are no such message.
            ConfigError: there is no definition of the type.
        """
        if kind not in self.store.types:
            from rosbags.typesys import get_types_from_msg

            types = get_types_from_msg(definition(kind).text, kind)
            self.store.register(
                {name: fields for name, fields in types.items() if name not in self.store.types}
            )
        return parse(self.store, data, kind)[0]
