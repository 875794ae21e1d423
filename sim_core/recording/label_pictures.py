"""Labels over the world, and drawing them on a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Label:
    """A text on the picture of the world.

    Attributes:
        text: the text.
        x, y: position of its upper left corner in the window, 0 to 1, from the left and from the top.
        size: height of the letters, as a fraction of the window's height.
        colour: red, green, blue, 0 to 1.
        transparency: 0 to 1.
        font: name of a font, used where it is installed.
    """

    text: str
    x: float = 0.0
    y: float = 0.0
    size: float = 0.1
    colour: tuple[float, float, float] = (1.0, 1.0, 1.0)
    transparency: float = 0.0
    font: str = "Arial"


def with_labels(picture: NDArray[np.uint8], labels: Sequence[Label]) -> NDArray[np.uint8]:
    """Return a picture with labels, later ones on top.

    Args:
        picture: (height, width, 3) red, green, blue; it is not changed.
        labels: their positions and sizes are fractions of the picture's width and height. Fonts are Pillow's
            own.
    """
    from PIL import Image, ImageDraw, ImageFont

    height, width = picture.shape[:2]
    below = Image.fromarray(picture).convert("RGBA")
    for label in labels:
        over = Image.new("RGBA", below.size, (0, 0, 0, 0))
        ink = tuple(round(255.0 * part) for part in (*label.colour, 1.0 - label.transparency))
        font = ImageFont.load_default(max(1, round(label.size * height)))
        place = (label.x * width, label.y * height)
        ImageDraw.Draw(over).text(place, label.text, ink, font)
        below = Image.alpha_composite(below, over)
    return np.asarray(below.convert("RGB"))
