"""What is drawn over a whole picture: the sky behind all, and light as a camera shows it."""

from __future__ import annotations

from typing import Any

import moderngl

from sim_core.base.arrays import FloatArray
from sim_core.sensing.render.draw_list import SIDES
from sim_core.sensing.render.programs import compiled, set_uniform


class Film:
    """Shows pictures of light, see `picture_view.film`."""

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._passes: dict[int, Any] = {}

    def draw(self, light: Any, samples: int, exposure: float, target: Any) -> None:
        """Draw what is shown of light.

        Args:
            light: a texture, in proportion to light.
            samples: of each of its pixels; 0: it is no multisample texture.
            exposure: factor of all light.
            target: buffer of the same size.
        """
        found = self._passes.get(samples)
        if found is None:
            features = (f"SAMPLES {samples}",) if samples else ()
            program = compiled(self._gl, "whole.vert", "film.frag", features)
            found = self._passes[samples] = self._gl.vertex_array(program, [])
        target.use()
        target.viewport = (0, 0, target.width, target.height)
        self._gl.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        light.use(0)
        set_uniform(found.program, "u_light", 0)
        set_uniform(found.program, "u_exposure", exposure)
        found.render(moderngl.TRIANGLES, vertices=3)


class Edges:
    """Smooths the edges of a picture as it is shown."""

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._find: Any = None
        self._smooth: Any = None

    def draw(self, picture: Any, target: Any) -> None:
        """Draw a picture, a texture, with smooth edges into a buffer of the same size, with depths."""
        if self._find is None:
            self._find, self._smooth = (
                self._gl.vertex_array(compiled(self._gl, "whole.vert", "edges.frag", (what,)), [])
                for what in ("FIND", "HALFWAY")
            )
        target.use()
        target.viewport = (0, 0, target.width, target.height)
        self._gl.enable_only(moderngl.DEPTH_TEST)
        picture.repeat_x = picture.repeat_y = False
        picture.use(0)
        self._gl.depth_func = "1"
        self._find.render(moderngl.TRIANGLES, vertices=3)
        self._gl.depth_func = "<"
        self._smooth.render(moderngl.TRIANGLES, vertices=3)


class Sky:
    """The pictures of a Background, where nothing is."""

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._passes: dict[str, Any] = {}

    def draw(self, layer: str, turn: FloatArray, across: float, up: float, exposure: float) -> None:
        """Draw it into the buffer and viewport in use; its picture is in unit 0.

        Args:
            layer: "color" or "light".
            turn: rotation of the eye in the world.
            across, up: tangents of half the angles.
            exposure: factor of all light.
        """
        found = self._passes.get(layer)
        if found is None:
            features = ("BEHIND_ALL", "LIGHT") if layer == "light" else ("BEHIND_ALL",)
            program = compiled(self._gl, "whole.vert", "backdrop.frag", features)
            set_uniform(program, "u_sides", [tuple(map(float, each)) for side in SIDES for each in side])
            found = self._passes[layer] = self._gl.vertex_array(program, [])
        program = found.program
        set_uniform(program, "u_strip", 0)
        set_uniform(program, "u_turn", tuple(turn.T.reshape(-1)))
        set_uniform(program, "u_reach", (across, up))
        set_uniform(program, "u_area", tuple(map(float, self._gl.fbo.viewport)))
        set_uniform(program, "u_exposure", exposure)
        self._gl.disable(moderngl.CULL_FACE)
        self._gl.depth_func = "<="
        found.render(moderngl.TRIANGLES, vertices=3)
        self._gl.depth_func = "<"
        self._gl.enable(moderngl.CULL_FACE)
