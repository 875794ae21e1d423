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
from sim_core.sensing.render.programs import Programs

REACH = math.ceil(LARGEST_BLUR / 2.0)
"""Pixels that light is spread at most, and width of the border round the first pass's picture, whose pixels
are of no disc but their own: so the second needs not ask where the picture ends."""


class DepthOfField:
    """Blurs pictures; pictures of one size share its buffer."""

    def __init__(self, context: Any, programs: Programs) -> None:
        self._gl = context
        self._to_light, self._gather = map(programs.whole, ("focus_light.frag", "focus_blur.frag"))
        self._lights: dict[tuple[int, int], Any] = {}

    def draw(self, picture: Any, depth: Any, focus: FocusModel, target: Any) -> None:
        """Draw a picture as it is seen through a lens.

        Args:
            picture: a texture, in proportion to light.
            depth: a texture of the same size, m, inf where nothing is.
            focus: what is sharp.
            target: buffer of the same size.
        """
        width, height = picture.size
        light = self._light(width, height)
        light.use()
        light.viewport = (REACH, REACH, width, height)
        lens = {"u_focus": (focus.distance, focus.length), "u_reach": REACH}
        self._to_light.draw_over(lens, u_picture=picture, u_depth=depth)
        reach = {"u_largest": LARGEST_BLUR / 2.0, "u_reach": REACH}
        self._gather.fill(target, reach, u_light=light.color_attachments[0])

    def _light(self, width: int, height: int) -> Any:
        """The first pass's picture, with a border of zeros."""
        found = self._lights.get((width, height))
        if found is None:
            texture = self._gl.texture((width + 2 * REACH, height + 2 * REACH), 4, dtype="f4")
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            found = self._lights[width, height] = self._gl.framebuffer([texture])
            found.clear()
        return found
