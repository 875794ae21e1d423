"""Motion files: positions of joints at times, as Webots' motion editor writes them.

    #WEBOTS_MOTION,V1.0,shoulder,elbow
    00:00:000,rest,0.0,0.0
    00:01:500,up,1.2,*

A row is a time (`[[minutes:]seconds:]milliseconds`), the name of the pose and one position per joint, rad or
m; `*`: the joint is not commanded. (Webots reference, Motion)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path

import numpy as np

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.scene.files import read_text
from sim_core.session.players.trajectory import Trajectory

HEADER, VERSION = "#WEBOTS_MOTION", "V1.0"
UNCHANGED = "*"
ENDING = ".motion"
MILLISECOND = 1_000_000
_DIGITS = re.compile("[0-9]{1,9}")
TIME_FORM = "a time such as 00:01:500 (minutes:seconds:milliseconds)"

Cell = tuple[int, str]
"""Column of the first character, counted from 1, and the text without surrounding blanks."""


@dataclass(frozen=True)
class Motion:
    """Poses of joints at times.

    Attributes:
        joints: names of the m motors.
        poses: n names.
        path: trajectory through the poses, at whole milliseconds.
    """

    joints: tuple[str, ...]
    poses: tuple[str, ...]
    path: Trajectory

    @property
    def duration(self) -> float:
        """Time of the last pose, s."""
        return self.path.end_ns / 1e9


def read_motion(path: str | Path) -> Motion:
    """Read a motion file.

    Raises:
        SceneErrors: the file cannot be read, or rows are wrong; each problem has file, line and column.
    """
    return parse_motion(read_text(path, f"a motion ({ENDING})"), str(path))


def parse_motion(text: str, file: str = "<motion>") -> Motion:
    """Parse the text of a motion file.

    Raises:
        SceneErrors: rows are wrong; each problem has file, line and column.
    """
    return _Reader(file).read_lines(text)


def write_motion(motion: Motion) -> str:
    """Return the text of a motion file; reading it gives the same motion.

    Raises:
        ValueError: a name has a comma or a line break in it, which the format cannot hold.
    """
    for name in (*motion.joints, *motion.poses):
        if not name.strip() or any(sign in name for sign in ",\n\r"):
            raise ValueError(f"found the name {name!r}, expected one without commas and line breaks")
    lines = [",".join((HEADER, VERSION, *motion.joints))]
    for time_ns, pose, row in zip(motion.path.times_ns, motion.poses, motion.path.positions, strict=True):
        time = time_ns // MILLISECOND
        stamp = f"{time // 60000:02d}:{time // 1000 % 60:02d}:{time % 1000:03d}"
        values = (UNCHANGED if math.isnan(value) else repr(float(value)) for value in row)
        lines.append(",".join((stamp, pose, *values)))
    return "\n".join(lines) + "\n"


def find_motion(name: str, world_file: str | Path) -> Path:
    """Return the path of a motion file that is named relative to a world.

    A relative name is looked up in the folder `motions` beside the world, then in that beside the world's
    folder, as Webots projects have it; the ending `.motion` may be left out.

    Raises:
        SceneErrors: there is no such file.
    """
    path = Path(name if name.endswith(ENDING) else name + ENDING)
    folder = Path(world_file).resolve().parent
    places = [path] if path.is_absolute() else [each / "motions" / path for each in (folder, folder.parent)]
    found = next((place for place in places if isfile(place)), None)
    if found is None:
        looked = " or ".join(str(place) for place in places)
        raise SceneErrors([SceneError(name, 0, 0, "no such motion file", looked)])
    return found


class _Reader:
    """Reads one file and collects its problems."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._problems: list[SceneError] = []

    def read_lines(self, text: str) -> Motion:
        lines = text.splitlines()
        joints = self._joints(lines[0] if lines else "")
        if self._problems:
            raise SceneErrors(self._problems)
        times: list[int] = []
        poses: list[str] = []
        rows: list[list[float]] = []
        for number, line in enumerate(lines[1:], 2):
            if not line.strip(" ,\t"):
                continue
            cells = list(_cells(line))
            time = self._time(number, cells[0], times[-1] if times else -1)
            self._count(number, cells, len(joints))
            times.append(time)
            poses.append(cells[1][1] if len(cells) > 1 else "")
            rows.append([self._position(number, cell) for cell in cells[2:]])
        if not rows and not self._problems:
            self._add(len(lines), 1, "no pose", "at least one row of a time, a pose name and positions")
        if self._problems:
            raise SceneErrors(self._problems)
        path = Trajectory(tuple(time * MILLISECOND for time in times), np.array(rows, dtype=np.float64))
        return Motion(joints, tuple(poses), path)

    def _joints(self, line: str) -> tuple[str, ...]:
        cells = list(_cells(line))
        start = f"{HEADER},{VERSION} and the names of joints"
        for cell, expected in zip(cells, (HEADER, VERSION), strict=False):
            if cell[1] != expected:
                self._add(1, cell[0], f'"{cell[1]}"', start)
                return ()
        names = [cell[1] for cell in cells[2:]]
        if not names:
            self._add(1, len(line) + 1, "no joint", start)
        for index, (column, name) in enumerate(cells[2:]):
            if name in names[:index]:
                self._add(1, column, f'joint "{name}" again', "each joint once")
            elif not name:
                self._add(1, column, "a joint without a name", "a name")
        return tuple(names)

    def _time(self, line: int, cell: Cell, before: int) -> int:
        column, text = cell
        parts = text.split(":")
        if not (len(parts) <= 3 and all(_DIGITS.fullmatch(part) for part in parts)):
            self._add(line, column, f'"{text}"', TIME_FORM)
            return before + 1
        minutes, seconds, milliseconds = [0] * (3 - len(parts)) + [int(part) for part in parts]
        time = minutes * 60000 + seconds * 1000 + milliseconds
        if time <= before:
            self._add(line, column, f"time {text}", "a later time than in the row before")
            return before + 1
        return time

    def _count(self, line: int, cells: list[Cell], joints: int) -> None:
        expected = f"a time, a pose name and {joints} position{'' if joints == 1 else 's'}"
        if len(cells) != joints + 2:
            column = cells[min(len(cells) - 1, joints + 2)][0]
            self._add(line, column, f"{len(cells)} columns", expected)

    def _position(self, line: int, cell: Cell) -> float:
        column, text = cell
        if text == UNCHANGED:
            return math.nan
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self._add(line, column, f'"{text}"', "a finite number in rad or m, or * for no change")
        return value

    def _add(self, line: int, column: int, found: str, expected: str) -> None:
        self._problems.append(SceneError(self._file, max(1, line), column, found, expected))


def _cells(line: str) -> Iterator[Cell]:
    """Iterate over the cells of a row; trailing commas are ignored."""
    column = 1
    for part in line.rstrip(" ,\t").split(","):
        blanks = len(part) - len(part.lstrip())
        yield column + blanks, part.strip()
        column += len(part) + 1
