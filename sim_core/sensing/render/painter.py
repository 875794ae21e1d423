"""Rendering of a draw list with OpenGL. A painter must be used in the thread that made it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import moderngl
import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.sensing.picture_view import POINT, Layers, LensModel, PictureView, film, undistorted
from sim_core.sensing.render import fine
from sim_core.sensing.render.depth_of_field import DepthOfField
from sim_core.sensing.render.draw_list import DrawList, FrameState, ViewRequest
from sim_core.sensing.render.gpu_data import InkLayer, InstanceBatch
from sim_core.sensing.render.meshes import chords
from sim_core.sensing.render.optics import FACES, in_frustum, pinhole, tangents
from sim_core.sensing.render.passes import draw_sky, smooth_edges
from sim_core.sensing.render.programs import COLOURED, Programs, set_uniforms
from sim_core.sensing.render.readback import PendingPixels, Readback
from sim_core.sensing.render.scene_instances import REFLECTANCE_UNIT, SceneInstances
from sim_core.sensing.render.shaders import in_order, light_features, light_table
from sim_core.sensing.render.shadow import TEXELS, shadow_view

SAMPLES = 4
SHADOW_UNIT = 8
"""Texture unit of the shadow map, beyond those of the surfaces' textures."""
MAX_CUBE_SIDE = 2048
"""Largest side in pixels of the cube map from which cylindrical and spherical pictures are made."""
_TAKEN_AS = {"color": 0, "light": 0, "depth": 1, "segmentation": 2}
"""Value of `u_layer`: how `lens.frag` and `unroll.frag` interpolate a layer between its pixels."""


def make_context() -> Any:
    """Make an off-screen OpenGL 3.3 context through EGL.

    Raises:
        Exception: EGL or its driver is missing; any exception of the libraries.
    """
    settings: dict[str, Any] = {"backend": "egl"}
    return moderngl.create_context(require=330, standalone=True, **settings)


