"""Data that the graphics card keeps from picture to picture: meshes, textures, buffers of instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import moderngl
import numpy as np

from sim_core.base.arrays import Float32Array, FloatArray, Pixels
from sim_core.sensing.appearance_changes import Spot
from sim_core.sensing.render.draw_list import BatchKind
from sim_core.sensing.render.ink import InkLine, InkUpdate, discs
from sim_core.sensing.render.materials import COLUMNS, EMISSIVE
from sim_core.sensing.render.meshes import Vertices
from sim_core.sensing.render.programs import AT_EYE, COLOURED, Programs, set_uniforms
from sim_core.sensing.render.surfaces import SurfaceTextures, TextureMap

INSTANCE = 12 + COLUMNS
"""Numbers of an instance: the columns of its rotation with scale, its position, its material."""
_ATTRIBUTES = ("i_x", "i_y", "i_z", "i_place", "i_base", "i_emitted", "i_kind", "i_segment", "i_ambient")
_EMITTED = slice(12 + EMISSIVE.start, 12 + EMISSIVE.stop)
_SPOT_LIGHT = (1.0, 0.0, 0.0)
"""Linear light that a laser's spot emits in addition to the reflected light."""
_MODES = {"": moderngl.TRIANGLES, "POINTS": moderngl.POINTS, "LINES": moderngl.LINES}
_SRGB = 0x8C43
"""GL_SRGB8_ALPHA8: reading the texture gives linear colours."""


class Mesh:
    """Triangles, or points, or lines."""

    def __init__(self, context: Any, rows: Vertices) -> None:
        vertices, corners = np.unique(rows, axis=0, return_inverse=True)
        self.vertices = context.buffer(vertices.tobytes())
        self.corners = context.buffer(corners.astype(np.uint32).tobytes())

    def release(self) -> None:
        """Release the memory."""
        self.vertices.release()
        self.corners.release()


class InstanceBatch:
    """Instances that are drawn with one call.

    Attributes:
        is_at_eye: they are fixed to the eye.
    """

    def __init__(
        self, context: Any, programs: Programs, meshes: Mapping[str, Mesh], kind: BatchKind, count: int
    ) -> None:
        """Prepare buffers for instances.

        Args:
            context: OpenGL context.
            programs: programs of the context.
            meshes: meshes by name.
            kind: common properties of the instances.
            count: largest number of instances.
        """
        self._gl = context
        self._programs = programs
        self._meshes = [meshes[name] for _, name in kind.coarse] + [meshes[kind.mesh]]
        self._chords = np.array([count for count, _ in kind.coarse], float)
        self._look = kind.look
        self._features = () if kind.look is None else ("PICTURES", *kind.look.roles)
        if kind.is_pbr:
            self._features += ("PBR",)
        if kind.marks:
            self._features = (kind.marks,)
        self.is_at_eye = kind.is_at_eye
        if kind.is_at_eye:
            self._features += (AT_EYE,)
        self._mode = _MODES[kind.marks]
        self._instances = context.buffer(reserve=4 * INSTANCE * count)
        self._arrays: dict[tuple[int, int], Any] = {}

    def program(self, layer: str, features: tuple[str, ...]) -> Any:
        """Return the program that draws a layer of it, in this light."""
        return self._programs.program_of(layer, (*self._features, *features))

    def draw(
        self,
        layer: str,
        program: Any,
        rows: Float32Array,
        pictures: Textures,
        chords: FloatArray | None = None,
    ) -> None:
        """Draw instances; the uniforms are set, except those of the textures.

        Args:
            layer: layer to draw.
            program: program that draws it.
            rows: (n, INSTANCE) data of the instances.
            pictures: textures of surfaces.
            chords: (n,) numbers of chords that round ones need; None: the largest numbers.
        """
        if self._look is not None and layer in COLOURED:
            pictures.use(program, self._look)
        if chords is None or not len(self._chords):
            self._render(program, len(self._chords), rows)
            return
        levels = np.searchsorted(self._chords, chords)
        for level in np.unique(levels).tolist():
            self._render(program, level, rows[levels == level])

    def _render(self, program: Any, level: int, rows: Float32Array) -> None:
        self._instances.write(rows.tobytes())
        self._array(program, level).render(self._mode, instances=len(rows))

    def release(self) -> None:
        """Release the memory, except that of the meshes."""
        for array in self._arrays.values():
            array.release()
        self._instances.release()

    def _array(self, program: Any, level: int) -> Any:
        found = self._arrays.get((program.glo, level))
        if found is None:
            mesh = self._meshes[level]
            content = [
                (mesh.vertices, "3f 3f 2f", "in_position", "in_normal", "in_picture"),
                (self._instances, "3f 3f 3f 3f 4f 4f 4f 4f 3f/i", *_ATTRIBUTES),
            ]
            found = self._arrays[program.glo, level] = self._gl.vertex_array(
                program, content, mesh.corners, skip_errors=True
            )
        return found


