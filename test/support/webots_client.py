"""A client of Webots' protocol, written from its description alone: bytes out, bytes in."""

import mmap
import socket
import struct
from pathlib import Path
from typing import Any

from waiting import LIMIT


def text(value: str) -> bytes:
    """As texts travel."""
    return value.encode() + b"\0"


class Answer:
    """What came: messages in a row, whose lengths only the reader knows."""

    def __init__(self, data: bytes, pictures: dict[int, bytes]) -> None:
        (self.delay,) = struct.unpack_from("<i", data)
        self._data, self._at = data, 4
        self.pictures = pictures

    @property
    def left(self) -> int:
        """Bytes that have not been read."""
        return len(self._data) - self._at

    def take(self, layout: str) -> tuple[Any, ...]:
        """Numbers, little endian."""
        found = struct.unpack_from("<" + layout, self._data, self._at)
        self._at += struct.calcsize("<" + layout)
        return found

    def text(self) -> str:
        """A text."""
        end = self._data.index(b"\0", self._at)
        start, self._at = self._at, end + 1
        return self._data[start:end].decode()

    def expect(self, tag: int, number: int, layout: str) -> tuple[Any, ...]:
        """The numbers of the next message, which must be this one."""
        assert self.take("HB") == (tag, number)
        return self.take(layout)

    def has_next(self, tag: int, number: int) -> bool:
        """Whether the next message is this one."""
        return self._data[self._at : self._at + 3] == struct.pack("<HB", tag, number)


class WebotsClient:
    """A connection, which drives a robot.

    Args:
        place: of the local socket, or the number of a TCP port.
        robot: to drive, by TCP.
    """

    def __init__(self, place: Path | int, robot: str = "") -> None:
        self.is_remote = isinstance(place, int)
        if isinstance(place, int):
            self.socket = socket.create_connection(("127.0.0.1", place), LIMIT)
            self.socket.sendall(b"CTR" + (f"\nRobot-Name: {robot}".encode() if robot else b""))
            self.greeting = self.socket.recv(10)
        else:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(LIMIT)
            self.socket.connect(str(place))

    def __enter__(self) -> "WebotsClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, step: int = 0, *blocks: tuple[int, bytes]) -> Answer:
        """Send a packet, and the answer to it."""
        self.send(step, *blocks)
        return self.answer()

    def send(self, step: int = 0, *blocks: tuple[int, bytes]) -> None:
        """Send a packet: what is for each tag."""
        body = b"".join(struct.pack("<Hi", tag, len(data)) + data for tag, data in blocks)
        self.socket.sendall(struct.pack("<II", 8 + len(body), step) + body)

    def answer(self) -> Answer:
        """The next answer."""
        if not self.is_remote:
            (size,) = struct.unpack("<i", self._bytes(4))
            return Answer(self._bytes(size - 4), {})
        chunks, _ = struct.unpack("<Hi", self._bytes(6))
        data, pictures = b"", {}
        for _ in range(chunks):
            size, kind = struct.unpack("<iB", self._bytes(5))
            if kind == 0:
                data += self._bytes(size)
            else:
                tag, _ = struct.unpack("<HB", self._bytes(3))
                pictures[tag] = self._bytes(size)
        return Answer(data, pictures)

    def _bytes(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionResetError
            data += part
        return data


def pretend_version(folder: Path, version: str) -> mmap.mmap:
    """Have this process have a library in memory that says this version, as long as the answer is kept."""
    file = folder / "libController.so"
    file.write_bytes(b"wb_robot_step\0WEBOTS_CONTROLLER_URL\0" + version.encode() + bytes(mmap.PAGESIZE))
    with file.open("rb") as library:
        return mmap.mmap(library.fileno(), 0, prot=mmap.PROT_READ)
