"""A trace keeps the shape of the drawn line in bounded memory; pictures show it at its place."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from sim_core.base.errors import CommandError
from sim_core.devices.drawing.trace_pictures import save_traces
from sim_core.sensing import trace as trace_module
from sim_core.sensing.trace import Ink, Trace

RED, BLUE = Ink((1.0, 0.0, 0.0), 1.0), Ink((0.0, 0.2, 1.0), 0.5)


def circle(ink: Ink = RED, radius: float = 0.5, width: float = 0.02) -> Trace:
    trace = Trace("r/pen", width)
    for index, angle in enumerate(np.linspace(0, 2 * math.pi, 500)):
        trace.draw_to(index, (radius * math.cos(angle) + 1.0, radius * math.sin(angle), 0.0), ink)
    trace.lift()
    return trace


def test_points_nearer_than_half_the_width_are_left_out_save_the_last() -> None:
    trace = Trace("r/pen", 0.1)
    for index in range(101):
        trace.draw_to(index, (index * 0.001, 0.0, 0.0), RED)
    assert trace.points[:, 0] == pytest.approx([0.0, 0.05, 0.1])
    trace.draw_to(101, (0.12, 0.0, 0.0), RED)
    trace.lift()
    assert trace.points[:, 0] == pytest.approx([0.0, 0.05, 0.1, 0.12])
    assert trace.times.tolist() == [0, 50, 100, 101]


def test_a_full_trace_keeps_its_ends_and_its_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_module, "MAX_POINTS", 1000)
    trace = Trace("r/pen", 0.002)
    for index in range(5000):
        angle = index * 0.001
        trace.draw_to(index, (math.cos(angle), math.sin(angle), 0.0), RED)
    assert trace.count <= 1000 and trace.generation >= 1
    assert trace.points[0] == pytest.approx((1.0, 0.0, 0.0))
    gaps = np.linalg.norm(np.diff(trace.points, axis=0), axis=1)
    assert gaps.max() < 0.02  # no piece is missing
    assert (np.diff(trace.times) > 0).all()


def test_a_trace_of_many_short_strokes_loses_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_module, "MAX_POINTS", 1000)
    trace = Trace("r/pen", 0.01)
    for index in range(3000):
        trace.draw_to(index, (float(index), 0.0, 0.0), RED)
        trace.lift()
    assert 500 < trace.count <= 1000
    assert trace.times[-1] == 2999 and trace.times[0] > 1000


def test_a_png_has_the_ink_where_the_trace_is(tmp_path: Path) -> None:
    file = tmp_path / "traces.png"
    trace = circle()
    view = save_traces(file, [trace, circle(BLUE, 0.25)])
    picture = Image.open(file).convert("RGB")
    assert picture.size == view.size == (1000, 1000)
    for points, colour in ((trace.points, (255, 0, 0)), (circle(BLUE, 0.25).points, (128, 153, 255))):
        for column, row in view.pixels(points[::25]).astype(int).tolist():
            assert picture.getpixel((column, row)) == pytest.approx(colour, abs=1)
    centre = view.pixels(np.array([[1.0, 0.0]])).astype(int)[0].tolist()
    assert picture.getpixel(tuple(centre)) == (255, 255, 255)
    reds = np.asarray(picture)[:, :, 1] == 0
    area = math.pi * (0.51**2 - 0.49**2) * view.pixels_per_metre**2
    assert reds.sum() == pytest.approx(area, rel=0.1)  # the line is as wide as the lead


@pytest.mark.parametrize("length", [0.1, 0.3, 0.7, 1.1, 1.3, 2.9, 7.7])
def test_the_longer_side_has_a_thousand_pixels(tmp_path: Path, length: float) -> None:
    trace = Trace("r/pen", 0.01)
    trace.draw_to(0, (0.1, 0.2, 0.0), RED)
    trace.draw_to(1, (0.1 + length, 0.25, 0.0), RED)
    assert save_traces(tmp_path / "t.png", [trace]).size[0] == 1000
    assert max(Image.open(tmp_path / "t.png").size) == 1000


def test_y_is_up_and_the_area_can_be_chosen(tmp_path: Path) -> None:
    trace = Trace("r/pen", 0.1)
    for x in (0.0, 1.0):
        trace.draw_to(0, (x, 2.0, 0.3), RED)
    view = save_traces(tmp_path / "t.png", [trace], area=(-1.0, 0.0, 3.0, 3.0), pixels_per_metre=50.0)
    picture = Image.open(tmp_path / "t.png")
    assert view.size == picture.size == (200, 150)
    assert picture.getpixel((75, 50)) == (255, 0, 0)  # x 0.5 m, y 2 m


def test_an_svg_has_the_same_points_in_metres(tmp_path: Path) -> None:
    file = tmp_path / "traces.svg"
    trace = circle()
    view = save_traces(file, [trace, circle(BLUE, 0.25)])
    root = ElementTree.parse(file).getroot()
    space = "{http://www.w3.org/2000/svg}"
    lines = list(root.iter(f"{space}polyline"))
    points = np.array([[float(n) for n in pair.split(",")] for pair in lines[0].get("points", "").split()])
    assert points == pytest.approx(trace.points[:, :2], abs=1e-6)
    assert [line.get("stroke") for line in lines] == ["#ff0000", "#0033ff"]
    assert [line.get("stroke-opacity") for line in lines] == ["1", "0.5"]
    left, top, width, height = (float(number) for number in root.get("viewBox", "").split())
    assert (left, -top, left + width, -top - height) == pytest.approx(
        (view.left, view.top, view.right, view.bottom), abs=1e-5
    )


def test_what_cannot_be_saved_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="found nothing drawn, expected the trace of a pen"):
        save_traces(tmp_path / "t.png", [Trace("r/pen", 0.1)])
    with pytest.raises(CommandError, match="found nothing drawn"):
        save_traces(tmp_path / "t.png", [])
    with pytest.raises(CommandError, match=r'found "t.bmp", expected a name that ends in .png or .svg'):
        save_traces(tmp_path / "t.bmp", [circle()])
    with pytest.raises(CommandError, match=r"t\.png: cannot be written: No such file or directory"):
        save_traces(tmp_path / "none" / "t.png", [circle()])
    with pytest.raises(CommandError, match="expected left below right"):
        save_traces(tmp_path / "t.png", [circle()], area=(1.0, 0.0, 0.0, 1.0))
    with pytest.raises(CommandError, match="expected 1 to 16000 on a side"):
        save_traces(tmp_path / "t.png", [circle()], pixels_per_metre=1e6)
