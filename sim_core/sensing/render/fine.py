"""Additional passes of "fine" pictures: occlusion, soft shadows, ambient light."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import moderngl
import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.sensing.render import environment
from sim_core.sensing.render.meshes import chords
from sim_core.sensing.render.programs import Programs, set_uniforms
from sim_core.sensing.render.scene_instances import SceneInstances
from sim_core.sensing.render.shaders import LIGHT_KINDS, light_table
from sim_core.sensing.render.shadow_tiles import ATLAS, MARGIN, MAX_TILES, LightTiles, Tile, tiles_of

FIRST_UNIT = 10
"""First texture unit: of the atlas, and later of the masks; then depths, normals, ambient light."""
MAX_CASTING = 8
"""Largest number of lights that cast shadows."""
CALM, CALM_AGAIN = ("FIRST -2", "LAST 1", "STRIDE 1"), ("FIRST -2", "LAST 2", "STRIDE 2", "AGAIN")
"""Features of calm.frag in its two passes: the pixels it averages."""
MAX_REACH = 0.15
"""Largest distance over which occlusion is computed, as a fraction of the width of a picture."""


class Eye(NamedTuple):
    """Eye of a planar picture: rotation in the world, tangents of half its angles, pixels."""

    turn: FloatArray
    across: float
    up: float
    size: tuple[int, int]


class _Drawn(NamedTuple):
    """Content of a tile of the atlas: its size, draw list, projection, instances, and their poses."""

    size: int
    changes: int
    matrix: bytes
    chosen: bytes
    places: bytes


class FinePasses:
    """The passes before a fine picture."""

    def __init__(self, context: Any, programs: Programs, instances: SceneInstances) -> None:
        self._gl = context
        self._programs = programs
        self._instances = instances
        self._atlas: Any = None
        self._drawn: dict[tuple[int, int], _Drawn] = {}
        self._targets: dict[tuple[int, int], list[Any]] = {}
        self._ambient: tuple[int, Any, FloatArray] = (-1, None, np.zeros((9, 3)))
        self._tiles: list[Tile] = []
        self._sources = b""
        self._kinds: list[str] = []
        self.casts: list[LightTiles] = []

    def light(self, lights: FloatArray) -> dict[str, object]:
        """Draw the shadow maps of lights in order, if anything has moved; return the uniforms of the
        lights."""
        instances = self._instances
        middles, radii = instances.middles + instances.eye, instances.list.spheres[:, 3]
        self._tiles, self.casts = tiles_of(
            lights, instances.eye, middles, radii, instances.list.casts, MAX_CASTING
        )
        casting = lights[[cast.light for cast in self.casts]]
        self._sources = light_table(casting, instances.eye)
        self._kinds = [LIGHT_KINDS[int(kind)] for kind in casting[:, 0]]
        for tile in self._tiles:
            self._cast(tile)
        numbers = self._ambient_harmonics()
        return {
            "u_taken": numbers.astype(np.float32).tobytes(),
            "u_bounce": tuple(environment.BOUNCE * environment.sunlight(lights)),
            "u_balance": tuple(environment.white_balance(numbers, lights)),
            "u_around": FIRST_UNIT + 3,
            "u_levels": math.log2(self._ambient[1].size[0]),
        }

    def features(self) -> tuple[str, ...]:
        """Return the features of programs for surfaces."""
        features = ("FINE", f"GROUND {environment.GROUND}", f"HORIZON {environment.HORIZON}")
        return features if self._instances.list.backdrop is None else (*features, "CUBE")

    def mask(self, eye: Eye, geometry: Any, radius: float) -> dict[str, object]:
        """Compute occlusion and shadows of all that a picture shows.

        Args:
            eye: eye of the picture.
            geometry: buffer with depths and normals, see geometry.frag.
            radius: m up to which shapes hide the sky from each other; 0: not at all.

        Returns:
            The uniforms for reading the result.
        """
        width, height = ((length + 1) // 2 for length in eye.size)
        rough, calm = self._buffers((width, height))
        ahead, left, above = eye.turn.T
        for unit, texture in enumerate(geometry.color_attachments):
            texture.use(FIRST_UNIT + 1 + unit)
        uniforms: dict[str, object] = {
            "u_depths": FIRST_UNIT + 1,
            "u_normals": FIRST_UNIT + 2,
            "u_ray": tuple(ahead + eye.across * left + eye.up * above),
            "u_right": tuple(-4.0 * eye.across / eye.size[0] * left),
            "u_down": tuple(-4.0 * eye.up / eye.size[1] * above),
            "u_occlusion": (radius, width / (2.0 * eye.across), MAX_REACH * width),
            "u_sources": self._sources,
            "u_atlas": FIRST_UNIT,
            **self._tile_uniforms(),
        }
        if self.casts:
            self._atlas.depth_attachment.use(FIRST_UNIT)
        self._programs.screen_pass("unseen.frag", self._cast_features()).fill(rough, uniforms)
        rough.color_attachments[0].use(FIRST_UNIT)
        read: dict[str, object] = {"u_parts": FIRST_UNIT}
        for target, features in ((calm, CALM), (rough, CALM_AGAIN)):
            self._programs.screen_pass("calm.frag", features).fill(target, read)
            target.color_attachments[0].use(FIRST_UNIT)
        self._ambient[1].use(FIRST_UNIT + 3)
        return read

    def _cast_features(self) -> tuple[str, ...]:
        """Return the features with one call for each light, as programs without loops and variable indices
        are faster."""
        if not self.casts:
            return ("EACH_CAST",)
        calls = " ".join(
            f"{self._kinds[number]}({number}, {cast.first}, {cast.length});"
            for number, cast in enumerate(self.casts)
        )
        return (
            f"EACH_CAST {calls}", f"LIGHTS {MAX_CASTING}", f"TILES {MAX_TILES}", f"MARGIN {MARGIN}",
        )  # fmt: skip

    def _tile_uniforms(self) -> dict[str, object]:
        matrices = np.zeros((MAX_TILES, 4, 4), np.float32)
        places, spans = np.zeros((MAX_TILES, 4), np.float32), np.zeros((MAX_TILES, 2), np.float32)
        for number, tile in enumerate(self._tiles):
            matrix = tile.matrix.copy()
            matrix[:, 3] += matrix[:, :3] @ (self._instances.eye - tile.origin)
            matrices[number] = matrix.T
            half = tile.size / 2.0
            places[number] = (tile.corner[0] + half, tile.corner[1] + half, half, tile.step)
            spans[number] = (tile.near, tile.far)
        return {"u_tiles": matrices.tobytes(), "u_places": places.tobytes(), "u_spans": spans.tobytes()}

    def _cast(self, tile: Tile) -> None:
        """Draw a tile, unless it is unchanged."""
        instances = self._instances
        rows = instances.rows(tile.chosen, tile.origin)
        drawn = _Drawn(
            tile.size, instances.changes, tile.matrix.tobytes(), tile.chosen.tobytes(), rows[:, :12].tobytes()
        )
        if self._drawn.get(tile.corner) == drawn:
            return
        if self._atlas is None:
            texels = self._gl.depth_texture((ATLAS, ATLAS))
            texels.compare_func = ""
            texels.filter = (moderngl.NEAREST, moderngl.NEAREST)
            self._atlas = self._gl.framebuffer(depth_attachment=texels)
        self._drawn = {
            corner: was
            for corner, was in self._drawn.items()
            if not _overlap(corner, was.size, tile.corner, tile.size)
        }
        self._drawn[tile.corner] = drawn
        area = (*tile.corner, tile.size, tile.size)
        self._atlas.use()
        self._atlas.viewport = area
        self._atlas.clear(depth=1.0, viewport=area)
        if len(tile.chosen):
            program = self._programs.program_of("shadow")
            set_uniforms(program, {"u_shadow": tuple(tile.matrix.T.reshape(-1))})
            radii = instances.list.spheres[tile.chosen, 3]
            away = 1.0
            if tile.is_lamp:
                away = np.maximum(np.linalg.norm(rows[:, 9:12], axis=1) - radii, tile.near)
            instances.draw_depths(program, tile.chosen, rows, chords(radii / (away * tile.step)))

    def _ambient_harmonics(self) -> FloatArray:
        """Return the harmonics of ambient light; its cube map is made when the scene has changed."""
        instances = self._instances
        changes, texture, numbers = self._ambient
        if changes != instances.changes:
            name = instances.list.backdrop
            strip = instances.pictures.pixels(name) if name is not None else None
            light = environment.ambient_cube(instances.list.ambient, strip)
            numbers = environment.harmonics(light)
            if texture is not None:
                texture.release()
            side = light.shape[1]
            texture = self._gl.texture_cube((side, side), 3, light.astype(np.float16).tobytes(), dtype="f2")
            texture.build_mipmaps()
            texture.filter = (moderngl.LINEAR_MIPMAP_NEAREST, moderngl.LINEAR)
            self._ambient = (instances.changes, texture, numbers)
        return numbers

    def _buffers(self, size: tuple[int, int]) -> list[Any]:
        if size not in self._targets:
            found = []
            for _ in range(2):
                texture = self._gl.texture(size, 2, dtype="u4")
                texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
                found.append(self._gl.framebuffer([texture]))
            self._targets[size] = found
        return self._targets[size]


def _overlap(a: tuple[int, int], a_size: int, b: tuple[int, int], b_size: int) -> bool:
    return all(a[k] < b[k] + b_size and b[k] < a[k] + a_size for k in range(2))
