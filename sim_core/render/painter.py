"""Draws views of a draw list with OpenGL. One painter lives in one thread, that which made it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import moderngl
import numpy as np
from numpy.typing import NDArray

from sim_core.devices.pictures import Layers, PictureView
from sim_core.render import shaders
from sim_core.render.draw_list import DrawList
from sim_core.render.materials import COLUMNS, EMISSIVE
from sim_core.render.meshes import Vertices
from sim_core.render.optics import FACES, pinhole, seen, tangents

SAMPLES = 4
LAYERS = ("color", "depth", "segmentation")
MOST_OF_A_SIDE = 2048
"""Pixels of a side of the cube from which pictures are made that are no plane."""
_ATTRIBUTES = ("i_x", "i_y", "i_z", "i_place", "i_base", "i_emitted", "i_kind", "i_segment")
_INSTANCE = 12 + COLUMNS
_PROGRAMS = {"color": shaders.COLOUR, "depth": shaders.DEPTH, "segmentation": shaders.SEGMENT}


def make_context() -> Any:
    """An off-screen OpenGL 3.3 context through EGL.

    Raises:
        Exception: there is no EGL here, or no driver; whatever the libraries raise.
    """
    settings: dict[str, Any] = {"backend": "egl"}
    return moderngl.create_context(require=330, standalone=True, **settings)


class _Mesh:
    """Triangles in the memory of the graphics card, and room for instances of them."""

    def __init__(self, context: Any, programs: dict[str, Any], triangles: Vertices) -> None:
        self._gl = context
        self._programs = programs
        vertices, corners = np.unique(triangles, axis=0, return_inverse=True)
        self._vertices = context.buffer(vertices.tobytes())
        self._corners = context.buffer(corners.astype(np.uint32).tobytes())
        self._instances: Any = None
        self._room = 0
        self._arrays: dict[str, Any] = {}

    def make_room(self, count: int) -> None:
        """There will be so many instances, at most."""
        if count <= self._room:
            return
        self._forget_instances()
        self._room = count
        self._instances = self._gl.buffer(reserve=4 * _INSTANCE * count)
        content = [
            (self._vertices, "3f 3f", "in_position", "in_normal"),
            (self._instances, "3f 3f 3f 3f 4f 4f 4f 4f/i", *_ATTRIBUTES),
        ]
        self._arrays = {
            layer: self._gl.vertex_array(program, content, self._corners, skip_errors=True)
            for layer, program in self._programs.items()
        }

    def draw(self, layer: str, rows: NDArray[np.float32]) -> None:
        """Draw instances, a row for each."""
        self._instances.write(rows.tobytes())
        self._arrays[layer].render(instances=len(rows))

    def release(self) -> None:
        """Give the memory back."""
        self._forget_instances()
        self._vertices.release()
        self._corners.release()

    def _forget_instances(self) -> None:
        if self._instances is not None:
            for array in self._arrays.values():
                array.release()
            self._instances.release()


class _Placed(NamedTuple):
    """Where the instances are, in the axes of the world, seen from the eye."""

    rotations: NDArray[np.float64]
    from_eye: NDArray[np.float64]
    middles: NDArray[np.float64]


class Painter:
    """Draws a draw list; what moves is told with each picture."""

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._gl.front_face = (
            "cw"  # the pictures are drawn upside down, so that they are read the right way up
        )
        self._programs = {
            name: context.program(vertex_shader=shaders.VERTEX, fragment_shader=source)
            for name, source in _PROGRAMS.items()
        }
        self._meshes: dict[str, _Mesh] = {}
        unroll = context.program(vertex_shader=shaders.WHOLE, fragment_shader=shaders.UNROLL)
        _set(unroll, "u_turns", [tuple(face.reshape(-1)) for face in FACES])
        self._unroll = context.vertex_array(unroll, [])
        self._list: DrawList
        self._placed: _Placed
        self._buffers: dict[tuple[object, ...], Any] = {}

    def show(self, draw_list: DrawList) -> None:
        """Draw this from now on."""
        self._list = draw_list
        counts = np.diff(draw_list.starts)
        names = set(draw_list.meshes)
        for name in [name for name in self._meshes if name not in names]:
            self._meshes.pop(name).release()
        for name, triangles in draw_list.new.items():
            self._meshes[name] = _Mesh(self._gl, self._programs, triangles)
        self._in_order = [self._meshes[name] for name in draw_list.meshes]
        for mesh, count in zip(self._in_order, counts.tolist(), strict=True):
            mesh.make_room(count)
        self._mesh_of = np.repeat(np.arange(len(counts)), counts)
        self._materials = draw_list.materials.copy()
        self._is_clear = draw_list.materials[:, 3] < 1.0

    def draw(
        self,
        view: PictureView,
        eye: NDArray[np.float64],
        poses: NDArray[np.float64],
        lights: NDArray[np.float64],
        glow: list[tuple[list[int], list[float]]],
        target: Layers,
    ) -> None:
        """Draw all layers of a view.

        Args:
            view: what to draw.
            eye: (12,) place and rotation in the world.
            poses: (f, 12) those of the frames of the draw list.
            lights: see `sim_core.devices.pictures.light_rows`.
            glow: instances and the light that they give off in place of their own.
            target: the arrays to write to.
        """
        self._materials[:, EMISSIVE] = self._list.materials[:, EMISSIVE]
        for rows, colour in glow:
            self._materials[rows, EMISSIVE] = colour
        frames = poses[self._list.frames]
        rotations = frames[:, 3:].reshape(-1, 3, 3)
        from_eye = frames[:, :3] - eye[:3]
        turned = np.einsum("nij,nj->ni", rotations, self._list.spheres[:, :3])
        self._placed = _Placed(rotations, from_eye, turned + from_eye)
        turn = eye[3:].reshape(3, 3)
        across, up = tangents(view)
        for layer in view.layers:
            if layer == "color":
                self._light(view, eye[:3], lights)
            if view.projection == "planar":
                samples = min(SAMPLES, self._gl.max_samples) if layer == "color" and view.smooth else 0
                buffer = self._framebuffer(layer, (view.width, view.height), samples)
                self._clear(buffer, layer, view)
                self._draw_pyramid(layer, turn, across, up, view)
                if samples:
                    whole = self._framebuffer(layer, (view.width, view.height))
                    self._gl.copy_framebuffer(whole, buffer)
                    buffer = whole
            else:
                buffer = self._draw_round(layer, turn, view)
            _read(buffer, layer, target[layer])

    def _draw_round(self, layer: str, turn: NDArray[np.float64], view: PictureView) -> Any:
        """A picture that is no plane: from the six sides of a cube."""
        side = min(MOST_OF_A_SIDE, math.ceil(2.0 * view.width / view.horizontal))
        cube = self._framebuffer(layer, (3 * side, 2 * side))
        self._clear(cube, layer, view)
        for number, face in enumerate(FACES):
            cube.viewport = (number % 3 * side, number // 3 * side, side, side)
            self._draw_pyramid(layer, turn @ face, 1.0, 1.0, view)
        buffer = self._framebuffer(layer, (view.width, view.height))
        buffer.use()
        buffer.viewport = (0, 0, view.width, view.height)
        self._gl.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        program = self._unroll.program
        cube.color_attachments[0].use(0)
        _set(program, "u_side", side)
        _set(program, "u_layer", LAYERS.index(layer))
        _set(program, "u_size", (float(view.width), float(view.height)))
        _set(program, "u_step", view.horizontal / view.width)
        _set(program, "u_is_sphere", view.projection == "spherical")
        self._unroll.render(moderngl.TRIANGLES, vertices=3)
        return buffer

    def _draw_pyramid(
        self, layer: str, turn: NDArray[np.float64], across: float, up: float, view: PictureView
    ) -> None:
        """Draw what lies in a pyramid along the x axis of `turn`, into the buffer and viewport in use."""
        gl = self._gl
        placed = self._placed
        visible = seen(
            placed.middles @ turn, self._list.spheres[:, 3], across, up, view.near, view.far
        )  # fmt: skip
        chosen = np.flatnonzero(visible)
        rows = np.empty((len(chosen), _INSTANCE), np.float32)
        rotations = placed.rotations[chosen]
        rows[:, :9] = (rotations @ self._list.turns[chosen]).transpose(0, 2, 1).reshape(-1, 9)
        rows[:, 9:12] = np.einsum("nij,nj->ni", rotations, self._list.offsets[chosen])
        rows[:, 9:12] += placed.from_eye[chosen]
        rows[:, 12:] = self._materials[chosen]
        program = self._programs[layer]
        _set(program, "u_view", tuple(turn.reshape(-1)))  # by rows here, by columns there: transposed
        _set(program, "u_eye", pinhole(across, up, view.near, view.far))
        gl.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        is_clear = self._is_clear[chosen] if layer == "color" else np.zeros(len(chosen), bool)
        solid, solid_rows = chosen[~is_clear], rows[~is_clear]
        edges = np.searchsorted(self._mesh_of[solid], np.arange(len(self._in_order) + 1))
        for mesh in np.flatnonzero(np.diff(edges)):
            self._in_order[mesh].draw(layer, solid_rows[edges[mesh] : edges[mesh + 1]])
        if is_clear.any():
            distances = np.linalg.norm(placed.middles[chosen[is_clear]], axis=1)
            self._draw_clear(chosen[is_clear], rows[is_clear], distances)

    def _clear(self, buffer: Any, layer: str, view: PictureView) -> None:
        """Use a buffer, empty."""
        buffer.use()
        buffer.viewport = (0, 0, buffer.width, buffer.height)
        if layer == "color":
            buffer.clear(*_encoded(1.0 - np.exp(-self._list.sky * view.exposure))[::-1], 1.0)
        elif layer == "depth":
            buffer.clear(math.inf, 0.0, 0.0, 0.0)
        else:
            buffer.clear(0.0, 0.0, 0.0, 1.0)

    def _draw_clear(
        self, chosen: NDArray[np.int64], rows: NDArray[np.float32], distances: NDArray[np.float64]
    ) -> None:
        """Transparent instances over all others, the farthest first."""
        gl = self._gl
        gl.enable(moderngl.BLEND)
        gl.blend_func = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE)
        for index in np.argsort(-distances, kind="stable"):
            self._in_order[self._mesh_of[chosen[index]]].draw("color", rows[index : index + 1])

    def _light(self, view: PictureView, place: NDArray[np.float64], lights: NDArray[np.float64]) -> None:
        program = self._programs["color"]
        lights = lights[: shaders.LIGHTS]
        table = np.zeros((shaders.LIGHTS, 16), np.float32)
        count = len(lights)
        table[:count, :3] = lights[:, 1:4] - place
        table[:count, 3] = lights[:, 0]
        table[:count, 4:7] = lights[:, 4:7]
        table[:count, 7] = lights[:, 16]
        table[:count, 8:11] = lights[:, 7:10]
        table[:count, 11] = lights[:, 17]
        table[:count, 12:15] = lights[:, 13:16]
        table[:count, 15] = lights[:, 18]
        program["u_light"].write(table.tobytes())
        _set(program, "u_lights", count)
        _set(program, "u_ambient", tuple(lights[:, 10:13].sum(axis=0)))
        _set(program, "u_sky", tuple(self._list.sky))
        _set(program, "u_exposure", view.exposure)
        kind, visibility, *colour = self._list.fog
        _set(program, "u_fog", (float(kind), visibility, 0.0, 0.0))
        _set(program, "u_fog_colour", tuple(colour))

    def _framebuffer(self, layer: str, size: tuple[int, int], samples: int = 0) -> Any:
        """The buffers that a layer is drawn into; pictures of one size share them."""
        key = (size, layer == "depth", samples)
        found = self._buffers.get(key)
        if found is None:
            if samples:
                colour = self._gl.renderbuffer(size, 4, samples=samples)
            elif layer == "depth":
                colour = self._gl.texture(size, 1, dtype="f4")
            else:
                colour = self._gl.texture(size, 4)
            depth = self._gl.depth_renderbuffer(size, samples=samples)
            found = self._buffers[key] = self._gl.framebuffer([colour], depth)
        return found


def _read(buffer: Any, layer: str, target: NDArray[np.generic]) -> None:
    """What was drawn, into an array."""
    if layer == "depth":
        buffer.read_into(target, components=1, dtype="f4", alignment=1)
    else:
        buffer.read_into(target, components=4, alignment=1)


def _set(program: Any, name: str, value: object) -> None:
    """A uniform, if the program has a use for it."""
    if name in program:
        program[name].value = value


def _encoded(light: NDArray[np.float64]) -> list[float]:
    """Linear numbers as sRGB."""
    value = np.clip(light, 0.0, 1.0)
    return np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1.0 / 2.4) - 0.055).tolist()
