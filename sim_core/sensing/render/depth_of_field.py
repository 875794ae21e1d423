"""Depth of field: points out of focus are spread over their circle of confusion (see
`picture_view.FocusModel`).

Computed in linear light, as lenses add it up. There are two passes. The first stores how far each pixel is
from the distance in focus, -1 to 1. The second gathers: each pixel is the mean of those whose discs contain
it, each weighted with one over the area of its disc. Pixels farther away than the pixel itself spread no
farther than the pixel's own disc: a blurred background does not cover sharp objects in front of it.

Simplification: there is one colour and one depth for each pixel, so the edges of blurred objects do not show
what is behind them; transparent objects have the depth of their surface.
"""

from __future__ import annotations

import math
from typing import Any

import moderngl

from sim_core.sensing.picture_view import LARGEST_BLUR, FocusModel
from sim_core.sensing.render.programs import Programs

REACH = math.ceil(LARGEST_BLUR / 2.0)
"""Largest distance in pixels over which light is spread, and width of the border of the first pass's
picture, whose
pixels have discs of their own size only: so the second pass need not check the picture's bounds.
"""


class DepthOfField:
    """Blurs pictures; pictures of one size share its buffer."""

    def __init__(self, context: Any, programs: Programs) -> None:
        self._gl = context
        self._to_light, self._gather = map(programs.screen_pass, ("focus_light.frag", "focus_blur.frag"))
        self._lights: dict[tuple[int, int], Any] = {}

    def draw(self, picture: Any, depth: Any, focus: FocusModel, target: Any) -> None:
        """Draw a picture as it is seen through a lens.

        Args:
            picture: a texture, linear light.
            depth: a texture of the same size, m, inf where nothing is.
            focus: distance and depth of field.
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
        """Return the buffer of the first pass, with a border of zeros."""
        found = self._lights.get((width, height))
        if found is None:
            texture = self._gl.texture((width + 2 * REACH, height + 2 * REACH), 4, dtype="f4")
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            found = self._lights[width, height] = self._gl.framebuffer([texture])
            found.clear()
        return found
