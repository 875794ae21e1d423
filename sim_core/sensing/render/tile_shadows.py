"""Shadows in pictures that are tiles of one: a map of what is equal in all copies, and parts of it with the
groups that move."""

from __future__ import annotations

import math
from typing import Any

import moderngl
import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.errors import ConfigError
from sim_core.sensing.picture_view import DIRECTIONAL, POINT
from sim_core.sensing.render.gpu_data import TILE_ROWS
from sim_core.sensing.render.painter import SHADOW_UNIT
from sim_core.sensing.render.programs import TILES, Programs, set_uniforms
from sim_core.sensing.render.scene_instances import SceneInstances
from sim_core.sensing.render.shadow import TEXELS, shadow_view

CELLS = 4096
"""Texels of a side of the target for the parts with moving groups."""
MARGIN = 4
"""Texels of a part beyond its group."""
INSTANCES_UNIT, CELLS_UNIT, CORNERS_UNIT = 10, 12, 13
"""Texture units of tables and of parts of the map, beyond those of the painter."""
_WIDTH = 4096
"""Texels in a row of a table."""


def moved(points: FloatArray, motions: FloatArray) -> FloatArray:
    """Return points (…, 3) after motions (…, 4): x, y in m, and cosine and sine of the turn about z."""
    found = np.empty((*np.broadcast_shapes(points.shape[:-1], motions.shape[:-1]), 3))
    x, y, (cos, sin) = points[..., 0], points[..., 1], (motions[..., 2], motions[..., 3])
    found[..., 0] = motions[..., 0] + cos * x - sin * y
    found[..., 1] = motions[..., 1] + sin * x + cos * y
    found[..., 2] = points[..., 2]
    return found


