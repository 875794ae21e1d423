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
from typing import Any, NoReturn

HEADER = struct.Struct(">II")
MOST_JSON = 64 << 20
MOST_BYTES = 512 << 20
CHUNK = 1 << 16
"""Bytes that are taken at a time: a length alone, which anybody can send, costs no memory."""
RAW = "@"
_DECODER = json.JSONDecoder()


class WireError(Exception):
    """What came is no message."""


def _refuse(value: Any) -> NoReturn:
    raise TypeError(f"{type(value).__name__} cannot be sent to the simulation")


def pack(message: Any) -> bytes:
    """The bytes of a message; `bytes` anywhere in it travel as they are."""
    try:
        text = _PLAIN.encode(message).encode()
    except TypeError:  # there are bytes in it, or what cannot be sent
        return _pack_raw(message)
    return HEADER.pack(len(text), 0) + text


_PLAIN = json.JSONEncoder(separators=(",", ":"), default=_refuse)
"""Made once: it costs as much to make as most messages to write."""


def _pack_raw(message: Any) -> bytes:
    raw: list[bytes] = []
    length = 0

    def stand_in(value: Any) -> dict[str, list[int]]:
        nonlocal length
        if not isinstance(value, (bytes, bytearray, memoryview)):
            _refuse(value)
        data = bytes(value)
        raw.append(data)
        length += len(data)
        return {RAW: [length - len(data), len(data)]}

    text = json.dumps(message, default=stand_in, separators=(",", ":")).encode()
    return b"".join((HEADER.pack(len(text), length), text, *raw))


def unpack(text: bytes | bytearray, raw: bytes) -> dict[str, Any]:
    """The message of its two parts.

    Raises:
        WireError: it is none.
    """

    def put_in(value: dict[str, Any]) -> Any:
        part = value.get(RAW)
        if part is None or len(value) != 1:
            return value
        start, length = int(part[0]), int(part[1])  # of what is none of two numbers: several errors
        if start < 0 or length < 0 or start + length > len(raw):
            raise WireError(f"bytes {start} to {start + length} of {len(raw)}")
        return raw[start : start + length]

    try:
        decoder = json.JSONDecoder(object_hook=put_in) if raw or _MAY_BE_RAW in text else _DECODER
        message = decoder.decode(str(text, "utf-8"))
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise WireError(str(error)) from None
    if not isinstance(message, dict):
        raise WireError(f"a JSON {type(message).__name__}, no object")
    return message


_MAY_BE_RAW = b'"@"'
"""In the text where parts are empty and there are no raw bytes."""


class Incoming:
    """Puts messages together from the bytes of a stream, however they come."""

    def __init__(self) -> None:
        self._data: bytes | bytearray = b""

    def feed(self, data: bytes) -> None:
        """These have come."""
        if self._data:
            if isinstance(self._data, bytes):
                self._data = bytearray(self._data)
            self._data += data
        else:
            self._data = data

    def take(self) -> dict[str, Any] | None:
        """The next message; None: it has not come in full.

        Raises:
            WireError: what came is no message.
        """
        data = self._data
        if len(data) < HEADER.size:
            return None
        text_length, raw_length = HEADER.unpack_from(data)
        if text_length > MOST_JSON or raw_length > MOST_BYTES:
            raise WireError(f"a message of {text_length} and {raw_length} bytes")
        begin = HEADER.size + text_length
        end = begin + raw_length
        if len(data) < end:
            return None
        self._data = data[end:]
        return unpack(data[HEADER.size : begin], bytes(data[begin:end]))


def receive(connection: socket.socket, incoming: Incoming) -> dict[str, Any] | None:
    """The next message, None at the end of the connection.

    Args:
        connection: waits for what comes.
        incoming: what has come of this connection and is not taken yet.

    Raises:
        WireError: what came is no message.
        OSError: the connection is broken.
    """
    while (message := incoming.take()) is None:
        data = connection.recv(CHUNK)
        if not data:
            return None
        incoming.feed(data)
    return message
