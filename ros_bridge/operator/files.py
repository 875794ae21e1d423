"""The operator's files: a new dated folder for each recording, a CSV file for each sensor."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from ros_bridge.operator.sensors import SensorTable
from sim_core.base.errors import ConfigError

MOMENT = "%Y-%m-%d %H:%M:%S"
PATIENCE = 50
"""Sets of messages, each of one time, that may wait for their missing parts."""


def new_folder(parent: Path, robot: str, now: datetime) -> Path:
    """Make a folder named after the robot and the time; one that is there is never used again.

    Raises:
        ConfigError: it cannot be made.
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
    """One sensor's CSV file: what it holds and since when, the columns, a row for each time, the end.

    Attributes:
        rows: number of rows written.
    """

    def __init__(self, folder: Path, name: str, table: SensorTable, now: datetime) -> None:
        self.path = folder / f"{name}.csv"
        self.rows = 0
        self._table = table
        self._file = self.path.open("x", newline="", encoding="utf-8")
        self._file.write(f"# {table.title}, from {now:{MOMENT}}\n")
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._writer.writerow(table.columns)
        self._waiting: dict[int, dict[str, Any]] = {}
        self._last = -1

    def receive(self, topic: str, stamp_ns: int, message: Any) -> None:
        """Take a message; the row is written when all of its time are there."""
        parts = self._waiting.setdefault(stamp_ns, {})
        parts[topic] = message
        if len(parts) == len(self._table.topics):
            del self._waiting[stamp_ns]
            if stamp_ns > self._last:  # readings of one time may be sent again
                self._last = stamp_ns
                self._write(stamp_ns, parts)
        elif len(self._waiting) > PATIENCE:
            del self._waiting[min(self._waiting)]

    def flush(self) -> None:
        """Hand what was written to the system."""
        self._file.flush()

    def close(self, now: datetime) -> None:
        """Write the end."""
        self._file.write(f"# ended {now:{MOMENT}}, {self.rows} rows\n")
        self._file.close()

    def _write(self, stamp_ns: int, parts: dict[str, Any]) -> None:
        milliseconds = stamp_ns / 1e6
        stamp = int(milliseconds) if milliseconds.is_integer() else milliseconds
        self._writer.writerow([stamp, *self._table.row(parts)])
        self.rows += 1


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


class Recording:
    """The files of one choice of sensors."""

    def __init__(self, parent: Path, robot: str, tables: Iterable[tuple[str, SensorTable]]) -> None:
        """Make the folder and the files.

        Raises:
            ConfigError: they cannot be written.
        """
        now = datetime.now()
        self.folder = new_folder(parent, robot, now)
        self.files: dict[str, SensorFile] = {}
        for name, table in tables:
            with _written(self.folder / name):
                self.files[name] = SensorFile(self.folder, name, table, now)

    def flush(self) -> None:
        """Hand what was written to the system."""
        for file in self.files.values():
            with _written(file.path):
                file.flush()

    def close(self) -> str:
        """End the files; returns what they hold in one line."""
        now = datetime.now()
        for file in self.files.values():
            with _written(file.path):
                file.close(now)
        counts = ", ".join(f"{name} {file.rows}" for name, file in self.files.items())
        return f"{self.folder}: {counts} rows"
