"""Passes over a whole picture: the sky behind all, and smooth edges."""

from __future__ import annotations

from typing import Any

import moderngl

from sim_core.base.arrays import FloatArray
from sim_core.sensing.render.programs import Programs
from sim_core.sensing.render.sky_and_fog import SIDES


def smooth_edges(context: Any, programs: Programs, picture: Any, target: Any) -> None:
    """Draw a picture, a texture, with smooth edges into a buffer of the same size, with depths."""
    target.use()
    target.viewport = (0, 0, target.width, target.height)
    context.enable_only(moderngl.DEPTH_TEST)
    picture.repeat_x = picture.repeat_y = False
    picture.use(0)
    for feature, depth in (("FIND", "1"), ("HALFWAY", "<")):
        context.depth_func = depth
        programs.screen_pass("edges.frag", (feature,)).draw({})


def draw_sky(
    context: Any,
    programs: Programs,
    layer: str,
    turn: FloatArray,
    reach: tuple[float, float],
    exposure: float,
) -> None:
    """Draw the pictures of a Background, where no shape is, into the buffer and viewport in use.

    Args:
        context: OpenGL context; the picture is in unit 0.
        programs: programs of the context.
        layer: "color" or "light".
        turn: rotation of the eye in the world.
        reach: tangents of half the angles, across and up.
        exposure: factor of all light.
    """
    context.disable(moderngl.CULL_FACE)
    context.depth_func = "<="
    programs.screen_pass(
        "backdrop.frag", ("BEHIND_ALL", "LIGHT") if layer == "light" else ("BEHIND_ALL",)
    ).draw(
        {
            "u_sides": [tuple(map(float, each)) for side in SIDES for each in side],
            "u_strip": 0,
            "u_turn": tuple(turn.T.reshape(-1)),
            "u_reach": reach,
            "u_area": tuple(map(float, context.fbo.viewport)),
            "u_exposure": exposure,
        }
    )
    context.depth_func = "<"
    context.enable(moderngl.CULL_FACE)
