"""Fonts of a Display: how large their letters are, where they stand, what stands in for those of Webots."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PIL import ImageFont

STAND_INS = {
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
"""For each name that Webots knows, the font of Matplotlib whose letters are about as wide; None: the one that
comes with Pillow. They are taken where the font itself is not installed."""
PIXELS_PER_POINT = 100.0 / 72.0
"""Webots takes the size of a font for points, of which 72 are an inch of 100 pixels."""
_LARGE = 1000
"""Pixels an em; letters this large are hinted by nothing that counts."""


class Font:
    """A font at a size. Its em has `size` points, its base line lies `size` pixels below the top; letters go
    on by whole pixels, the fraction is left out (Webots, WbDisplay::drawText).

    Attributes:
        name, size: as asked for.
        mode: Pillow's word for how edges are drawn.
    """

    def __init__(self, name: str, size: int, mode: str) -> None:
        """Find it.

        Raises:
            LookupError: no such font is there.
        """
        self.name, self.size, self.mode = name, size, mode
        self._em = size * PIXELS_PER_POINT
        self._letters = _font(name, self._em)
        self._ruler = _font(name, _LARGE)

    def write(self, draw: Any, ink: Any, text: str, x: int, y: int) -> None:
        """Lines of text one em apart; (x, y) is the top left corner of the first letter's box."""
        draw.fontmode = self.mode
        baseline = y + self.size
        for line in text.split("\n"):
            column = x
            for letter in line:
                draw.text((column, baseline), letter, ink, self._letters, anchor="ls")
                column += int(self._ruler.getlength(letter) * self._em / _LARGE)
            baseline += int(self._em)


@lru_cache(maxsize=64)
def _font(name: str, pixels: float) -> Any:
    for file in (name, name.replace(" ", ""), name.replace(" ", "_")):
        try:
            return ImageFont.truetype(file if file.lower().endswith(".ttf") else f"{file}.ttf", pixels)
        except OSError:
            continue
    stand_in = STAND_INS[name]  # a KeyError is a LookupError
    matplotlib = find_spec("matplotlib") if stand_in is not None else None
    if matplotlib is not None and matplotlib.origin is not None:
        fonts = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
        try:
            return ImageFont.truetype(str(fonts / f"{stand_in}.ttf"), pixels)
        except OSError:
            pass
    return ImageFont.load_default(pixels)
