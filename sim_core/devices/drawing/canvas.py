"""The picture of a Display, and the commands that draw on it (Webots reference, Display)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image, ImageDraw

from sim_core.base.arrays import Pixels
from sim_core.base.errors import CommandError
from sim_core.base.state import State, Stateful
from sim_core.devices.command_checks import check_finite
from sim_core.devices.commands import NO_COMMANDS, CommandMap, Flag, Integer, Integers, Number, Text, command
from sim_core.devices.drawing.fonts import Font
from sim_core.scene.meshes.picture_files import PictureError, read_picture

DEFAULT_FONT = ("Lucida Console", 8)
FORMATS = {
    "RGB": (0, 1, 2),
    "RGBA": (0, 1, 2, 3),
    "ARGB": (1, 2, 3, 0),
    "BGR": (2, 1, 0),
    "BGRA": (2, 1, 0, 3),
    "ABGR": (3, 2, 1, 0),
    "L": (0, 0, 0),
}
"""Index of red, green, blue and alpha in each pixel format; L is grey."""
WHITE = 0xFFFFFF
BLACK_OPAQUE = (0, 0, 0, 255)
MAX_COORDINATE = 1_000_000
"""Largest absolute coordinate, in pixels."""
MAX_FONT_SIZE = 1000
PIXELS = Integer("pixels")


@dataclass(eq=False)
class CanvasState(State):
    """A picture and the settings for drawing on it.

    Attributes:
        pixels: (height, width, 4) red, green, blue, alpha.
        colour, alpha, opacity: from 0 to 255.
        font, font_size, font_mode: name, points, and Pillow's mode: "L" with anti-aliasing, "1" without.
        changes: number of changes of the picture so far.
    """

    pixels: Pixels
    colour: tuple[int, int, int]
    alpha: int
    opacity: int
    font: str
    font_size: int
    font_mode: str
    changes: int


class Canvas(Stateful):
    """A picture of red, green, blue and alpha, 8 bits each; (0, 0) is the top left pixel.

    Drawing blends with the old pixel by the opacity, in all four channels: new = (1 - opacity)·old +
    opacity·(colour, alpha). What lies beyond the edges is cut off. A command that is refused with
    CommandError changes nothing.

    Attributes:
        commands: drawing commands by name; the commands of the Display.
        width, height: in pixels.
        changes: number of changes of the picture so far.
        before_change: called before a command changes the picture.
    """

    commands: ClassVar[CommandMap] = NO_COMMANDS

    def __init__(self, what: str, width: int, height: int) -> None:
        """Make an opaque black picture; `what` names it in errors."""
        self._what = what
        self.width = width
        self.height = height
        self.changes = 0
        self.before_change: Callable[[], None] = lambda: None
        self.reset_drawing()

    @property
    def state(self) -> CanvasState:
        """State of the picture; its pixels as an array."""
        return CanvasState(
            self.pixels,
            self._colour,
            self._alpha,
            self._opacity,
            self._font.name,
            self._font.size,
            self._font.mode,
            self.changes,
        )

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, CanvasState)
        self._image = Image.fromarray(state.pixels)
        self._colour, self._alpha, self._opacity = state.colour, state.alpha, state.opacity
        self._use_font(state.font, state.font_size, state.font_mode)
        self.changes = state.changes

    def note_change(self) -> None:
        """Note that the picture behind this one changes now."""
        self.before_change()
        self.changes += 1

    def reset_drawing(self) -> None:
        """Make the picture opaque black, with white and the default font for drawing."""
        self.before_change()
        self._image = Image.new("RGBA", (self.width, self.height), BLACK_OPAQUE)
        self._colour = (255, 255, 255)
        self._alpha = self._opacity = 255
        self.set_font(*DEFAULT_FONT)
        self.changes += 1

    def make_transparent(self) -> None:
        """Make all opaque black pixels transparent."""
        self.before_change()
        pixels = self.pixels
        pixels[(pixels == BLACK_OPAQUE).all(axis=2)] = 0
        self._image = Image.fromarray(pixels)
        self.changes += 1

    @property
    def pixels(self) -> Pixels:
        """Copy of the picture, (height, width, 4): red, green, blue, alpha."""
        return np.array(self._image)

    # ---- drawing settings

    @command(meets_faults=False, color=Integer())
    def set_color(self, color: int) -> None:
        """Set the colour 0xRRGGBB for drawing; white at the start."""
        color = self._checked_integer("color", color, 0, WHITE)
        self._colour = (color >> 16, color >> 8 & 0xFF, color & 0xFF)

    @command(meets_faults=False, alpha=Number())
    def set_alpha(self, alpha: float) -> None:
        """Set the alpha for drawing: 0 transparent to 1 opaque, as at the start."""
        self._alpha = self._checked_fraction("alpha", alpha)

    @command(meets_faults=False, opacity=Number())
    def set_opacity(self, opacity: float) -> None:
        """Set how much new pixels replace old ones: 0 not at all, 1 entirely, as at the start."""
        self._opacity = self._checked_fraction("opacity", opacity)

    @command(meets_faults=False, font=Text(), size=Integer("points"), anti_aliasing=Flag(optional=True))
    def set_font(self, font: str, size: int, anti_aliasing: bool = True) -> None:
        """Set the TrueType font for text, by its name or its file.

        `size`: as in Webots, the size of the em in points at 100 pixels an inch; the first base line lies as
        many pixels below the top.
        """
        size = self._checked_integer("font size", size, 1, MAX_FONT_SIZE)
        self._use_font(font, size, "L" if anti_aliasing else "1")

    # ---- drawing

    @command(meets_faults=False, x=PIXELS, y=PIXELS)
    def draw_pixel(self, x: int, y: int) -> None:
        """Draw one pixel."""
        place = self._checked_pixels("x, y", x, y)
        self._draw(lambda draw, ink: draw.point(place, ink))

    @command(meets_faults=False, x1=PIXELS, y1=PIXELS, x2=PIXELS, y2=PIXELS)
    def draw_line(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draw a line by Bresenham's algorithm, both ends included."""
        ends = self._checked_pixels("x1, y1, x2, y2", x1, y1, x2, y2)
        self._draw(lambda draw, ink: draw.line(ends, ink))

    @command(meets_faults=False, x=PIXELS, y=PIXELS, width=PIXELS, height=PIXELS)
    def draw_rectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draw the outline of width × height pixels whose top left one is (x, y)."""
        self._rectangle(x, y, width, height, False)

    @command(meets_faults=False, x=PIXELS, y=PIXELS, width=PIXELS, height=PIXELS)
    def fill_rectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Fill a rectangle of width × height pixels whose top left one is (x, y)."""
        self._rectangle(x, y, width, height, True)

    @command(meets_faults=False, cx=PIXELS, cy=PIXELS, a=PIXELS, b=PIXELS)
    def draw_oval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draw the outline of an ellipse about (cx, cy) with the half axes a and b."""
        self._oval(cx, cy, a, b, False)

    @command(meets_faults=False, cx=PIXELS, cy=PIXELS, a=PIXELS, b=PIXELS)
    def fill_oval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Fill an ellipse about (cx, cy) with the half axes a and b."""
        self._oval(cx, cy, a, b, True)

    @command(meets_faults=False, x=Integers("pixels"), y=Integers("pixels"))
    def draw_polygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Draw the outline of a polygon with these corners; it is closed."""
        corners = self._corners(x, y)
        self._draw(lambda draw, ink: draw.line([*corners, corners[0]], ink))

    @command(meets_faults=False, x=Integers("pixels"), y=Integers("pixels"))
    def fill_polygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Fill a polygon with these corners and draw its outline."""
        corners = self._corners(x, y)
        if len(set(corners)) < 3:
            self.draw_polygon(x, y)  # Pillow needs at least three corners
        else:
            self._draw(lambda draw, ink: draw.polygon(corners, ink, ink))

    @command(meets_faults=False, text=Text(), x=PIXELS, y=PIXELS)
    def draw_text(self, text: str, x: int, y: int) -> None:
        """Draw lines of text; (x, y) is the top left corner of the first letter's box."""
        x, y = self._checked_pixels("x, y", x, y)
        self._draw(lambda draw, ink: self._font.draw_text(draw, ink, text, x, y))

    # ---- images

    def image_new(self, data: Any, width: int, height: int, format: str = "BGRA") -> Pixels:
        """Make an image for `image_paste` from bytes, row by row from the top, in one of `FORMATS`."""
        order = FORMATS.get(format)
        if order is None:
            raise self._refusal("format", f'"{format}"', f"one of {', '.join(FORMATS)}")
        width = self._checked_integer("width", width, 1, MAX_COORDINATE)
        height = self._checked_integer("height", height, 1, MAX_COORDINATE)
        values = np.frombuffer(data, np.uint8)
        channels = len(set(order))
        if len(values) != width * height * channels:
            expected = f"{width} × {height} × {channels} = {width * height * channels}"
            raise self._refusal("image", f"{len(values)} bytes", expected)
        return self._as_rgba(values.reshape(height, width, channels)[:, :, order])

    def image_load(self, path: str | Path) -> Pixels:
        """Read an image for `image_paste` from a PNG or JPEG file."""
        try:
            if not isfile(path):  # reading a pipe could block
                raise FileNotFoundError("no such file")
            return read_picture(Path(path)).copy()
        except (OSError, ValueError, PictureError) as error:
            raise CommandError(f"{self._what}: {path}: cannot be read: {error}") from None

    def image_copy(self, x: int, y: int, width: int, height: int) -> Pixels:
        """Return a part of the picture, cut off at the edges; (n, m, 4), empty if all of it lies beyond
        them."""
        x, y, width, height = self._checked_pixels("x, y, width, height", x, y, width, height)
        return self.pixels[max(0, y) : max(0, y + height), max(0, x) : max(0, x + width)]

    def image_paste(self, image: Any, x: int = 0, y: int = 0, blend: bool = False) -> None:
        """Draw an image (n, m, 3 or 4) with its top left corner at (x, y).

        Without `blend` its pixels replace the old ones. With it, by the new pixel's alpha a from 0 to 1:
        colour = (1 - a)·old + a·new, alpha = min(1, old + new).
        """
        x, y = self._checked_pixels("x, y", x, y)
        new = self._as_rgba(image)[max(0, -y) :, max(0, -x) :]
        x, y = max(0, x), max(0, y)
        new = new[: max(0, self.height - y), : max(0, self.width - x)]
        if not new.size:
            return
        if blend:
            old = self.pixels[y : y + new.shape[0], x : x + new.shape[1]].astype(np.uint16)
            alpha = new[:, :, 3:].astype(np.uint16)
            colour = ((255 - alpha) * old[:, :, :3] + alpha * new[:, :, :3]) // 255
            new = np.concatenate([colour, np.minimum(255, old[:, :, 3:] + alpha)], axis=2).astype(np.uint8)
        self.before_change()
        self._image.paste(Image.fromarray(np.ascontiguousarray(new)), (x, y))
        self.changes += 1

    def image_save(self, path: str | Path, image: Any = None) -> None:
        """Write an image, or the picture itself, as .png, or as .jpg without alpha."""
        path = Path(path)
        if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
            raise self._refusal("file", f'"{path.name}"', "a name that ends in .png or .jpg")
        picture = self._image if image is None else Image.fromarray(self._as_rgba(image))
        if path.suffix.lower() != ".png":
            picture = picture.convert("RGB")
        try:
            picture.save(path)
        except OSError as error:
            raise CommandError(
                f"{self._what}: {path}: cannot be written: {error.strerror or error}"
            ) from None

    # ---- private

    def _draw(self, primitive: Callable[[Any, Any], Any]) -> None:
        """Draw with the current colour, alpha and opacity: `primitive(draw, ink)`."""
        self.before_change()
        ink = (*self._colour, self._alpha)
        if self._opacity == 255:
            primitive(ImageDraw.Draw(self._image), ink)
        else:
            mask = Image.new("L", self._image.size)
            primitive(ImageDraw.Draw(mask), self._opacity)
            self._image.paste(ink, mask=mask)
        self.changes += 1

    def _rectangle(self, x: int, y: int, width: int, height: int, fill: bool) -> None:
        x, y, width, height = self._checked_pixels("x, y, width, height", x, y, width, height)
        if width > 0 and height > 0:
            box = (x, y, x + width - 1, y + height - 1)
            self._draw(lambda draw, ink: draw.rectangle(box, ink if fill else None, ink))

    def _oval(self, cx: int, cy: int, a: int, b: int, fill: bool) -> None:
        cx, cy, a, b = self._checked_pixels("cx, cy, a, b", cx, cy, a, b)
        if a <= 0 or b <= 0:
            return
        rows = range(max(-cy, -b), min(self.height - 1 - cy, b) + 1)
        spans = [(cy + row, *_oval_span(a, b, abs(row))) for row in rows]

        def primitive(draw: Any, ink: Any) -> None:
            for row, inner, outer in spans:
                if fill:
                    draw.line((cx - outer, row, cx + outer, row), ink)
                else:
                    draw.line((cx - outer, row, cx - inner, row), ink)
                    draw.line((cx + inner, row, cx + outer, row), ink)

        self._draw(primitive)

    def _corners(self, x: Sequence[int], y: Sequence[int]) -> list[tuple[int, int]]:
        if len(x) != len(y) or not len(x):
            raise self._refusal("polygon", f"{len(x)} x and {len(y)} y", "as many of both, one at least")
        return list(zip(self._checked_pixels("x", *x), self._checked_pixels("y", *y), strict=True))

    def _use_font(self, font: str, size: int, mode: str) -> None:
        try:
            self._font = Font(font, size, mode)
        except LookupError:
            expected = "a TrueType font of this machine, or its file"
            raise self._refusal("font", f'"{font}"', expected) from None

    def _as_rgba(self, image: Any) -> Pixels:
        array = np.asarray(image)
        if array.ndim != 3 or array.shape[2] not in (3, 4) or array.dtype != np.uint8:
            found = f"{array.dtype} of shape {array.shape}"
            raise self._refusal("image", found, "uint8 of shape (height, width, 3 or 4)")
        if array.shape[2] == 4:
            return np.ascontiguousarray(array)
        opaque = np.full((*array.shape[:2], 1), 255, np.uint8)
        return np.concatenate([array, opaque], axis=2)

    def _checked_pixels(self, what: str, *values: int) -> tuple[int, ...]:
        return tuple(self._checked_integer(what, value, -MAX_COORDINATE, MAX_COORDINATE) for value in values)

    def _checked_integer(self, what: str, value: Any, low: int, high: int) -> int:
        expected = f"a whole number from {low} to {high}"
        try:
            number = operator.index(value)
        except TypeError:
            raise self._refusal(what, repr(value), expected) from None
        if not low <= number <= high:
            raise self._refusal(what, str(number), expected)
        return number

    def _checked_fraction(self, what: str, value: float) -> int:
        """Convert a number from 0 to 1 to one from 0 to 255."""
        number = check_finite(f"{self._what}: {what}", value)
        if not 0.0 <= number <= 1.0:
            raise self._refusal(what, f"{number:g}", "a number from 0 to 1")
        return round(255 * number)

    def _refusal(self, what: str, found: str, expected: str) -> CommandError:
        return CommandError(f"{self._what}: {what}: found {found}, expected {expected}")


def _oval_span(a: int, b: int, row: int) -> tuple[int, int]:
    """Return the first and last column, relative to the centre, of an oval's rim in a row.

    Webots walks from (a, 0): upwards while the walk is inside, b²·x·(x - 1) + a²·y·(y + 1) < a²·b², and
    inwards while it is outside. It leaves row y upwards at the largest x that is inside, and enters it one
    nearer the middle than it left the row before if that place is outside.
    """

    def leave(y: int) -> int:
        squares = (a * a * (b * b - y * (y + 1)) - 1) // (b * b)
        return (1 + math.isqrt(1 + 4 * squares)) // 2 if y < b else 0

    inner = leave(row)
    before = leave(row - 1) if row else inner
    return inner, before - (inner < before)
