"""Projections of the shadow maps of all lights in "fine" pictures. No GL.

All maps are tiles of one texture, the atlas. The sun has one tile around all shapes that cast shadows, up to
SUN_SIDE; in larger worlds one of that size near the eye, one for shapes farther away, and so on. A spot light
has one, a point light six: the sides of a cube.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import BoolArray, FloatArray, IntArray
from sim_core.sensing.picture_view import DIRECTIONAL, POINT
from sim_core.sensing.render.optics import FACES, in_frustum
from sim_core.sensing.render.shadow import MAX_ANGLE, MIN_DISTANCE, axes_along, perspective

ATLAS = 4096
"""Texels of a side of the atlas."""
CELL = 1024
SUN_CELLS = 2
"""Cells of a side of a sun's tile."""
FACE = 512
"""Texels of a side of a cube's face."""
SUN_SIDE = 40.0
"""Side of a sun's first tile, m; larger worlds get several tiles, each of which covers CASCADE times as
much as the one before."""
CASCADE = 4.0
MAX_CASCADES = 3
MARGIN = 1.06
"""Factor by which a side of a cube extends beyond its edges, so that soft shadows have all surrounding
texels."""
MAX_TILES = 24


class Tile(NamedTuple):
    """A part of the atlas, and its projection.

    Attributes:
        corner: its corner in the atlas, texels.
        size: texels of a side.
        origin: (3,) m, in the world.
        matrix: (4, 4) from positions relative to the origin to clip coordinates.
        is_lamp: its depths are those of a perspective.
        near, far: m along its axis.
        step: size of a texel in m; of a lamp at a distance of 1 m.
        chosen: indices of the instances that cast shadows into it.
    """

    corner: tuple[int, int]
    size: int
    origin: FloatArray
    matrix: FloatArray
    is_lamp: bool
    near: float
    far: float
    step: float
    chosen: IntArray


class LightTiles(NamedTuple):
    """The tiles of a light: `length` tiles from number `first` on."""

    light: int
    first: int
    length: int


def tiles_of(
    lights: FloatArray, eye: FloatArray, middles: FloatArray, radii: FloatArray, casts: BoolArray, most: int
) -> tuple[list[Tile], list[LightTiles]]:
    """Return the tiles of the lights that cast shadows, as many as fit; the first lights first.

    Args:
        lights: (n, 20) see `light_rows`.
        eye: (3,) m.
        middles, radii: (m, 3) in the world and (m,) spheres around the instances, m.
        casts: (m,) which of them cast shadows.
        most: largest number of lights.
    """
    tiles: list[Tile] = []
    found: list[LightTiles] = []
    cells = _Cells()
    which = np.flatnonzero(casts)
    for number in np.flatnonzero(lights[:, 19] > 0.0).tolist():
        if len(found) == most or not len(which):
            break
        make = {DIRECTIONAL: _sun, POINT: _lamp}.get(float(lights[number, 0]), _spot)
        made = make(lights[number], eye, middles[which], radii[which], cells)
        if made and len(tiles) + len(made) <= MAX_TILES:
            found.append(LightTiles(number, len(tiles), len(made)))
            tiles += [each._replace(chosen=which[each.chosen]) for each in made]
    return tiles, found


