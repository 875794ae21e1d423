"""Messages written in CDR by ourselves, where filling those of rclpy takes several times as long.

Names and sizes stay, so only stamps and numbers are written anew, at places that are known. (OMG DDS-RTPS
2.5, 10.2: plain CDR, little-endian; numbers are aligned by their size, counted from behind the header.)
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from sim_core.base.clock import NANOSECONDS

HEADER = b"\0\1\0\0"
"""Of a message in CDR: little-endian."""
COUNT, STAMP = Struct("<I"), Struct("<iI")


class CdrBody:
    """A message that is put together once, part by part in their order, and then filled again and again."""

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