def table_of(context: Any, texels: int) -> Any:
    """Return a texture of so many texels of four numbers, see `glsl/tables.glsl`."""
    texture = context.texture((_WIDTH, max(1, -(-texels // _WIDTH))), 4, dtype="f4")
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    return texture


def write_table(texture: Any, rows: Any) -> None:
    """Write numbers, four for each texel, from the first on."""
    numbers = np.ravel(rows)
    height = max(1, -(-len(numbers) // (4 * _WIDTH)))
    padded = np.zeros(4 * _WIDTH * height, np.float32)
    padded[: len(numbers)] = numbers
    texture.write(padded.tobytes(), viewport=(0, 0, _WIDTH, height))


class TileShadows:
    """Shadow maps of the first light that casts shadows, which must be a DirectionalLight.

    A single picture has one map, of all that is within some metres of the eye; here the map is around the
    middle of the scene at its start. Texels are the same if the groups stay between other shapes.

    Attributes:
        casting: number of the light, in a list; empty: there are no shadows.
        most: largest number of copies at once.
    """

    def __init__(
        self,
        context: Any,
        programs: Programs,
        instances: SceneInstances,
        lights: FloatArray,
        places: FloatArray,
        groups: IntArray,
    ) -> None:
        """Draw the map of what is equal in all copies.

        Args:
            context: OpenGL context; the table of the instances is in INSTANCES_UNIT.
            programs: programs of the context.
            instances: the scene, with the eye at the origin.
            lights: lights in order.
            places: (m, 3) places of the instances at the start.
            groups: (m,) see `TilePainter`.

        Raises:
            ConfigError: one copy has more groups than there is room for.
        """
        self._gl, self._instances, self._places, self._groups = context, instances, places, groups
        self.casting: list[int] = []
        self.most = np.iinfo(np.int64).max
        casts = instances.list.casts
        casting = np.flatnonzero((lights[:, 19] > 0.0) & (lights[:, 0] != POINT))
        if not len(casting) or not casts.any():
            return
        middles, radii = instances.middles, instances.list.spheres[:, 3]
        centre = (middles[casts].min(axis=0) + middles[casts].max(axis=0)) / 2.0
        view = shadow_view(lights[casting[0]], centre, middles - centre, radii, casts)
        if view is None or lights[casting[0], 0] != DIRECTIONAL:
            return
        self.casting = casting[:1].tolist()
        self._matrix = view.matrix.copy()  # from positions in the world
        self._matrix[:, 3] -= self._matrix[:, :3] @ centre
        self._program = programs.program_of("shadow", (TILES,))
        still = view.chosen[groups[view.chosen] == 0]
        self._moving = view.chosen[groups[view.chosen] > 0]
        self._spheres = []
        for group in np.unique(groups[self._moving]).tolist():
            own = self._moving[groups[self._moving] == group]
            middle = middles[own].mean(axis=0)
            reach = (np.linalg.norm(middles[own] - middle, axis=1) + radii[own]).max()
            self._spheres.append((group, middle, float(reach)))
        largest = max((reach for *_, reach in self._spheres), default=0.0)
        self._side = min(TEXELS, math.ceil(2.0 * largest / view.step) + MARGIN)
        cells = (CELLS // self._side) ** 2
        if cells < len(self._spheres):
            found = f"{len(self._spheres)} robots with shadows, up to {2.0 * largest:.3g} m wide"
            raise ConfigError(f"observations: found {found}, expected {cells} or fewer, or castShadows FALSE")
        self.most = cells // max(1, len(self._spheres))
        self._map, self._cells = self._target(TEXELS), self._target(CELLS)
        self._corners = table_of(context, cells)
        self._uniforms: dict[str, object] = {
            "u_shadow": tuple(self._matrix.T.reshape(-1)),
            "u_shadow_step": view.step,
            "u_shadow_map": SHADOW_UNIT,
            "u_shadow_cells": CELLS_UNIT,
            "u_cells": CORNERS_UNIT,
            "u_cell_sizes": (self._side / TEXELS, CELLS / TEXELS, float(len(self._spheres))),
        }
        write_table(self._corners, np.zeros(4))
        identity = np.broadcast_to((0.0, 0.0, 1.0, 0.0), (len(still), 4))
        self._cast(self._map, TEXELS, (1.0, 1.0), still, identity, np.zeros(len(still)))

    def draw_cells(self, tiles: IntArray, motions: FloatArray) -> dict[str, object]:
        """Draw the parts with the groups in the copies of some tiles; return the uniforms for reading."""
        count, side = len(self._spheres), self._side
        if count:
            corners = np.zeros((int(tiles.max()) + 1, count, 4))
            columns = CELLS // side
            for index, (group, middle, _) in enumerate(self._spheres):
                at = moved(middle, motions[:, group]) @ self._matrix[:2, :3].T + self._matrix[:2, 3]
                corners[tiles, index, :2] = np.floor((0.5 * at + 0.5) * TEXELS - side / 2.0) / TEXELS
                row, column = np.divmod(tiles * count + index, columns)
                corners[tiles, index, 2], corners[tiles, index, 3] = column * side, row * side
            corners[..., 2:] /= CELLS
            write_table(self._corners, corners)
            number = {group: index for index, (group, *_) in enumerate(self._spheres)}
            chosen = np.repeat(self._moving, len(tiles))
            own = np.array([number[group] for group in self._groups[self._moving].tolist()])
            cells = (tiles[None] * count + own[:, None]).ravel()
            motion = motions[:, self._groups[self._moving]].transpose(1, 0, 2).reshape(-1, 4)
            height = (int(cells.max()) // columns + 1) * side
            self._cast(self._cells, height, (side / TEXELS, CELLS / TEXELS), chosen, motion, cells)
        self._map.depth_attachment.use(SHADOW_UNIT)
        self._cells.depth_attachment.use(CELLS_UNIT)
        self._corners.use(CORNERS_UNIT)
        return self._uniforms

    def _target(self, side: int) -> Any:
        texels = self._gl.depth_texture((side, side))
        texels.repeat_x = texels.repeat_y = False
        return self._gl.framebuffer(depth_attachment=texels)

    def _cast(
        self,
        target: Any,
        height: int,
        sizes: tuple[float, float],
        chosen: IntArray,
        motion: FloatArray,
        cells: Any,
    ) -> None:
        """Draw depths of instances into cells of a target, up to a row of texels."""
        target.use()
        target.viewport = (0, 0, *target.size)
        target.clear(depth=1.0, viewport=(0, 0, target.width, height))
        self._corners.use(CORNERS_UNIT)
        own = {"u_tiles": CORNERS_UNIT, "u_instances": INSTANCES_UNIT, "u_cell": sizes}
        set_uniforms(self._program, {**self._uniforms, **own})
        data = np.empty((len(chosen), TILE_ROWS.size), np.float32)
        data[:, :3] = moved(self._places[chosen], motion)
        data[:, 3:5], data[:, 5], data[:, 6] = motion[:, 2:], chosen, cells
        self._instances.draw_depths(self._program, chosen, data)
