"""Occupancy grid of a world: its bounding objects cut at a height, in the format of ROS's map_server.

A cell is occupied if the section of a shape lies in it. Robots are left out; all else is as at the start.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import BoolArray
from sim_core.base.atomic_file import atomic_file
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import Pose
from sim_core.engines.world_view import World
from sim_core.model.outlines import CIRCLE, outline_boxes, parts_of, projection

OCCUPIED, FREE = 0, 254
"""Grey values of map_server's PGM files."""
MAX_CELLS = 100_000_000
_MIN_OVERLAP = 1e-9
"""Overlap in m below which a shape is not in a cell."""

Section = tuple[float, ...]


class OccupancyMap(NamedTuple):
    """A grid in the world's plane z = 0.

    Attributes:
        occupied: (rows, columns); row 0 has the lowest y, column 0 the lowest x.
        resolution: m along the side of a cell.
        origin: x, y in m of the corner of cell (0, 0) that is nearest to -∞.
    """

    occupied: BoolArray
    resolution: float
    origin: tuple[float, float]

    def save(self, path: Path) -> tuple[Path, Path]:
        """Write `NAME.yaml` and `NAME.pgm`, whatever the path's extension; return both paths.

        Raises:
            ConfigError: they cannot be written.
        """
        picture, about = path.with_suffix(".pgm"), path.with_suffix(".yaml")
        rows, columns = self.occupied.shape
        grey = np.where(self.occupied[::-1], OCCUPIED, FREE).astype(np.uint8)  # the first row is the top
        x, y = self.origin
        text = (
            f"image: {picture.name}\nmode: trinary\nresolution: {self.resolution!r}\n"
            f"origin: [{x!r}, {y!r}, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n"
        )
        try:
            with atomic_file(picture) as part:
                part.write_bytes(b"P5\n%d %d\n255\n" % (columns, rows) + grey.tobytes())
            with atomic_file(about) as part:
                part.write_text(text, encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
        return about, picture


def occupancy_map(world: World, height: float, resolution: float) -> OccupancyMap:
    """Make the map of the present world.

    Args:
        world: the world of the engine.
        height: m above z = 0 at which the world is cut, such as that of a lidar.
        resolution: m along the side of a cell.

    Raises:
        ConfigError: nothing is at that height, or the map would have too many cells.
    """
    shapes = [each for each in sections(world, height) if each]
    if not shapes:
        raise ConfigError(f"found nothing that collides at a height of {height:g} m, expected an obstacle")
    boxes = outline_boxes(np.array([row for rows in shapes for row in rows], float))
    low = np.floor(boxes[:, :2].min(axis=0) / resolution).astype(int) - 1  # with a border of free cells
    high = np.ceil(boxes[:, 2:].max(axis=0) / resolution).astype(int) + 1
    columns, rows = (high - low).tolist()
    if columns * rows > MAX_CELLS:
        found = f"{columns} × {rows} cells of {resolution:g} m"
        raise ConfigError(f"found {found}, expected at most {MAX_CELLS} cells; use a coarser resolution")
    occupied = np.zeros((rows, columns), bool)
    for outlines in shapes:
        _fill(occupied, outlines, resolution, low[0], low[1])
    x, y = (round(float(each) * resolution, 9) for each in low)
    return OccupancyMap(occupied, resolution, (x, y))


def sections(world: World, height: float) -> Iterator[list[Section]]:
    """Yield the outline of each convex part of bounding objects without robots, cut at a height; see
    `outlines`.

    Planes are the ground, not obstacles.
    """
    for record in world.model.bounding.records:
        if record.robot is not None:
            continue
        frame = world.frame(record.solid).pose() if record.solid is not None else Pose()
        for part in parts_of(record.geometry, frame * record.offset, record.scale):
            yield projection(part, height, height)


def _fill(occupied: BoolArray, outlines: list[Section], size: float, column: int, row: int) -> None:
    """Mark the cells that a convex part is in; `column` and `row` are those of cell (0, 0) in the world."""
    x0, y0, x1, y1 = _bounds(outlines)
    left, bottom = (math.floor((low + _MIN_OVERLAP) / size) for low in (x0, y0))
    right, top = (
        max(math.ceil((high - _MIN_OVERLAP) / size), first + 1) for high, first in ((x1, left), (y1, bottom))
    )
    x = (np.arange(left, right) + 0.5) * size
    y = (np.arange(bottom, top)[:, None] + 0.5) * size
    half = size / 2.0
    if outlines[0][0] == CIRCLE:
        _, a, b, radius, _ = outlines[0]
        away_x, away_y = (np.maximum(0.0, abs(of - centre) - half) for of, centre in ((x, a), (y, b)))
        inside = np.hypot(away_x, away_y) < radius - _MIN_OVERLAP
    else:
        inside = np.ones((top - bottom, right - left), bool)
        for ax, ay, bx, by, least in _edges(outlines):
            length = math.hypot(bx - ax, by - ay)
            out_x, out_y = (by - ay) / length, (ax - bx) / length  # the outside is on the right
            nearest = (x - ax) * out_x + (y - ay) * out_y - half * (abs(out_x) + abs(out_y))
            inside &= nearest < least
    occupied[bottom - row : top - row, left - column : right - column] |= inside


def _bounds(outlines: list[Section]) -> Iterable[float]:
    boxes = outline_boxes(np.array(outlines, float))
    return *boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist()


def _edges(outlines: list[Section]) -> Iterator[tuple[float, float, float, float, float]]:
    """Yield the ends of the edges, and the smallest distance outwards of a free cell: a single face has no
    inside."""
    for _, ax, ay, bx, by in outlines:
        yield ax, ay, bx, by, -_MIN_OVERLAP if len(outlines) > 1 else _MIN_OVERLAP
    if len(outlines) == 1:
        yield bx, by, ax, ay, _MIN_OVERLAP
