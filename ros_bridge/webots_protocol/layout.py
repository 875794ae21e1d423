"""Byte layout of Webots' protocol: little-endian numbers without padding, zero-terminated texts."""

from __future__ import annotations

import re
import struct
from typing import Any

from webots_api.controller.wire import WireError

NUMBERS = {"u8": "B", "i8": "b", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "f64": "d"}
"""Format letters of `struct`, by type of number."""
TEXTS = {"z": "", "z16": "u16", "z32": "u32", "bytes": "i32"}
"""Texts and bytes, with the type of the length before them; `z` has none."""
_FIELD = re.compile(r"(\w+):(\d*)(u8|i8|i16|u16|i32|u32|f64|z16|z32|z|bytes)")


class PacketError(WireError):
    """Raised when data are not a valid packet of this protocol."""


def text(value: str) -> bytes:
    """Encode a text with its final zero byte; it is cut at a zero byte of its own."""
    return value.encode(errors="replace").partition(b"\0")[0] + b"\0"


class PacketReader:
    """Reads values from bytes, one after another.

    Attributes:
        left: number of bytes not read yet.
    """

    def __init__(self, data: bytes, start: int = 0, end: int | None = None) -> None:
        self._data, self._at = data, start
        self._end = len(data) if end is None else end

    @property
    def left(self) -> int:
        """Number of bytes not read yet."""
        return self._end - self._at

    def take(self, layout: struct.Struct) -> tuple[Any, ...]:
        """Read numbers.

        Raises:
            PacketError: too few bytes are left.
        """
        start = self._at
        self._at = start + layout.size
        if self._at > self._end:
            raise PacketError(f"{self._end - start} bytes in place of {layout.size}")
        return layout.unpack_from(self._data, start)

    def number(self, kind: str) -> Any:
        """Read one number, by name of its type."""
        return self.take(_STRUCTS[kind])[0]

    def raw(self, count: int) -> bytes:
        """Read a number of bytes.

        Raises:
            PacketError: too few bytes are left.
        """
        if not 0 <= count <= self.left:
            raise PacketError(f"a length of {count} where {self.left} bytes are left")
        start, self._at = self._at, self._at + count
        return self._data[start : self._at]

    def skip(self, data: bytes) -> bool:
        """Skip these bytes if they come next; return whether they do."""
        is_next = self._data.startswith(data, self._at, self._end)
        self._at += len(data) if is_next else 0
        return is_next

    def text(self, kind: str = "z") -> str:
        """Read a text, terminated or after its length.

        Raises:
            PacketError: it is not terminated.
        """
        if kind != "z":
            return self.raw(self.number(TEXTS[kind])).partition(b"\0")[0].decode(errors="replace")
        end = self._data.find(b"\0", self._at, self._end)
        if end < 0:
            raise PacketError("a text without an end")
        start, self._at = self._at, end + 1
        return self._data[start:end].decode(errors="replace")


_STRUCTS = {name: struct.Struct("<" + letter) for name, letter in NUMBERS.items()}


class FieldLayout:
    """The fields of a message, from a description such as `id:u16 place:3f64 name:z`.

    A number before a type makes a tuple of that length.

    Attributes:
        fields: names and types.
    """

    def __init__(self, fields: str) -> None:
        self.fields = [(name, f"{count}{kind}") for name, count, kind in _FIELD.findall(fields)]
        assert len(self.fields) == len(fields.split()), fields
        self._parts: list[tuple[struct.Struct | str, list[int]]] = []
        letters, counts = "", list[int]()
        for _, count, kind in _FIELD.findall(fields):
            if kind in NUMBERS:
                letters += NUMBERS[kind] * int(count or 1)
                counts.append(int(count or 0))
                continue
            if letters:
                self._parts.append((struct.Struct("<" + letters), counts))
                letters, counts = "", []
            self._parts.append((kind, []))
        if letters:
            self._parts.append((struct.Struct("<" + letters), counts))
        only = self._parts[0] if len(self._parts) == 1 else ("", [])
        self._numbers = only[0] if isinstance(only[0], struct.Struct) and not any(only[1]) else None

    def unpack(self, packet: PacketReader) -> list[Any]:
        """Read the values of a message.

        Raises:
            PacketError: the message is incomplete.
        """
        if self._numbers is not None:
            return list(packet.take(self._numbers))
        values: list[Any] = []
        for part, counts in self._parts:
            if part == "bytes":
                values.append(packet.raw(packet.number(TEXTS["bytes"])))
            elif isinstance(part, str):
                values.append(packet.text(part))
            else:
                values += _grouped(packet.take(part), counts)
        return values

    def pack(self, *values: Any) -> bytes:
        """Return the bytes of a message."""
        if self._numbers is not None:
            return self._numbers.pack(*values)
        packed, at = b"", 0
        for part, counts in self._parts:
            if isinstance(part, str):
                value = values[at]
                at += 1
                data = bytes(value) if part == "bytes" else text(value)
                length = TEXTS[part]
                packed += (_STRUCTS[length].pack(len(data)) if length else b"") + data
                continue
            own = values[at : at + len(counts)]
            at += len(counts)
            flat = [number for value, count in zip(own, counts, strict=True)
                    for number in (value if count else (value,))]  # fmt: skip
            packed += part.pack(*flat)
        return packed


def _grouped(numbers: tuple[Any, ...], counts: list[int]) -> list[Any]:
    """Group numbers that belong together into tuples."""
    if not any(counts):
        return list(numbers)
    grouped: list[Any] = []
    at = 0
    for count in counts:
        grouped.append(numbers[at : at + count] if count else numbers[at])
        at += count or 1
    return grouped
