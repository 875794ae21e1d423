"""Pictures of many copies of a scene, drawn as tiles of one target with few draw calls.

The copies differ in the poses of groups of shapes: a group turns about z and moves in the plane. What is
drawn, and how, is as for one picture in fast quality, see `painter.py`. The place of a copy's tile depends on
its number alone, so its picture does not depend on how many copies there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import moderngl
import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import BoolArray, Float32Array, FloatArray, IntArray
from sim_core.sensing.picture_view import PictureView, film
from sim_core.sensing.render.draw_list import DrawList, FrameState, ViewRequest
from sim_core.sensing.render.gpu_data import TILE_ROWS, InstanceBatch
from sim_core.sensing.render.optics import in_frustum, pinhole, tangents
from sim_core.sensing.render.painter import SAMPLES
from sim_core.sensing.render.passes import draw_sky
from sim_core.sensing.render.programs import TILES, Programs, set_uniforms
from sim_core.sensing.render.scene_instances import SceneInstances
from sim_core.sensing.render.shaders import in_order, light_features
from sim_core.sensing.render.tile_shadows import INSTANCES_UNIT, TileShadows, moved, table_of, write_table

SIDES = {"color": 2048, "depth": 256}
"""Side of the target of a layer in pixels; larger pictures are drawn one at a time. llvmpipe interpolates
from a corner of the target with 32-bit numbers: depths differ by 1e-5 from those of one picture, at 2048 by
1e-4."""
PAIRS = 1 << 20
"""Largest number of instances in all pictures drawn at once."""
TILES_UNIT = 11
"""Texture unit of the eyes."""
_CLIP_DISTANCES = range(0x3000, 0x3004)
_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])


class _Target(NamedTuple):
    """Buffer for tiles, and the one from which they are read: the same, unless edges are smoothed or light is
    mixed."""

    drawn: Any
    read: Any


class TilePainter:
    """Draws copies of a draw list without points, lines, pens and spots of lasers.

    Must be used in the thread that made it.
    """

    def __init__(self, context: Any, draw_list: DrawList, state: FrameState, groups: IntArray) -> None:
        """Prepare the scene at its start.

        Args:
            context: OpenGL context.
            draw_list, state: the scene; `state.requests` is not used.
            groups: (m,) the group of each instance; 0: it is the same in all copies.
        """
        context.front_face = "cw"  # as in `Painter`
        self._gl, self._list, self._groups = context, draw_list, groups
        self._programs = Programs(context)
        count = len(groups)
        self._most = max(1, PAIRS // max(count, 1))
        self._instances = SceneInstances(context, self._programs, TILE_ROWS, self._most)
        self._instances.set_draw_list(draw_list)
        self._instances.set_state(state)
        self._instances.set_eye(ViewRequest(0, _ORIGIN, True))
        self._middles, self._radii = self._instances.middles, draw_list.spheres[:, 3]
        frames = state.poses[draw_list.frames]
        turned = np.einsum("nij,nj->ni", frames[:, 3:].reshape(-1, 3, 3), draw_list.offsets)
        self._places: FloatArray = frames[:, :3] + turned
        rows = self._instances.rows(np.arange(count))
        table = np.hstack([rows, np.zeros((count, 1), np.float32)])
        self._table = table_of(context, 8 * count)
        write_table(self._table, table)
        self._table.use(INSTANCES_UNIT)
        counts = np.diff(draw_list.starts)
        sizes = np.add.reduceat(self._radii, draw_list.starts[:-1]) / counts if count else self._radii
        self._sizes: FloatArray = np.repeat(sizes, counts)
        self._lights = in_order(state.lights)
        self._shadows = TileShadows(
            context, self._programs, self._instances, self._lights, self._places, groups
        )
        self._most = min(self._most, self._shadows.most)
        self._tiles: dict[int, Any] = {}
        self._targets: dict[tuple[object, ...], _Target] = {}

    def draw_copies(
        self,
        view: PictureView,
        shown: BoolArray,
        copies: IntArray,
        eyes: FloatArray,
        motions: FloatArray,
        pictures: NDArray[Any],
    ) -> None:
        """Draw a view in some copies.

        Args:
            view: planar, without lens and focus, in fast quality, with one layer: "color" or "depth".
            shown: (m,) which instances are drawn.
            copies: (k,) numbers of the copies, ascending.
            eyes: (k, 12) position and rotation of the eye in each.
            motions: (k, g, 4) motion of each group since the start: x, y in m of the point that was at the
                origin, cosine and sine of the turn.
            pictures: (n, height, width, 3) uint8, red, green, blue, or (n, height, width) float32 in m, inf
                where nothing is, of all copies; those of the drawn ones are set.
        """
        side = SIDES[view.layers[0]]
        columns, rows = max(1, side // view.width), max(1, side // view.height)
        most = min(columns * rows, self._most)
        starts = np.flatnonzero(np.diff(copies // most, prepend=-1))
        for first, end in zip(starts, [*starts[1:], len(copies)], strict=True):
            part = slice(first, end)
            tiles = copies[part] % most
            used = (min(columns, int(tiles.max()) + 1), int(tiles.max()) // columns + 1)
            drawn = self._draw(view, shown, tiles, (columns, rows), used, eyes[part], motions[part])
            size = (0, 0, used[0] * view.width, used[1] * view.height)
            is_colour = view.layers[0] == "color"
            dtype, components = (np.uint8, 4) if is_colour else (np.float32, 1)
            read = np.empty((used[1], view.height, used[0], view.width, components), dtype)
            drawn.read_into(read, size, components=components, alignment=1, dtype="f1" if is_colour else "f4")
            row, column = np.divmod(tiles, columns)
            found = read[row, :, column]
            pictures[copies[part]] = found[..., 2::-1] if is_colour else found[..., 0]

    def _draw(
        self,
        view: PictureView,
        shown: BoolArray,
        tiles: IntArray,
        grid: tuple[int, int],
        used: tuple[int, int],
        eyes: FloatArray,
        motions: FloatArray,
    ) -> Any:
        """Draw the tiles of a round, in the first `used` columns and rows of a grid (columns, rows); return
        the buffer."""
        gl, instances = self._gl, self._instances
        (layer,), (columns, rows) = view.layers, grid
        across, up = tangents(view)
        uniforms: dict[str, object] = {
            "u_instances": INSTANCES_UNIT,
            "u_tiles": TILES_UNIT,
            "u_grid": (1.0 / columns, 1.0 / rows, float(columns), 0.0),
            "u_eye": pinhole(across, up, view.near, view.far),
        }
        features: tuple[str, ...] = (TILES,)
        is_clear = self._list.is_clear & shown
        mixes = layer == "color" and bool(is_clear.any())
        self._table.use(INSTANCES_UNIT)
        for each in _CLIP_DISTANCES:
            gl.enable_direct(each)
        if layer == "color":
            casting = self._shadows.casting
            shadow = self._shadows.draw_cells(tiles, motions) if casting else {}
            kinds = self._lights[:, 0].astype(int).tolist()
            features += light_features(kinds, int(self._list.fog[0]), casting, "lit()")
            features += ("SHADOW",) if casting else ()
            uniforms |= {**instances.light_uniforms(self._lights, view.exposure), **shadow}
        chosen, data, distances = self._pairs(view, shown, tiles, eyes, motions)
        self._use_tiles(columns * rows, tiles, eyes)
        if mixes:
            layer = "light"
        target = self._target(view, grid, layer)
        target.drawn.use()
        target.drawn.viewport = (0, 0, *target.drawn.size)
        area = (0, 0, used[0] * view.width, used[1] * view.height)
        colour = (math.inf, 0.0, 0.0, 0.0)
        if layer == "color":
            colour = (*(film(self._list.sky, view.exposure) / 255.0)[::-1].tolist(), 1.0)
        elif layer == "light":
            colour = (*self._list.sky[::-1].tolist(), 1.0)
        target.drawn.clear(*colour, viewport=area)
        ready: set[int] = set()

        def program_of(batch: InstanceBatch) -> Any:
            program = batch.program(layer, features)
            if program.glo not in ready:
                ready.add(program.glo)
                set_uniforms(program, uniforms)
            return program

        gl.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        # batches of small shapes first: they often hide pixels of large ones, such as floors
        first = ~is_clear[chosen] if mixes else np.ones(len(chosen), np.bool_)
        instances.draw(layer, chosen[first], data[first], program_of, self._sizes[chosen[first]])
        for each in _CLIP_DISTANCES:
            gl.disable_direct(each)
        if layer != "depth" and self._list.backdrop is not None:
            instances.pictures.use_plain(self._list.backdrop)
            for (row, column), eye in zip(
                np.transpose(np.divmod(tiles, columns)).tolist(), eyes, strict=True
            ):
                size = (view.width, view.height)
                target.drawn.viewport = (column * size[0], row * size[1], *size)
                draw_sky(gl, self._programs, layer, eye[3:].reshape(3, 3), (across, up), view.exposure)
        if mixes:
            target.drawn.viewport = (0, 0, *target.drawn.size)
            for each in _CLIP_DISTANCES:
                gl.enable_direct(each)
            gl.enable(moderngl.BLEND)
            gl.blend_func = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE)
            for part in farthest_first(data[~first, 6], distances[~first]):
                instances.draw(layer, chosen[~first][part], data[~first][part], program_of)
            gl.disable(moderngl.BLEND)
            for each in _CLIP_DISTANCES:
                gl.disable_direct(each)
            samples = target.drawn.color_attachments[0].samples
            shown_light = self._programs.screen_pass("film.frag", (f"SAMPLES {samples}",) if samples else ())
            target.read.use()
            target.read.viewport = area
            shown_light.draw_over({"u_exposure": view.exposure}, u_light=target.drawn.color_attachments[0])
        elif target.read is not target.drawn:
            gl.copy_framebuffer(target.read, target.drawn)
        return target.read

    def _pairs(
        self, view: PictureView, shown: BoolArray, tiles: IntArray, eyes: FloatArray, motions: FloatArray
    ) -> tuple[IntArray, Float32Array, FloatArray]:
        """Return the instances that lie in pictures, ascending, their rows, see `TILE_ROWS`, and distances
        in m."""
        across, up = tangents(view)
        seen = np.flatnonzero(shown)
        groups = self._groups[seen]
        middles = moved(self._middles[seen], motions[:, groups]) - eyes[:, None, :3]
        middles = middles @ eyes[:, 3:].reshape(-1, 3, 3)
        radii = np.tile(self._radii[seen], len(tiles))
        inside = in_frustum(middles.reshape(-1, 3), radii, across, up, view.near, view.far)
        index, picture = np.nonzero(inside.reshape(len(tiles), -1).T)
        chosen = seen[index]
        data = np.empty((len(chosen), TILE_ROWS.size), np.float32)
        motion = motions[picture, groups[index]]
        data[:, :3] = moved(self._places[chosen], motion) - eyes[picture, :3]
        data[:, 3:5], data[:, 5], data[:, 6] = motion[:, 2:], chosen, tiles[picture]
        return chosen, data, np.linalg.norm(middles[picture, index], axis=1)

    def _use_tiles(self, count: int, tiles: IntArray, eyes: FloatArray) -> None:
        """Store the eyes of all tiles in their table."""
        rows = np.zeros((count, 3, 4), np.float32)
        rows[tiles, :, :3], rows[tiles, :, 3] = eyes[:, 3:].reshape(-1, 3, 3), eyes[:, :3]
        if count not in self._tiles:
            self._tiles[count] = table_of(self._gl, 3 * count)
        write_table(self._tiles[count], rows)
        self._tiles[count].use(TILES_UNIT)

    def _target(self, view: PictureView, grid: tuple[int, int], layer: str) -> _Target:
        size = (grid[0] * view.width, grid[1] * view.height)
        samples = min(SAMPLES, self._gl.max_samples) if view.smooth and layer != "depth" else 0
        key = (layer, size, samples)
        if key not in self._targets:
            gl = self._gl
            colour = gl.texture(size, 1, dtype="f4") if layer == "depth" else gl.texture(size, 4)
            read = drawn = gl.framebuffer([colour], gl.depth_renderbuffer(size))
            if layer == "light":
                colour = gl.texture(size, 4, samples=samples, dtype="f4")
                drawn = gl.framebuffer([colour], gl.depth_renderbuffer(size, samples=samples))
            elif samples:
                colour = gl.renderbuffer(size, 4, samples=samples)
                drawn = gl.framebuffer([colour], gl.depth_renderbuffer(size, samples=samples))
            self._targets[key] = _Target(drawn, read)
        return self._targets[key]


def farthest_first(tiles: Any, distances: FloatArray) -> Iterator[IntArray]:
    """Iterate over the indices of the farthest in each tile, ascending, then of the next, and so on."""
    order = np.lexsort((-distances, tiles))
    first = np.flatnonzero(np.diff(tiles[order], prepend=-1.0))
    counts = np.diff([*first, len(order)])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(first, counts)
    for each in range(int(counts.max(initial=0))):
        yield np.flatnonzero(rank == each)
