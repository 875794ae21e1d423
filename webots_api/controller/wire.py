"""Messages between a controller and the simulation, over a local stream socket (docs/other_languages.md).

A message is 8 bytes, the lengths of two parts as big-endian unsigned 32-bit numbers; then a JSON object in
UTF-8; then raw bytes. Where the object holds `{"@": [start, length]}` it stands for that part of the raw
bytes: pictures, packets, arrays of 32-bit floats. Numbers keep all their digits; NaN and Infinity are as
Python writes them.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

HEADER = struct.Struct(">II")
MOST_JSON = 64 << 20
MOST_BYTES = 512 << 20
CHUNK = 1 << 16
"""Bytes that are made room for at first: a length alone, which anybody can send, costs no memory."""
RAW = "@"


class WireError(Exception):
    """What came is no message."""


def pack(message: Any) -> bytes:
    """The bytes of a message; `bytes` anywhere in it travel as they are."""
    raw: list[bytes] = []
    length = 0

    def stand_in(value: Any) -> dict[str, list[int]]:
        nonlocal length
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise TypeError(f"{type(value).__name__} cannot be sent to the simulation")
        data = bytes(value)
        raw.append(data)
        length += len(data)
        return {RAW: [length - len(data), len(data)]}

    text = json.dumps(message, default=stand_in, separators=(",", ":")).encode()
    return b"".join((HEADER.pack(len(text), length), text, *raw))


def unpack(text: bytes, raw: bytes) -> dict[str, Any]:
    """The message of its two parts.

    Raises:
        WireError: it is none.
    """

    def put_in(value: dict[str, Any]) -> Any:
        part = value.get(RAW)
        if part is None or len(value) != 1:
            return value
        start, length = int(part[0]), int(part[1])
        if start < 0 or length < 0 or start + length > len(raw):
            raise WireError(f"bytes {start} to {start + length} of {len(raw)}")
        return raw[start : start + length]

    try:
        message = json.loads(text, object_hook=put_in)
    except (ValueError, TypeError, IndexError, RecursionError) as error:
        raise WireError(str(error)) from None
    if not isinstance(message, dict):
        raise WireError(f"a JSON {type(message).__name__}, no object")
    return message


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """The next message, None at the end of the connection.

    Raises:
        WireError: what came is no message.
        OSError: the connection is broken.
    """
    head = _exactly(connection, HEADER.size)
    if head is None:
        return None
    text_length, raw_length = HEADER.unpack(head)
    if text_length > MOST_JSON or raw_length > MOST_BYTES:
        raise WireError(f"a message of {text_length} and {raw_length} bytes")
    body = _exactly(connection, text_length + raw_length)
    if body is None:
        return None
    return unpack(body[:text_length], body[text_length:])


def _exactly(connection: socket.socket, count: int) -> bytes | None:
    """So many bytes; None if the connection ends before."""
    data = bytearray(min(count, CHUNK))
    filled = 0
    while filled < count:
        if filled == len(data):
            data.extend(bytes(min(count - filled, len(data))))
        with memoryview(data) as room:
            got = connection.recv_into(room[filled:])
        if got == 0:
            return None
        filled += got
    return bytes(data)
