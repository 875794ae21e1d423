"""Fonts of a Display: sizes, positions of letters, and substitutes for the fonts of Webots."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PIL import ImageFont

SUBSTITUTES = {
    "Arial": None,
    "Arial Black": "DejaVuSans-Bold",
    "Comic Sans MS": None,
    "Courier New": "DejaVuSansMono",
    "Georgia": "STIXGeneral",
    "Impact": None,
    "Lucida Console": "DejaVuSansMono",
    "Lucida Sans Unicode": "DejaVuSans",
    "Palatino Linotype": "STIXGeneral",
    "Tahoma": None,
    "Times New Roman": "STIXGeneral",
    "Trebuchet MS": None,
    "Verdana": "DejaVuSans",
}
"""For each font name of Webots, the font of Matplotlib with letters of about the same width, used
where the font itself is not installed; None: the font that comes with Pillow."""
PIXELS_PER_POINT = 100.0 / 72.0
"""Pixels per point in Webots: 72 points are an inch of 100 pixels."""
_RULER_SIZE = 1000
"""Size of the em in pixels at which hinting does not change the widths of letters."""


class Font:
    """A font at a size.

    Its em has `size` points, its base line lies `size` pixels below the top; letters advance by whole pixels,
    rounded down (Webots, WbDisplay::drawText).

    Attributes:
        name, size: as given.
        mode: Pillow's mode: "L" with anti-aliasing, "1" without.
    """

    def __init__(self, name: str, size: int, mode: str) -> None:
        """Find and load the font.

        Raises:
            LookupError: no such font is installed.
        """
        self.name, self.size, self.mode = name, size, mode
        self._em = size * PIXELS_PER_POINT
        self._letters = _font(name, self._em)
        self._ruler = _font(name, _RULER_SIZE)

    def draw_text(self, draw: Any, ink: Any, text: str, x: int, y: int) -> None:
        """Draw lines of text one em apart; (x, y) is the top left corner of the first letter's box."""
        draw.fontmode = self.mode
        baseline = y + self.size
        for line in text.split("\n"):
            column = x
            for letter in line:
                draw.text((column, baseline), letter, ink, self._letters, anchor="ls")
                column += int(self._ruler.getlength(letter) * self._em / _RULER_SIZE)
            baseline += int(self._em)


@lru_cache(maxsize=64)
def _font(name: str, pixels: float) -> Any:
    for file in (name, name.replace(" ", ""), name.replace(" ", "_")):
        try:
            return ImageFont.truetype(file if file.lower().endswith(".ttf") else f"{file}.ttf", pixels)
        except OSError:
            continue
    substitute = SUBSTITUTES[name]  # raises KeyError, a LookupError, for an unknown name
    matplotlib = find_spec("matplotlib") if substitute is not None else None
    if matplotlib is not None and matplotlib.origin is not None:
        fonts = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
        try:
            return ImageFont.truetype(str(fonts / f"{substitute}.ttf"), pixels)
        except OSError:
            pass
    return ImageFont.load_default(pixels)