class _Cells:
    """The free cells of the atlas."""

    def __init__(self) -> None:
        self._taken = np.zeros((ATLAS // CELL, ATLAS // CELL), bool)

    def allocate(self, width: int, height: int) -> tuple[int, int] | None:
        """Return the corner of a free block in texels, and mark it as used; None: there is none."""
        rows, columns = self._taken.shape
        for row in range(0, rows - height + 1, height):
            for column in range(0, columns - width + 1, width):
                block = self._taken[row : row + height, column : column + width]
                if not block.any():
                    block[:] = True
                    return column * CELL, row * CELL
        return None


def _sun(
    light: FloatArray, eye: FloatArray, middles: FloatArray, radii: FloatArray, cells: _Cells
) -> list[Tile]:
    axes = axes_along(light[4:7])
    places, at = middles @ axes.T, axes @ eye
    low, high = (places - radii[:, None]).min(axis=0), (places + radii[:, None]).max(axis=0)
    tiles: list[Tile] = []
    for cascade in range(MAX_CASCADES):
        reach = SUN_SIDE / 2.0 * CASCADE**cascade
        is_all = bool((high[:2] - low[:2]).max() <= 2.0 * reach)
        near, far = low.copy(), high.copy()
        if not is_all:  # around the eye, moved by whole texels, so that edges of shadows do not flicker
            texel = 2.0 * reach / (SUN_CELLS * CELL)
            middle = np.round(at[:2] / texel) * texel
            near[:2], far[:2] = middle - reach, middle + reach
        corner = cells.allocate(SUN_CELLS, SUN_CELLS)
        if corner is None:
            break
        inside = (
            (places[:, :2] + radii[:, None] > near[:2]) & (places[:, :2] - radii[:, None] < far[:2])
        ).all(axis=1)
        if inside.any():
            near[2] = (places[inside, 2] - radii[inside]).min()
            far[2] = (places[inside, 2] + radii[inside]).max()
            size = np.maximum(far - near, 1e-3)
            size[:2] = size[:2].max()  # square texels
            middle = (far + near) / 2.0
            matrix = np.eye(4)
            matrix[:3, :3] = axes * (2.0 / size)[:, None]
            tiles.append(
                Tile(
                    corner,
                    SUN_CELLS * CELL,
                    axes.T @ middle,
                    matrix,
                    False,
                    0.0,
                    float(size[2]),
                    float(size[0]) / (SUN_CELLS * CELL),
                    np.flatnonzero(inside),
                )
            )
        if is_all:
            break
    return tiles


def _within(
    light: FloatArray, middles: FloatArray, radii: FloatArray, axes: FloatArray, across: float
) -> tuple[IntArray, float]:
    """Return the instances that a lamp lights through a square pyramid, and how far it reaches."""
    local = (middles - light[1:4]) @ axes[[2, 0, 1]].T
    reach = light[16] if light[16] > 0.0 else math.inf
    chosen = np.flatnonzero(in_frustum(local, radii, across, across, MIN_DISTANCE, reach))
    far = float((local[chosen, 0] + radii[chosen]).max()) if len(chosen) else 1.0
    return chosen, max(2.0 * MIN_DISTANCE, min(reach, far))


def _spot(
    light: FloatArray, eye: FloatArray, middles: FloatArray, radii: FloatArray, cells: _Cells
) -> list[Tile]:
    axes, across = axes_along(light[4:7]), math.tan(min(light[18] + 0.02, MAX_ANGLE))
    chosen, far = _within(light, middles, radii, axes, across)
    corner = cells.allocate(1, 1) if len(chosen) else None
    if corner is None:
        return []
    matrix = perspective(axes, across, MIN_DISTANCE, far)
    return [
        Tile(corner, CELL, light[1:4].copy(), matrix, True, MIN_DISTANCE, far, 2.0 * across / CELL, chosen)
    ]


def _lamp(
    light: FloatArray, eye: FloatArray, middles: FloatArray, radii: FloatArray, cells: _Cells
) -> list[Tile]:
    corner = cells.allocate(2, 1)
    if corner is None:
        return []
    axes = [np.stack([face[:, 1], face[:, 2], face[:, 0]]) for face in FACES]  # to the side, up, out
    sides = [_within(light, middles, radii, each, MARGIN) for each in axes]
    far = max(reach for _, reach in sides)
    tiles = []
    for number, (each, (chosen, _)) in enumerate(zip(axes, sides, strict=True)):
        place = (corner[0] + number % 3 * FACE, corner[1] + number // 3 * FACE)
        matrix = perspective(each, MARGIN, MIN_DISTANCE, far)
        step = 2.0 * MARGIN / FACE
        tiles.append(Tile(place, FACE, light[1:4].copy(), matrix, True, MIN_DISTANCE, far, step, chosen))
    return tiles
