"""Draws views of a draw list with OpenGL. One painter lives in one thread, that which made it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import moderngl
import numpy as np
from numpy.typing import NDArray

from sim_core.sensing.picture_view import POINT, Layers, LensModel, PictureView, film, unbent
from sim_core.sensing.render import shaders
from sim_core.sensing.render.depth_of_field import DepthOfField
from sim_core.sensing.render.draw_list import DrawList, Moment
from sim_core.sensing.render.materials import EMISSIVE
from sim_core.sensing.render.mirrored import SIZE, mirrored
from sim_core.sensing.render.optics import FACES, pinhole, seen, tangents
from sim_core.sensing.render.passes import Film, Sky
from sim_core.sensing.render.programs import COLOURED, Programs, compiled, set_uniform
from sim_core.sensing.render.shadow import TEXELS, shadow_view
from sim_core.sensing.render.stock import INSTANCE, Batch, Ink, Mesh, Pictures

SAMPLES = 4
SHADOW_UNIT = 8
"""Texture unit, beyond those of pictures on surfaces."""
MIRRORED_UNIT = 9
MOST_OF_A_SIDE = 2048
"""Pixels of a side of the cube from which pictures are made that are no plane."""
_TAKEN_AS = {"color": 0, "light": 0, "depth": 1, "segmentation": 2}
"""How `lens.frag` and `unroll.frag` take a layer between its pixels."""


def make_context() -> Any:
    """An off-screen OpenGL 3.3 context through EGL.

    Raises:
        Exception: there is no EGL here, or no driver; whatever the libraries raise.
    """
    settings: dict[str, Any] = {"backend": "egl"}
    return moderngl.create_context(require=330, standalone=True, **settings)


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
        self._programs = Programs(context)
        self._meshes: dict[str, Mesh] = {}
        self._pictures = Pictures(context)
        self._batches: list[Batch] = []
        self._ink = Ink(context, self._programs)
        unroll = compiled(context, "whole.vert", "unroll.frag")
        set_uniform(unroll, "u_turns", [tuple(face.reshape(-1)) for face in FACES])
        self._unroll = context.vertex_array(unroll, [])
        bend = compiled(context, "whole.vert", "lens.frag")
        self._bend = context.vertex_array(bend, [])
        self._shadow: Any = None
        self._sky = Sky(context)
        self._lenses: dict[tuple[int, int, LensModel | None], tuple[tuple[int, int], Any]] = {}
        self._focus: DepthOfField | None = None
        self._film = Film(context)
        self._mirrored: Any = None
        self._list: DrawList
        self._placed: _Placed
        self._buffers: dict[tuple[object, ...], Any] = {}

    def show(self, draw_list: DrawList) -> None:
        """Draw this from now on."""
        self._list = draw_list
        counts = np.diff(draw_list.starts)
        for batch in self._batches:
            batch.release()
        names = {batch.mesh for batch in draw_list.batches}
        for name in [name for name in self._meshes if name not in names]:
            self._meshes.pop(name).release()
        for name, triangles in draw_list.meshes.items():
            self._meshes[name] = Mesh(self._gl, triangles)
        looks = [batch.look for batch in draw_list.batches if batch.look is not None]
        kept = {each.picture for look in looks for each in look.maps}
        if draw_list.backdrop is not None:
            kept.add(draw_list.backdrop)
        self._pictures.keep(kept)
        for name, pixels in draw_list.pictures.items():
            self._pictures.set(name, pixels)
        self._batches = [
            Batch(self._gl, self._programs, self._meshes[batch.mesh], batch, count)
            for batch, count in zip(draw_list.batches, counts.tolist(), strict=True)
        ]
        self._batch_of = np.repeat(np.arange(len(counts)), counts)
        self._materials = draw_list.materials.copy()
        if self._mirrored is None and any(batch.is_pbr for batch in draw_list.batches):
            self._mirrored = self._gl.texture((SIZE, SIZE), 2, mirrored().tobytes(), dtype="f4")
            self._mirrored.repeat_x = self._mirrored.repeat_y = False
            self._mirrored.use(MIRRORED_UNIT)

    def draw(self, view: PictureView, moment: Moment, target: Layers) -> None:
        """Draw all layers of a view into the arrays of `target`."""
        for name, pixels in moment.screens.items():
            self._pictures.set(name, pixels)
        self._ink.add(moment.ink)
        self._ink.spots = moment.spots
        self._materials[:, EMISSIVE] = self._list.materials[:, EMISSIVE]
        for rows, colour in moment.glow:
            self._materials[rows, EMISSIVE] = colour
        eye, poses = moment.eye, moment.poses
        self._place, self._drawn = eye[:3], moment.shown
        frames = poses[self._list.frames]
        rotations = frames[:, 3:].reshape(-1, 3, 3)
        from_eye = frames[:, :3] - eye[:3]
        turned = np.einsum("nij,nj->ni", rotations, self._list.spheres[:, :3])
        self._placed = _Placed(rotations, from_eye, turned + from_eye)
        turn = eye[3:].reshape(3, 3)
        across, up = tangents(view)
        self._features: tuple[str, ...] = ()
        self._mixes = self._ink.is_there or bool(self._list.is_clear.any())
        for layer in view.layers:
            if layer in COLOURED:
                self._lit = self._light(view, eye[:3], moment.lights)
            if view.lens is not None:
                buffer = self._draw_bent(layer, turn, view)
            elif view.projection == "planar":
                buffer = self._draw_flat(layer, turn, across, up, view, (view.width, view.height))
            else:
                buffer = self._draw_round(layer, turn, view)
            _read(buffer, layer, target[layer])

    def _draw_flat(
        self,
        layer: str,
        turn: NDArray[np.float64],
        across: float,
        up: float,
        view: PictureView,
        size: tuple[int, int],
    ) -> Any:
        """A plane picture of this size in pixels."""
        focus = view.focus if layer in COLOURED else None
        samples = min(SAMPLES, self._gl.max_samples) if layer in COLOURED and view.smooth else 0
        drawn = self._drawn_as(layer, view)
        buffer = self._framebuffer(drawn, size, samples)
        self._clear(buffer, drawn, view)
        self._draw_pyramid(drawn, turn, across, up, view)
        if samples and (drawn == layer or focus is not None):
            whole = self._framebuffer(drawn, size)
            self._gl.copy_framebuffer(whole, buffer)
            buffer, samples = whole, 0
        if focus is not None:
            depth = self._draw_flat("depth", turn, across, up, view, size)
            self._focus = self._focus or DepthOfField(self._gl)
            blurred = self._framebuffer(drawn, size, name="blurred")
            self._focus.draw(buffer.color_attachments[0], depth.color_attachments[0], focus, blurred)
            buffer = blurred
        return buffer if drawn == layer else self._shown(buffer, samples, view)

    def _drawn_as(self, layer: str, view: PictureView) -> str:
        """What is drawn first: light where it is mixed before it is shown."""
        return "light" if layer == "color" and (self._mixes or view.focus is not None) else layer

    def _shown(self, light: Any, samples: int, view: PictureView) -> Any:
        """Light as a camera shows it."""
        buffer = self._framebuffer("color", light.size, name="shown")
        self._film.draw(light.color_attachments[0], samples, view.exposure, buffer)
        return buffer

    def _draw_bent(self, layer: str, turn: NDArray[np.float64], view: PictureView) -> Any:
        """A picture through a lens: a larger plane one, bent."""
        key = (view.width, view.height, view.lens)
        if key not in self._lenses:
            self._lenses[key] = self._lens(view)
        (width, height), places = self._lenses[key]
        step = 2.0 * math.tan(view.horizontal / 2.0) / view.width
        straight = self._draw_flat(
            layer, turn, step * width / 2.0, step * height / 2.0, view, (width, height)
        )  # fmt: skip
        buffer = self._framebuffer(layer, (view.width, view.height), name="bent")
        buffer.use()
        buffer.viewport = (0, 0, view.width, view.height)
        self._gl.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        program = self._bend.program
        straight.color_attachments[0].use(0)
        places.use(1)
        set_uniform(program, "u_straight", 0)
        set_uniform(program, "u_from", 1)
        set_uniform(program, "u_layer", _TAKEN_AS[layer])
        self._bend.render(moderngl.TRIANGLES, vertices=3)
        return buffer

    def _lens(self, view: PictureView) -> tuple[tuple[int, int], Any]:
        """How large the plane picture must be for a lens, and where in it each pixel comes from."""
        right, down = unbent(view)
        width, height = (2 * math.ceil(abs(each).max() + 1.0) for each in (right, down))
        places = np.stack([right + width / 2.0, down + height / 2.0], axis=-1).astype(np.float32)
        texture = self._gl.texture((view.width, view.height), 2, places.tobytes(), dtype="f4")
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return (width, height), texture

    def _draw_round(self, layer: str, turn: NDArray[np.float64], view: PictureView) -> Any:
        """A picture that is no plane: from the six sides of a cube."""
        side = min(MOST_OF_A_SIDE, math.ceil(2.0 * view.width / view.horizontal))
        drawn = self._drawn_as(layer, view)
        cube = self._framebuffer(drawn, (3 * side, 2 * side))
        self._clear(cube, drawn, view)
        for number, face in enumerate(FACES):
            cube.viewport = (number % 3 * side, number // 3 * side, side, side)
            self._draw_pyramid(drawn, turn @ face, 1.0, 1.0, view)
        if drawn != layer:
            cube = self._shown(cube, 0, view)
        buffer = self._framebuffer(layer, (view.width, view.height))
        buffer.use()
        buffer.viewport = (0, 0, view.width, view.height)
        self._gl.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        program = self._unroll.program
        cube.color_attachments[0].use(0)
        set_uniform(program, "u_side", side)
        set_uniform(program, "u_layer", _TAKEN_AS[layer])
        set_uniform(program, "u_size", (float(view.width), float(view.height)))
        set_uniform(program, "u_angle", view.horizontal)
        set_uniform(program, "u_is_sphere", view.projection == "spherical")
        self._unroll.render(moderngl.TRIANGLES, vertices=3)
        return buffer

    def _draw_pyramid(
        self, layer: str, turn: NDArray[np.float64], across: float, up: float, view: PictureView
    ) -> None:
        """Draw what lies in a pyramid along the x axis of `turn`, into the buffer and viewport in use."""
        gl = self._gl
        placed = self._placed
        middles, radii = placed.middles @ turn, self._list.spheres[:, 3]
        chosen = np.flatnonzero(seen(middles, radii, across, up, view.near, view.far) & self._drawn)
        # What ends nearer is drawn first, so that less is drawn that is then drawn over.
        ends = middles[chosen, 0] + radii[chosen]
        sorting = np.lexsort((ends, self._batch_of[chosen]))
        chosen, ends = chosen[sorting], ends[sorting]
        rows = self._rows(chosen)
        is_coloured = layer in COLOURED
        self._uniforms = {
            **(self._lit if is_coloured else {}),
            "u_view": tuple(turn.reshape(-1)),  # by rows here, by columns there: transposed
            "u_eye": pinhole(across, up, view.near, view.far),
        }
        self._ready: set[int] = set()
        gl.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.PROGRAM_POINT_SIZE)
        is_clear = self._list.is_clear[chosen] if is_coloured else np.zeros(len(chosen), bool)
        solid, solid_rows = chosen[~is_clear], rows[~is_clear]
        edges = np.searchsorted(self._batch_of[solid], np.arange(len(self._batches) + 1))
        used = np.flatnonzero(np.diff(edges))
        nearest = ends[~is_clear][edges[used]]
        for number in used[np.argsort(nearest, kind="stable")]:
            self._draw_batch(layer, self._batches[number], solid_rows[edges[number] : edges[number + 1]])
        if is_coloured and self._list.backdrop is not None:
            self._pictures.use_plain(self._list.backdrop)
            self._sky.draw(layer, turn, across, up, view.exposure)
        if is_coloured and self._ink.is_there:
            self._ink.draw(self._set_up(self._programs.of(layer, self._features)), self._place)
        if is_clear.any():
            distances = np.linalg.norm(placed.middles[chosen[is_clear]], axis=1)
            self._draw_clear(layer, chosen[is_clear], rows[is_clear], distances)

    def _rows(self, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
        """What is told of instances."""
        placed = self._placed
        rows = np.empty((len(chosen), INSTANCE), np.float32)
        rotations = placed.rotations[chosen]
        rows[:, :9] = (rotations @ self._list.turns[chosen]).transpose(0, 2, 1).reshape(-1, 9)
        rows[:, 9:12] = np.einsum("nij,nj->ni", rotations, self._list.offsets[chosen])
        rows[:, 9:12] += placed.from_eye[chosen]
        rows[:, 12:] = self._materials[chosen]
        return rows

    def _cast(self, light: NDArray[np.float64], eye: NDArray[np.float64]) -> dict[str, object]:
        """Draw the shadow map of a light; the uniforms that say how to read it, empty without shadows."""
        view = shadow_view(light, eye, self._placed.middles, self._list.spheres[:, 3], self._list.casts)
        if view is None:
            return {}
        if self._shadow is None:
            texels = self._gl.depth_texture((TEXELS, TEXELS))
            texels.repeat_x = texels.repeat_y = False
            self._shadow = self._gl.framebuffer(depth_attachment=texels)
        self._shadow.use()
        self._shadow.clear(depth=1.0)
        self._gl.enable_only(moderngl.DEPTH_TEST)
        uniforms = {"u_shadow": tuple(view.matrix.T.reshape(-1)), "u_shadow_step": view.step}
        program = self._programs.of("shadow")
        set_uniform(program, "u_shadow", uniforms["u_shadow"])
        rows = self._rows(view.chosen)
        edges = np.searchsorted(self._batch_of[view.chosen], np.arange(len(self._batches) + 1))
        for number in np.flatnonzero(np.diff(edges)):
            self._batches[number].draw(
                "shadow", program, rows[edges[number] : edges[number + 1]], self._pictures
            )  # fmt: skip
        self._shadow.depth_attachment.use(SHADOW_UNIT)
        return {**uniforms, "u_shadow_map": SHADOW_UNIT}

    def _draw_batch(self, layer: str, batch: Batch, rows: NDArray[np.float32]) -> None:
        program = self._set_up(batch.program(layer, self._features))
        batch.draw(layer, program, rows, self._pictures)

    def _set_up(self, program: Any) -> Any:
        """A program, with the uniforms that count for the whole picture."""
        if program.glo not in self._ready:
            self._ready.add(program.glo)
            for name, value in self._uniforms.items():
                set_uniform(program, name, value)
        return program

    def _clear(self, buffer: Any, layer: str, view: PictureView) -> None:
        """Use a buffer, empty."""
        buffer.use()
        buffer.viewport = (0, 0, buffer.width, buffer.height)
        if layer == "color":
            buffer.clear(*(film(self._list.sky, view.exposure) / 255.0)[::-1].tolist(), 1.0)
        elif layer == "light":
            buffer.clear(*self._list.sky[::-1].tolist(), 1.0)
        elif layer == "depth":
            buffer.clear(math.inf, 0.0, 0.0, 0.0)
        else:
            buffer.clear(0.0, 0.0, 0.0, 1.0)

    def _draw_clear(
        self, layer: str, chosen: NDArray[np.int64], rows: NDArray[np.float32], distances: NDArray[np.float64]
    ) -> None:
        """Transparent instances over all others, the farthest first."""
        gl = self._gl
        gl.enable(moderngl.BLEND)
        gl.blend_func = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE)
        for index in np.argsort(-distances, kind="stable"):
            self._draw_batch(layer, self._batches[self._batch_of[chosen[index]]], rows[index : index + 1])

    def _light(
        self, view: PictureView, place: NDArray[np.float64], lights: NDArray[np.float64]
    ) -> dict[str, object]:
        """The uniforms that say how all is lit."""
        lights = lights[: shaders.LIGHTS]
        lights = lights[np.argsort(-lights[:, 0], kind="stable")]  # kind by kind
        table = np.zeros((shaders.LIGHTS, 16), np.float32)
        count = len(lights)
        table[:count, :3] = lights[:, 1:4] - place
        table[:count, 4:7] = lights[:, 4:7]
        table[:count, 7] = lights[:, 16]
        table[:count, 8:11] = lights[:, 7:10]
        table[:count, 11] = lights[:, 17]
        table[:count, 12:15] = lights[:, 13:16]
        table[:count, 15] = lights[:, 18]
        fog, visibility, *colour = self._list.fog
        casting = np.flatnonzero((lights[:, 19] > 0.0) & (lights[:, 0] != POINT))
        shadow = self._cast(lights[casting[0]], place) if len(casting) else {}
        self._features = shaders.light_features(
            lights[:, 0].astype(int).tolist(), int(fog), int(casting[0]) if shadow else None
        )
        return {
            **shadow,
            "u_light": table.tobytes(),
            "u_ambient": tuple(lights[:, 10:13].sum(axis=0)),
            "u_sky": tuple(self._list.around),
            "u_mirrored": MIRRORED_UNIT,
            "u_exposure": view.exposure,
            "u_fog": (*colour, visibility),
        }

    def _framebuffer(self, layer: str, size: tuple[int, int], samples: int = 0, name: str = "") -> Any:
        """The buffers that a layer is drawn into; pictures of one size share them."""
        kind = layer if layer in ("depth", "light") else ""
        key = (size, kind, samples, name)
        found = self._buffers.get(key)
        if found is None:
            if kind == "light":
                colour = self._gl.texture(size, 4, samples=samples, dtype="f4")
            elif samples:
                colour = self._gl.renderbuffer(size, 4, samples=samples)
            elif kind == "depth":
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
    elif layer == "light":
        buffer.read_into(target, components=4, dtype="f4", alignment=1)
    else:
        buffer.read_into(target, components=4, alignment=1)
