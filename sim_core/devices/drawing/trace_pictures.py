"""Pictures of pen traces, seen from above: x to the right, y up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.atomic_file import atomic_file
from sim_core.base.errors import CommandError
from sim_core.base.geometry import Vec3
from sim_core.sensing.trace import Trace

LONGER_SIDE = 1000
"""Pixels of the longer side of a picture if its scale is not given."""
MAX_SIDE = 16000
"""Largest width or height of a picture."""
MARGIN = 0.05
"""Margin around the traces, as a fraction of the longer side."""
WHITE = (255, 255, 255)
_ROUNDING = 1e-6
"""Fraction of a pixel by which rounding errors may enlarge a side."""


class PlanView(NamedTuple):
    """The rectangle of the world that is shown, and its scale."""

    left: float
    bottom: float
    right: float
    top: float
    pixels_per_metre: float

    @classmethod
    def from_traces(
        cls,
        traces: Sequence[Trace],
        area: tuple[float, float, float, float] | None = None,
        pixels_per_metre: float | None = None,
    ) -> PlanView:
        """Return a view of all the traces, or of an area (left, bottom, right, top) in m.

        Raises:
            CommandError: nothing has been drawn and no area is given, the area is empty, or the picture would
                have more than 16,000 pixels on a side.
        """
        if area is None:
            points = np.concatenate([trace.points[:, :2] for trace in traces]) if traces else np.empty((0, 2))
            if not len(points):
                raise CommandError("found nothing drawn, expected the trace of a pen")
            low, high = points.min(axis=0), points.max(axis=0)
            widest = max(trace.width for trace in traces)
            margin = max(MARGIN * float((high - low).max()), 2.0 * widest, 0.01)
            left, bottom = (low - margin).tolist()
            right, top = (high + margin).tolist()
        else:
            left, bottom, right, top = area
        if not (right > left and top > bottom):
            raise CommandError(f"found the area {area}, expected left below right and bottom below top")
        longer = max(right - left, top - bottom)
        scale = LONGER_SIDE / longer if pixels_per_metre is None else pixels_per_metre
        if not 0.0 < scale * longer <= MAX_SIDE:
            raise CommandError(f"found {scale * longer:.0f} pixels, expected 1 to {MAX_SIDE} on a side")
        return cls(left, bottom, right, top, scale)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        scale = self.pixels_per_metre
        width, height = (
            math.ceil(side * scale - _ROUNDING) for side in (self.right - self.left, self.top - self.bottom)
        )
        return max(1, width), max(1, height)

    def pixels(self, points: FloatArray) -> FloatArray:
        """Return (n, 2) column and row of points (n, 2 or 3) in m; the centre of the first pixel is at
        0.5, 0.5."""
        scale = self.pixels_per_metre
        return np.column_stack([(points[:, 0] - self.left) * scale, (self.top - points[:, 1]) * scale])


def save_traces(
    path: str | Path,
    traces: Sequence[Trace],
    area: tuple[float, float, float, float] | None = None,
    pixels_per_metre: float | None = None,
) -> PlanView:
    """Write traces as `.png` (ink on white, opacity by density) or `.svg` (coordinates in m).

    Args:
        path: output file.
        traces: traces of the pens.
        area: left, bottom, right, top in m; None: all that was drawn.
        pixels_per_metre: None: the longer side has 1000 pixels.

    Returns:
        The area and scale of the picture.

    Raises:
        CommandError: nothing to show, an unknown file name extension, or the file cannot be written.
    """
    path = Path(path)
    savers = {".png": _save_png, ".svg": _save_svg}
    save = savers.get(path.suffix.lower())
    if save is None:
        raise CommandError(f'found "{path.name}", expected a name that ends in .png or .svg')
    view = PlanView.from_traces(traces, area, pixels_per_metre)
    try:
        with atomic_file(path) as part:
            save(part, traces, view)
    except OSError as error:
        raise CommandError(f"{path}: cannot be written: {error.strerror or error}") from None
    return view


def _save_png(path: Path, traces: Sequence[Trace], view: PlanView) -> None:
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", view.size, WHITE)
    for trace in traces:
        width = max(1, round(trace.width * view.pixels_per_metre))
        for points, ink in trace.pieces():
            pixels = view.pixels(points)
            corner = np.floor(pixels.min(axis=0)).astype(int) - width
            extent = np.ceil(pixels.max(axis=0)).astype(int) + width - corner + 1
            # One mask per stroke: a stroke gets no darker where it crosses itself.
            mask = Image.new("L", tuple(extent.tolist()))
            draw = ImageDraw.Draw(mask)
            shade = round(255 * ink.density)
            local = [(x, y) for x, y in np.floor(pixels - corner).tolist()]
            draw.line(local, fill=shade, width=width, joint="curve")
            for x, y in {local[0], local[-1]}:
                half = (width - 1) / 2.0
                draw.ellipse((x - half, y - half, x + half, y + half), fill=shade)
            picture.paste(_bytes(ink.colour), tuple(corner.tolist()), mask)
    picture.save(path)


def _save_svg(path: Path, traces: Sequence[Trace], view: PlanView) -> None:
    width, height = view.size
    box = (view.left, -view.top, view.right - view.left, view.top - view.bottom)
    root = ElementTree.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=str(width),
        height=str(height),
        viewBox=" ".join(f"{number:.6g}" for number in box),
    )
    world = ElementTree.SubElement(root, "g", transform="scale(1 -1)")  # y is up in the world
    attributes = {"fill": "none", "stroke-linecap": "round", "stroke-linejoin": "round"}
    for trace in traces:
        group = ElementTree.SubElement(world, "g", attributes)
        ElementTree.SubElement(group, "title").text = trace.name
        group.set("stroke-width", f"{max(trace.width, 1.0 / view.pixels_per_metre):.6g}")
        for points, ink in trace.pieces():
            red, green, blue = _bytes(ink.colour)
            line = ElementTree.SubElement(group, "polyline")
            # a single point would not be drawn
            ends = points.tolist() if len(points) > 1 else [*points.tolist()] * 2
            line.set("points", " ".join(f"{x:.6f},{y:.6f}" for x, y, _ in ends))
            line.set("stroke", f"#{red:02x}{green:02x}{blue:02x}")
            line.set("stroke-opacity", f"{ink.density:g}")
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _bytes(colour: Vec3) -> tuple[int, int, int]:
    red, green, blue = (round(255 * part) for part in colour)
    return red, green, blue
