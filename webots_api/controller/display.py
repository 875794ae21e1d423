"""Displays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .device import Device

FORMATS = {3: "RGB", 4: "RGBA", 5: "ARGB", 6: "BGRA", 7: "ABGR"}


class DisplayImage:
    """An image stored in the simulation for `imagePaste`."""

    def __init__(self, number: int) -> None:
        self.number = number


class Display(Device):
    """A display; (0, 0) is its top left pixel."""

    RGB = 3
    RGBA = 4
    ARGB = 5
    BGRA = 6
    ABGR = 7

    def getWidth(self) -> int:
        return int(self._field("width", 0))

    def getHeight(self) -> int:
        return int(self._field("height", 0))

    def setColor(self, color: int) -> None:
        self._say("set_color", int(color))

    def setAlpha(self, alpha: float) -> None:
        self._say("set_alpha", float(alpha))

    def setOpacity(self, opacity: float) -> None:
        self._say("set_opacity", float(opacity))

    def setFont(self, font: str, size: int, antiAliasing: bool) -> None:
        self._say("set_font", str(font), int(size), bool(antiAliasing))

    def drawPixel(self, x: int, y: int) -> None:
        self._say("draw_pixel", int(x), int(y))

    def drawLine(self, x1: int, y1: int, x2: int, y2: int) -> None:
        self._say("draw_line", int(x1), int(y1), int(x2), int(y2))

    def drawRectangle(self, x: int, y: int, width: int, height: int) -> None:
        self._say("draw_rectangle", int(x), int(y), int(width), int(height))

    def fillRectangle(self, x: int, y: int, width: int, height: int) -> None:
        self._say("fill_rectangle", int(x), int(y), int(width), int(height))

    def drawOval(self, cx: int, cy: int, a: int, b: int) -> None:
        self._say("draw_oval", int(cx), int(cy), int(a), int(b))

    def fillOval(self, cx: int, cy: int, a: int, b: int) -> None:
        self._say("fill_oval", int(cx), int(cy), int(a), int(b))

    def drawPolygon(self, x: Iterable[int], y: Iterable[int]) -> None:
        self._say("draw_polygon", *self._corners(x, y))

    def fillPolygon(self, x: Iterable[int], y: Iterable[int]) -> None:
        self._say("fill_polygon", *self._corners(x, y))

    def drawText(self, text: str, x: int, y: int) -> None:
        self._say("draw_text", str(text), int(x), int(y))

    def imageNew(self, data: Any, format: int, width: int, height: int) -> DisplayImage | None:
        """Return an image made from bytes, or from an array as returned by `getImageArray`."""
        if isinstance(data, list):
            data = bytes(data[x][y][part] for y in range(height) for x in range(width) for part in range(3))
            format = self.RGB
        image = self._new_image()
        self._say("image_new", image.number, bytes(data), int(width), int(height), FORMATS.get(format, "?"))
        return image

    def imageLoad(self, filename: str) -> DisplayImage | None:
        if not self._connection.call("has_file", filename):
            return None
        image = self._new_image()
        self._say("image_load", image.number, filename)
        return image

    def imageCopy(self, x: int, y: int, width: int, height: int) -> DisplayImage:
        image = self._new_image()
        self._say("image_copy", image.number, int(x), int(y), int(width), int(height))
        return image

    def imagePaste(self, ir: DisplayImage, x: int, y: int, blend: bool = False) -> None:
        if ir is not None:
            self._say("image_paste", ir.number, int(x), int(y), bool(blend))

    def imageSave(self, ir: DisplayImage | None, filename: str) -> None:
        """Write an image, or the displayed picture, to a .png or .jpg file."""
        self._say("image_save", None if ir is None else ir.number, filename)

    def imageDelete(self, ir: DisplayImage) -> None:
        if ir is not None:
            self._say("image_delete", ir.number)

    def attachCamera(self, camera: Device) -> None:
        """Show the camera's pictures as the background of later drawings."""
        self._say("attach_camera", camera.name)

    def detachCamera(self) -> None:
        self._say("detach_camera")

    def _new_image(self) -> DisplayImage:
        number = int(self._get("images", 0)) + 1
        self._set("images", number)
        return DisplayImage(number)

    @staticmethod
    def _corners(x: Iterable[int], y: Iterable[int]) -> tuple[list[int], list[int]]:
        corners = list(zip(x, y, strict=False))
        return [int(each[0]) for each in corners], [int(each[1]) for each in corners]

    width = property(getWidth)
    height = property(getHeight)
    color = property(None, setColor)
    alpha = property(None, setAlpha)
    opacity = property(None, setOpacity)