class Painter:
    """Draws a draw list; poses and other changing data come with each picture."""

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._gl.front_face = (
            "cw"  # pictures are drawn upside down, so that reading them back gives the top row first
        )
        self._programs = Programs(context)
        self._instances = SceneInstances(context, self._programs)
        self._fine = fine.FinePasses(context, self._programs, self._instances)
        self._ink = InkLayer(context, self._programs)
        self._shadow: Any = None
        self._lenses: dict[tuple[int, int, LensModel | None], tuple[tuple[int, int], Any]] = {}
        self._focus: DepthOfField | None = None
        self._buffers: dict[tuple[object, ...], Any] = {}
        self._readback = Readback(context)

    def set_draw_list(self, draw_list: DrawList) -> None:
        """Replace the draw list."""
        self._instances.set_draw_list(draw_list)

    def set_state(self, state: FrameState) -> None:
        """Set the state of the scene for the next pictures."""
        self._instances.set_state(state)
        self._ink.add_updates(state.ink)
        self._ink.spots = state.spots
        self._lights = state.lights

    def draw_view(self, view: PictureView, request: ViewRequest, target: Layers) -> list[PendingPixels]:
        """Draw all layers of a view; `write_pixels` writes their pixels into the arrays of `target`."""
        instances = self._instances
        instances.set_eye(request)
        turn = request.eye[3:].reshape(3, 3)
        across, up = tangents(view)
        self._features: tuple[str, ...] = ()
        self._features_at_eye: tuple[str, ...] = ()
        instances.pictures.anisotropic = not view.is_fine
        self._mixes = self._ink.is_there or bool(instances.list.is_clear.any())
        unread = []
        for layer in view.layers:
            if layer in COLOURED:
                self._lit = self._light(view, self._lights)
            if view.lens is not None:
                buffer = self._draw_distorted(layer, turn, view)
            elif view.projection == "planar":
                buffer = self._draw_planar(layer, turn, across, up, view, (view.width, view.height))
            else:
                buffer = self._draw_unrolled(layer, turn, view)
            unread.append(self._readback.begin_copy(buffer, layer, target[layer]))
        return unread

    def write_pixels(self, unread: list[PendingPixels]) -> None:
        """Write the pixels of a picture into its arrays; best called while the next one is drawn."""
        for each in unread:
            self._readback.finish_copy(each)

    def _draw_planar(
        self, layer: str, turn: FloatArray, across: float, up: float, view: PictureView, size: tuple[int, int]
    ) -> Any:
        """Draw a planar picture of this size in pixels; return its buffer."""
        focus = view.focus if layer in COLOURED else None
        is_fine = view.is_fine and layer in COLOURED
        is_smooth = layer in COLOURED and view.smooth and not is_fine
        samples = min(SAMPLES, self._gl.max_samples) if is_smooth else 0
        drawn = self._drawn_as(layer, view)
        if is_fine:
            self._lit |= self._masks(turn, across, up, view, size)
        buffer = self._framebuffer(drawn, size, samples, "fine" if is_fine else "")
        if is_fine:  # depths are known, so each pixel is shaded only once
            buffer.depth_mask = False
            self._gl.depth_func = "<="
        self._clear(buffer, drawn, view)
        self._draw_pyramid(drawn, turn, across, up, view)
        self._gl.depth_func = "<"
        if samples and (drawn == layer or focus is not None):
            whole = self._framebuffer(drawn, size)
            self._gl.copy_framebuffer(whole, buffer)
            buffer, samples = whole, 0
        if focus is not None:
            depth = self._draw_planar("depth", turn, across, up, view, size)
            self._focus = self._focus or DepthOfField(self._gl, self._programs)
            blurred = self._framebuffer(drawn, size, name="blurred")
            self._focus.draw(buffer.color_attachments[0], depth.color_attachments[0], focus, blurred)
            buffer = blurred
        if drawn != layer:
            buffer = self._shown(buffer, samples, view)
        if is_fine and layer == "color":
            smooth = self._framebuffer(layer, size, name="smooth")
            smooth_edges(self._gl, self._programs, buffer.color_attachments[0], smooth)
            buffer = smooth
        return buffer

    def _masks(
        self, turn: FloatArray, across: float, up: float, view: PictureView, size: tuple[int, int]
    ) -> dict[str, object]:
        """Draw shadows and occlusion of a fine picture; return the uniforms for reading them."""
        geometry = self._framebuffer("geometry", size)
        self._clear(geometry, "geometry", view)
        self._draw_pyramid("geometry", turn, across, up, view)
        return self._fine.mask(fine.Eye(turn, across, up, size), geometry, view.occlusion)

    def _drawn_as(self, layer: str, view: PictureView) -> str:
        """Return the layer that is drawn first: "light" if light must be mixed before it is converted to
        colour."""
        return "light" if layer == "color" and (self._mixes or view.focus is not None) else layer

    def _shown(self, light: Any, samples: int, view: PictureView) -> Any:
        """Convert light to the colours of a camera; return the buffer."""
        buffer = self._framebuffer("color", light.size, name="shown")
        found = self._programs.screen_pass("film.frag", (f"SAMPLES {samples}",) if samples else ())
        found.fill(buffer, {"u_exposure": view.exposure}, u_light=light.color_attachments[0])
        return buffer

    def _draw_distorted(self, layer: str, turn: FloatArray, view: PictureView) -> Any:
        """Draw a picture through a lens, by distorting a larger planar one; return its buffer."""
        key = (view.width, view.height, view.lens)
        if key not in self._lenses:
            self._lenses[key] = self._lens(view)
        (width, height), places = self._lenses[key]
        step = 2.0 * math.tan(view.horizontal / 2.0) / view.width
        straight = self._draw_planar(
            layer, turn, step * width / 2.0, step * height / 2.0, view, (width, height)
        )  # fmt: skip
        buffer = self._framebuffer(layer, (view.width, view.height), name="bent")
        straight, taken = straight.color_attachments[0], {"u_layer": _TAKEN_AS[layer]}
        self._programs.screen_pass("lens.frag").fill(buffer, taken, u_straight=straight, u_from=places)
        return buffer

    def _lens(self, view: PictureView) -> tuple[tuple[int, int], Any]:
        """Return the size of the planar picture for a lens, and a texture with the source position of each
        pixel."""
        right, down = undistorted(view)
        width, height = (2 * math.ceil(abs(each).max() + 1.0) for each in (right, down))
        places = np.stack([right + width / 2.0, down + height / 2.0], axis=-1).astype(np.float32)
        texture = self._gl.texture((view.width, view.height), 2, places.tobytes(), dtype="f4")
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return (width, height), texture

    def _draw_unrolled(self, layer: str, turn: FloatArray, view: PictureView) -> Any:
        """Draw a cylindrical or spherical picture from the six sides of a cube; return its buffer."""
        side = min(MAX_CUBE_SIDE, math.ceil(2.0 * view.width / view.horizontal))
        drawn = self._drawn_as(layer, view)
        cube = self._framebuffer(drawn, (3 * side, 2 * side))
        self._clear(cube, drawn, view)
        for number, face in enumerate(FACES):
            cube.viewport = (number % 3 * side, number // 3 * side, side, side)
            self._draw_pyramid(drawn, turn @ face, 1.0, 1.0, view)
        if drawn != layer:
            cube = self._shown(cube, 0, view)
        buffer = self._framebuffer(layer, (view.width, view.height))
        uniforms = {
            "u_turns": [tuple(face.reshape(-1)) for face in FACES],
            "u_side": side,
            "u_layer": _TAKEN_AS[layer],
            "u_size": (float(view.width), float(view.height)),
            "u_angle": view.horizontal,
            "u_is_sphere": view.projection == "spherical",
        }
        self._programs.screen_pass("unroll.frag").fill(buffer, uniforms, u_cube=cube.color_attachments[0])
        return buffer

    def _draw_pyramid(
        self, layer: str, turn: FloatArray, across: float, up: float, view: PictureView
    ) -> None:
        """Draw what lies in a pyramid along the x axis of `turn`, into the buffer and viewport in use."""
        gl, instances = self._gl, self._instances
        middles, radii = instances.middles @ turn, instances.list.spheres[:, 3]
        middles[instances.is_at_eye] = instances.middles[instances.is_at_eye]
        chosen = np.flatnonzero(in_frustum(middles, radii, across, up, view.near, view.far) & instances.shown)
        # Nearer instances are drawn first, so that hidden pixels are not shaded.
        ends = middles[chosen, 0] + radii[chosen]
        sorting = instances.sorted(chosen, ends)
        chosen, ends = chosen[sorting], ends[sorting]
        rows = instances.rows(chosen)
        is_coloured, at_eye = layer in COLOURED, instances.is_at_eye[chosen]
        self._uniforms = {
            **(self._lit if is_coloured else {}),
            # numpy stores by rows, OpenGL by columns: this transposes the matrix
            "u_view": tuple(turn.reshape(-1)),
            "u_eye": pinhole(across, up, view.near, view.far),
        }
        own = {"u_view": tuple(np.eye(3).reshape(-1)), **(self._lit_at_eye if is_coloured else {})}
        self._ready: set[int] = set()

        def program_of(batch: InstanceBatch) -> Any:
            if batch.is_at_eye:
                return self._set_up(batch.program(layer, self._features_at_eye), own)
            return self._set_up(batch.program(layer, self._features))

        gl.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.PROGRAM_POINT_SIZE)
        is_clear = np.zeros(len(chosen), bool)
        if is_coloured or layer == "geometry":
            is_clear = instances.list.is_clear[chosen]
        needed = None
        if view.is_fine and (is_coloured or layer == "geometry"):  # both passes must have equal depths
            nearest = np.maximum(middles[chosen, 0] - radii[chosen], view.near)
            needed = chords(radii[chosen] / nearest * (gl.fbo.viewport[2] / (2.0 * across)))
        far = ~is_clear & ~at_eye
        instances.draw(
            layer, chosen[far], rows[far], program_of, ends[far], None if needed is None else needed[far]
        )
        near = ~is_clear & at_eye
        if near.any() and layer != "geometry":  # without shadows and occlusion
            is_written, gl.fbo.depth_mask = gl.fbo.depth_mask, True
            instances.draw(layer, chosen[near], rows[near], program_of, ends[near])
            gl.fbo.depth_mask = is_written
        if not is_coloured:
            return
        if instances.list.backdrop is not None:
            instances.pictures.use_plain(instances.list.backdrop)
            draw_sky(gl, self._programs, layer, turn, (across, up), view.exposure)
        if self._ink.is_there:
            self._ink.draw_lines(
                self._set_up(self._programs.program_of(layer, self._features)), instances.eye
            )
        if is_clear.any():  # transparent instances over all others, the farthest first
            gl.enable(moderngl.BLEND)
            gl.blend_func = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE)
            chosen, rows = chosen[is_clear], rows[is_clear]
            distances = np.linalg.norm(instances.middles[chosen], axis=1)
            for index in np.argsort(-distances, kind="stable"):
                instances.draw_one(layer, chosen[index], rows[index : index + 1], program_of)

    def _cast(self, light: FloatArray) -> dict[str, object]:
        """Draw the shadow map of a light; return the uniforms for reading it, empty without shadows."""
        instances = self._instances
        view = shadow_view(
            light, instances.eye, instances.middles, instances.list.spheres[:, 3], instances.list.casts
        )
        if view is None:
            return {}
        if self._shadow is None:
            texels = self._gl.depth_texture((TEXELS, TEXELS))
            texels.repeat_x = texels.repeat_y = False
            self._shadow = self._gl.framebuffer(depth_attachment=texels)
        self._shadow.use()
        self._shadow.clear(depth=1.0)
        uniforms = {"u_shadow": tuple(view.matrix.T.reshape(-1)), "u_shadow_step": view.step}
        program = self._programs.program_of("shadow")
        set_uniforms(program, uniforms)
        instances.draw_depths(program, view.chosen, instances.rows(view.chosen))
        self._shadow.depth_attachment.use(SHADOW_UNIT)
        return {**uniforms, "u_shadow_map": SHADOW_UNIT}

    def _set_up(self, program: Any, own: Mapping[str, object] | None = None) -> Any:
        """Set the uniforms of the whole picture, and `own`, once for each program; return the program."""
        if program.glo not in self._ready:
            self._ready.add(program.glo)
            set_uniforms(program, {**self._uniforms, **(own or {})})
        return program

    def _clear(self, buffer: Any, layer: str, view: PictureView) -> None:
        """Use and clear a buffer."""
        buffer.use()
        buffer.viewport = (0, 0, buffer.width, buffer.height)
        if layer == "color":
            buffer.clear(*(film(self._instances.list.sky, view.exposure) / 255.0)[::-1].tolist(), 1.0)
        elif layer == "light":
            buffer.clear(*self._instances.list.sky[::-1].tolist(), 1.0)
        elif layer == "geometry":
            buffer.clear(0.0, 0.0, 0.0, 0.0)
        elif layer == "depth":
            buffer.clear(math.inf, 0.0, 0.0, 0.0)
        else:
            buffer.clear(0.0, 0.0, 0.0, 1.0)

    def _light(self, view: PictureView, lights: FloatArray) -> dict[str, object]:
        """Return the uniforms of lights and fog, and set the features."""
        lights = in_order(lights)
        fog, visibility, *colour = self._instances.list.fog
        kinds = lights[:, 0].astype(int).tolist()
        # Instances fixed to the eye are lit as if the eye stood at the origin, so that they look the same in
        # all pictures.
        self._lit_at_eye = {"u_light": light_table(lights, np.zeros(3))}
        self._features_at_eye = light_features(kinds, int(fog))
        uniforms: dict[str, object] = {
            "u_light": light_table(lights, self._instances.eye),
            "u_ambient": tuple(lights[:, 10:13].sum(axis=0)),
            "u_sky": tuple(self._instances.list.ambient),
            "u_mirrored": REFLECTANCE_UNIT,
            "u_exposure": view.exposure,
            "u_fog": (*colour, visibility),
        }
        if view.is_fine:
            uniforms |= self._fine.light(lights)
            self._features_at_eye += self._fine.features()
            shaded = [cast.light for cast in self._fine.casts]
            self._features = (*light_features(kinds, int(fog), shaded, "part.rgb"), *self._fine.features())
            return uniforms
        casting = np.flatnonzero((lights[:, 19] > 0.0) & (lights[:, 0] != POINT))
        shadow = self._cast(lights[casting[0]]) if len(casting) else {}
        self._features = light_features(kinds, int(fog), casting[:1].tolist() if shadow else (), "lit()")
        if shadow:
            self._features += ("SHADOW",)
        return {**uniforms, **shadow}

    def _framebuffer(self, layer: str, size: tuple[int, int], samples: int = 0, name: str = "") -> Any:
        """Return the buffer that a layer is drawn into; pictures of one size share it."""
        kind = layer if layer in ("depth", "light", "geometry") else ""
        key = (size, kind, samples, name)
        found = self._buffers.get(key)
        if found is None:
            if kind == "light":
                colour = self._gl.texture(size, 4, samples=samples, dtype="f4")
            elif samples:
                colour = self._gl.renderbuffer(size, 4, samples=samples)
            elif kind in ("depth", "geometry"):
                colour = self._gl.texture(size, 1, dtype="f4")
            else:
                colour = self._gl.texture(size, 4)
            if name == "fine":
                depth = self._framebuffer("geometry", size).depth_attachment
            else:
                depth = self._gl.depth_renderbuffer(size, samples=samples)
            colours = [colour]
            if kind == "geometry":
                colours.append(self._gl.texture(size, 4))
            found = self._buffers[key] = self._gl.framebuffer(colours, depth)
        return found