class InkLayer:
    """The lines drawn by pens, and the spots of lasers.

    Attributes:
        spots: spots of the next picture.
    """

    def __init__(self, context: Any, programs: Programs) -> None:
        self._gl = context
        self._programs = programs
        self._lines: dict[int, InkLine] = {}
        self.spots: list[Spot] = []
        self._instance = context.buffer(reserve=4 * INSTANCE)
        self._buffers: dict[int, tuple[Any, Any]] = {}

    def add_updates(self, updates: list[InkUpdate]) -> None:
        """Add changes of lines."""
        for each in updates:
            line = self._lines.setdefault(each.number, InkLine())
            line.add_update(each)
            for buffer in self._buffers.pop(each.number, ()):
                buffer.release()
            if len(line.triangles):
                self._buffers[each.number] = (
                    self._gl.buffer(line.corners.tobytes()),
                    self._gl.buffer(line.triangles.tobytes()),
                )

    @property
    def is_there(self) -> bool:
        """True if there is anything to draw."""
        return bool(self._buffers or self.spots)

    def draw_lines(self, program: Any, place: FloatArray) -> None:
        """Draw all lines and spots over the picture, relative to a position in the world."""
        row = np.zeros(INSTANCE, np.float32)
        row[[0, 4, 8]] = 1.0
        row[9:12] = -place
        self._instance.write(row.tobytes())
        gl = self._gl
        gl.enable(moderngl.BLEND)
        gl.blend_func = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE)
        gl.polygon_offset = (-1.0, -4.0)  # they must be visible on their surfaces
        gl.fbo.depth_mask = False  # the last one drawn is on top
        for corners, triangles in self._buffers.values():
            self._draw(program, corners, triangles)
        if self.spots:
            row[_EMITTED] = _SPOT_LIGHT
            self._instance.write(row.tobytes())
            corners, triangles = (gl.buffer(each.tobytes()) for each in discs(self.spots))
            self._draw(program, corners, triangles)
            corners.release()
            triangles.release()
        gl.fbo.depth_mask = True
        gl.polygon_offset = (0.0, 0.0)
        gl.disable(moderngl.BLEND)

    def _draw(self, program: Any, corners: Any, triangles: Any) -> None:
        content = [
            (corners, "3f 3f 4f", "in_position", "in_normal", "i_base"),
            (corners, "24x 3f 4x", "i_ambient"),
            (
                self._instance,
                "3f 3f 3f 3f 16x 4f 4f 4f 12x/i",
                *(name for name in _ATTRIBUTES if name not in ("i_base", "i_ambient")),
            ),
        ]
        array = self._gl.vertex_array(program, content, triangles, skip_errors=True)
        array.render(instances=1)
        array.release()


class Textures:
    """Textures of surfaces, by name; each with all sampling settings in which it is used.

    Attributes:
        anisotropic: the driver's anisotropic filtering is used; fine pictures filter themselves.
    """

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._pixels: dict[str, Pixels] = {}
        self._textures: dict[tuple[object, ...], Any] = {}
        self.anisotropic = True

    def keep(self, names: set[str]) -> None:
        """Remove all other textures."""
        for key in [key for key in self._textures if key[0] not in names]:
            self._textures.pop(key).release()
        self._pixels = {name: pixels for name, pixels in self._pixels.items() if name in names}

    def set_picture(self, name: str, pixels: Pixels) -> None:
        """Add or replace a picture."""
        old = self._pixels.get(name)
        self._pixels[name] = pixels
        for key in [key for key in self._textures if key[0] == name]:
            if old is not None and old.shape == pixels.shape:
                self._textures[key].write(pixels.tobytes())
                if key[-1]:
                    self._textures[key].build_mipmaps()
            else:
                self._textures.pop(key).release()

    def pixels(self, name: str) -> Pixels:
        """Return a stored picture."""
        return self._pixels[name]

    def use(self, program: Any, look: SurfaceTextures) -> None:
        """Use the textures of a look in a program."""
        for unit, each in enumerate(look.maps):
            texture = self._texture(each)
            if each.filtering:
                most = min(2.0 ** (each.filtering - 1), self._gl.max_anisotropy)
                texture.anisotropy = most if self.anisotropic else 1.0
            texture.use(unit)
        uniforms: dict[str, object] = {
            f"u_picture_{each.role.lower()}": unit for unit, each in enumerate(look.maps)
        }
        turn, strengths = look.turn, (look.normal, look.occlusion)
        uniforms |= {"u_turn_s": turn[:3], "u_turn_t": turn[3:], "u_strengths": strengths}
        set_uniforms(program, uniforms)

    def use_plain(self, name: str) -> None:
        """Use a picture in unit 0 without conversion of its numbers."""
        key = (name, "plain", False)
        if key not in self._textures:
            pixels = self._pixels[name]
            height, width = pixels.shape[:2]
            texture = self._gl.texture((width, height), 4, pixels.tobytes())
            texture.repeat_x = texture.repeat_y = False
            self._textures[key] = texture
        self._textures[key].use(0)

    def _texture(self, each: TextureMap) -> Any:
        key = (each.picture, each.is_srgb, each.repeat_s, each.repeat_t, each.filtering)
        found = self._textures.get(key)
        if found is None:
            found = self._textures[key] = self._make(each)
        return found

    def _make(self, each: TextureMap) -> Any:
        pixels = self._pixels.get(each.picture)
        if pixels is None:
            pixels = np.full((1, 1, 4), 255, np.uint8)
        height, width = pixels.shape[:2]
        form = {"internal_format": _SRGB} if each.is_srgb else {}
        texture = self._gl.texture((width, height), 4, pixels.tobytes(), **form)
        texture.repeat_x, texture.repeat_y = each.repeat_s, each.repeat_t
        if each.filtering == 0:
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            return texture
        texture.build_mipmaps()
        texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        return texture
