"""Labels written over a picture of the world."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim_core.session.supervision.labels import Label


def with_labels(picture: NDArray[np.uint8], labels: Sequence[Label]) -> NDArray[np.uint8]:
    """The picture with the labels on it, one over the other.

    Args:
        picture: (height, width, 3) red, green, blue; it is not changed.
        labels: their places and sizes are parts of the picture's width and height. Fonts are Pillow's own.
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
