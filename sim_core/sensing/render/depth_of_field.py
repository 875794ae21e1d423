"""What is out of focus, spread over its circle of confusion (see `sim_core/devices/vision/focus.py`).

In proportion to light, as lenses add it up. Two passes. The first notes how far from the sharp depth each
pixel is, -1 to 1. The second gathers: each pixel is the mean of those whose discs it lies in, each weighted
with one over the area of its disc. What is farther than the pixel itself
spreads no farther than the pixel's own disc: a blurred background does not run over what is sharp before it.

Simplified: one colour and one depth for each pixel, so what is behind something blurred is not seen through
its edge; what is transparent has the depth of its surface.
"""

from __future__ import annotations

import math
from typing import Any

import moderngl

from sim_core.sensing.picture_view import LARGEST_BLUR, FocusModel
from sim_core.sensing.render.programs import compiled, set_uniform

REACH = math.ceil(LARGEST_BLUR / 2.0)
"""Pixels that light is spread at most, and width of the border round the first pass's picture, whose pixels
are of no disc but their own: so the second needs not ask where the picture ends."""


class DepthOfField:
    """Blurs pictures; pictures of one size share its buffer."""

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._passes = [
            context.vertex_array(compiled(context, "whole.vert", source), [])
            for source in ("focus_light.frag", "focus_blur.frag")
        ]
        self._lights: dict[tuple[int, int], Any] = {}

    def draw(self, picture: Any, depth: Any, focus: FocusModel, target: Any) -> None:
        """Draw a picture as it is seen through a lens.

        Args:
            picture: a texture, in proportion to light.
            depth: a texture of the same size, m, inf where nothing is.
            focus: what is sharp.
            target: buffer of the same size.
        """
        to_light, gather = self._passes
        width, height = picture.size
        light = self._light(width, height)
        self._gl.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        picture.use(0)
        depth.use(1)
        set_uniform(to_light.program, "u_picture", 0)
        set_uniform(to_light.program, "u_depth", 1)
        set_uniform(to_light.program, "u_focus", (focus.distance, focus.length))
        set_uniform(to_light.program, "u_reach", REACH)
        light.use()
        light.viewport = (REACH, REACH, width, height)
        to_light.render(moderngl.TRIANGLES, vertices=3)
        light.color_attachments[0].use(0)
        set_uniform(gather.program, "u_light", 0)
        set_uniform(gather.program, "u_largest", LARGEST_BLUR / 2.0)
        set_uniform(gather.program, "u_reach", REACH)
        target.use()
        target.viewport = (0, 0, width, height)
        gather.render(moderngl.TRIANGLES, vertices=3)

    def _light(self, width: int, height: int) -> Any:
        """The first pass's picture, with a border of zeros."""
        found = self._lights.get((width, height))
        if found is None:
            texture = self._gl.texture((width + 2 * REACH, height + 2 * REACH), 4, dtype="f4")
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            found = self._lights[width, height] = self._gl.framebuffer([texture])
            found.clear()
        return found
