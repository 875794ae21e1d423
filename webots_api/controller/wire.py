"""Messages between a controller and the simulation, over a local stream socket (docs/other_languages.md).

A message is 8 bytes, the lengths of two parts as big-endian unsigned 32-bit numbers; then a JSON object in
UTF-8; then raw bytes. `{"@": [start, length]}` in the object stands for a part of the raw bytes: pictures,
packets, arrays of 32-bit floats. Numbers are exact; NaN and Infinity are written as in Python's JSON.
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
"""Size of a read in bytes; memory is not reserved by the announced length, which may be wrong."""
RAW = "@"
_SPACE = " \t\n\r"
_SHOWN = 20
"""Most characters shown of what follows a message."""
_DECODER = json.JSONDecoder()


class WireError(Exception):
    """The received bytes are not a message."""


def _refuse(value: Any) -> NoReturn:
    raise TypeError(f"{type(value).__name__} cannot be sent to the simulation")


def pack(message: Any) -> bytes:
    """Return the bytes of a message; `bytes` objects in it are sent unchanged."""
    try:
        text = _PLAIN.encode(message).encode()
    except TypeError:  # it contains bytes or unsupported objects
        return _pack_raw(message)
    return HEADER.pack(len(text), 0) + text


_PLAIN = json.JSONEncoder(separators=(",", ":"), default=_refuse, check_circular=False)
"""Made once, because making it takes as long as encoding most messages."""


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
    """Return a message from its two parts.

    Raises:
        WireError: they are not a message.
    """

    try:
        decoder = _raw_decoder(raw) if raw or _MAY_BE_RAW in text else _DECODER
        message, end = decoder.raw_decode(words := str(text, "utf-8").strip(_SPACE))
        if end != len(words):
            raise ValueError(f"more than one JSON value: {words[end : end + _SHOWN]!r}")
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise WireError(str(error)) from None
    if not isinstance(message, dict):
        raise WireError(f"a JSON {type(message).__name__}, no object")
    return message


def _raw_decoder(raw: bytes) -> json.JSONDecoder:
    """Return a decoder that puts parts of raw bytes in their places."""

    def put_in(value: dict[str, Any]) -> Any:
        part = value.get(RAW)
        if part is None or len(value) != 1:
            return value
        start, length = int(part[0]), int(part[1])  # not two numbers: may cause several errors
        if start < 0 or length < 0 or start + length > len(raw):
            raise WireError(f"bytes {start} to {start + length} of {len(raw)}")
        return raw[start : start + length]

    return json.JSONDecoder(object_hook=put_in)


_MAY_BE_RAW = b'"@"'
"""Contained in texts with empty parts, although there are no raw bytes."""


class Incoming:
    """Assembles messages from the pieces of a stream."""

    def __init__(self) -> None:
        self._data: bytes | bytearray = b""

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        if self._data:
            if isinstance(self._data, bytes):
                self._data = bytearray(self._data)
            self._data += data
        else:
            self._data = data

    def take(self) -> dict[str, Any] | None:
        """Return the next message; None if it is incomplete.

        Raises:
            WireError: the received bytes are not a message.
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
        return unpack(data[HEADER.size : begin], bytes(data[begin:end]) if raw_length else b"")


def receive(connection: socket.socket, incoming: Incoming) -> dict[str, Any] | None:
    """Return the next message; None at the end of the connection.

    Args:
        connection: the socket, which blocks.
        incoming: received bytes of this connection that are not read yet.

    Raises:
        WireError: the received bytes are not a message.
        OSError: the connection is broken.
    """
    while (message := incoming.take()) is None:
        data = connection.recv(CHUNK)
        if not data:
            return None
        incoming.feed(data)
    return message
