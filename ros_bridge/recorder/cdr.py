"""Messages as CDR bytes of exactly their length.

What rclpy makes is as long as the middleware estimates. Behind an empty sequence of eight-byte numbers that
is too long, and the rest is whatever stood in memory: readers refuse it, and no two recordings are the same.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from rosbags.serde import SerdeError

from ros_bridge.recorder.definitions import definition

HEADER = 4
"""Bytes before the message: they say the byte order."""
LITTLE_ENDIAN = {b"\x00\x00": False, b"\x00\x01": True}
WIDE_SEQUENCE = re.compile(r"^\s*u?(?:float|int)64\[(?:<=\d+)?\]", re.MULTILINE)


def serialized(message: Any) -> bytes:
    """A message in CDR; bytes are one already."""
    if isinstance(message, bytes):
        return message
    kind: Any = type(message)
    return _serializer(kind)(message)


@cache
def _serializer(message_type: Any) -> Callable[[Any], bytes]:
    from rclpy.serialization import serialize_message  # bags are read where there is no ROS, too

    from ros_bridge.topics.conversions import type_name

    kind = type_name(message_type)
    text = definition(kind).text
    if WIDE_SEQUENCE.search(text) is None:
        return serialize_message
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(text, kind))

    def serialize(message: Any) -> bytes:
        data = serialize_message(message)
        return bytes(data[: HEADER + parse(store, data, kind)[1]])

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
        message, length = read(data[HEADER:], 0, made.cls, store)
    except (SerdeError, struct.error, ValueError, IndexError) as error:
        raise ValueError(f"{kind}: {error}") from None
    return message, length


class Decoder:
    """Makes messages of bytes, of any type whose definition there is."""

    def __init__(self) -> None:
        from rosbags.typesys import Stores, get_typestore

        self._store = get_typestore(Stores.EMPTY)

    def read(self, data: bytes, kind: str) -> Any:
        """A message as rosbags makes it.

        Args:
            data: in CDR, with its header.
            kind: `sensor_msgs/msg/Range`

        Raises:
            ValueError: the bytes are no such message.
            ConfigError: there is no definition of the type.
        """
        if kind not in self._store.types:
            from rosbags.typesys import get_types_from_msg

            types = get_types_from_msg(definition(kind).text, kind)
            self._store.register(
                {name: fields for name, fields in types.items() if name not in self._store.types}
            )
        return parse(self._store, data, kind)[0]
