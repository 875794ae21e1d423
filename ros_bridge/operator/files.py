"""Recordings of the operator: a new dated folder for each, with a CSV or binary file for each sensor.

A binary file begins and ends with the same lines as a CSV file; in between are the rows, with numbers as
little-endian float64 and texts as 32 bytes of UTF-8, padded with zeros.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ros_bridge.operator.sensors import SensorTable
from sim_core.base.errors import ConfigError

MOMENT = "%Y-%m-%d %H:%M:%S"
WORDS = "S32"
MAX_INCOMPLETE = 50
"""Most incomplete sets of messages of one time that are kept."""


def new_folder(parent: Path, robot: str, now: datetime) -> Path:
    """Create a folder named after the robot and the time; an existing folder is never used.

    Raises:
        ConfigError: it cannot be created.
    """
    name = f"{robot}_{now:%Y-%m-%d_%H-%M-%S}"
    for number in range(1, 1000):
        folder = parent / (name if number == 1 else f"{name}_{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise ConfigError(
                f"{folder}: found {error.strerror}, expected a folder that can be written"
            ) from None
        return folder
    raise ConfigError(f"{parent / name}: found 999 folders of this name, expected fewer")


class SensorFile:
    """One sensor's file: a title with start time, the columns, a row for each time, an end line.

    Attributes:
        rows: number of rows written.
        latest: cells of the last row.
    """

    def __init__(
        self, folder: Path, name: str, table: SensorTable, now: datetime, *, binary: bool = False
    ) -> None:
        self.path = folder / f"{name}.{'bin' if binary else 'csv'}"
        self.rows = 0
        self.latest: list[Any] = []
        self._table = table
        self._kind = row_type(table) if binary else None
        self._file = self.path.open("xb")
        self._file.write(f"# {table.title}, from {now:{MOMENT}}\n".encode())
        self._write_line(table.columns)
        self._waiting: dict[int, dict[str, Any]] = {}
        self._last = -1

    def receive(self, topic: str, stamp_ns: int, message: Any) -> None:
        """Store a message; write the row when all messages of its time have arrived."""
        parts = self._waiting.setdefault(stamp_ns, {})
        parts[topic] = message
        if len(parts) == len(self._table.topics):
            del self._waiting[stamp_ns]
            if stamp_ns > self._last:  # readings of a time may be sent again
                self._last = stamp_ns
                self._write(stamp_ns, parts)
        elif len(self._waiting) > MAX_INCOMPLETE:
            del self._waiting[min(self._waiting)]

    def flush(self) -> None:
        """Flush the file to the operating system."""
        self._file.flush()

    def close(self, now: datetime) -> None:
        """Write the end line and close the file."""
        self._file.write(f"# ended {now:{MOMENT}}, {self.rows} rows\n".encode())
        self._file.close()

    def _write(self, stamp_ns: int, parts: dict[str, Any]) -> None:
        milliseconds = stamp_ns / 1e6
        stamp = int(milliseconds) if milliseconds.is_integer() else milliseconds
        self.latest = [stamp, *self._table.row(parts)]
        if self._kind is None:
            self._write_line(self.latest)
        else:
            self._file.write(np.array([tuple(self.latest)], self._kind).tobytes())
        self.rows += 1

    def _write_line(self, cells: Iterable[Any]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(cells)
        self._file.write(text.getvalue().encode())


def row_type(table: SensorTable) -> np.dtype[np.void]:
    """Return the dtype of the rows of a binary file."""
    return np.dtype([(name, WORDS if name in table.texts else "<f8") for name in table.columns])


def read_rows(path: Path, table: SensorTable) -> NDArray[np.void]:
    """Return the rows (rows,) of a binary file, with named columns; also of an unfinished file."""
    data = path.read_bytes()
    start = data.index(b"\n", data.index(b"\n") + 1) + 1
    end = data.rfind(b"# ended ", start)
    kind = row_type(table)
    size = (end if end >= 0 else len(data)) - start
    return np.frombuffer(data, kind, size // kind.itemsize, start)


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


class RecordingFiles:
    """The files of one selection of sensors."""

    def __init__(
        self,
        parent: Path,
        robot: str,
        tables: Iterable[tuple[str, SensorTable]],
        *,
        binary: bool = False,
    ) -> None:
        """Create the folder and the files.

        Raises:
            ConfigError: they cannot be written.
        """
        now = datetime.now()
        self.folder = new_folder(parent, robot, now)
        self.files: dict[str, SensorFile] = {}
        for name, table in tables:
            with _written(self.folder / name):
                self.files[name] = SensorFile(self.folder, name, table, now, binary=binary)

    def flush(self) -> None:
        """Flush the files to the operating system."""
        for file in self.files.values():
            with _written(file.path):
                file.flush()

    def close(self) -> str:
        """Close the files; return a line about their contents."""
        now = datetime.now()
        for file in self.files.values():
            with _written(file.path):
                file.close(now)
        counts = ", ".join(f"{name} {file.rows}" for name, file in self.files.items())
        return f"{self.folder}: {counts} rows"
