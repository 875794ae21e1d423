"""Drawing on a display, by the rules of Webots' manual."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import CommandError
from sim_core.devices.drawing.canvas import Canvas

RED, BLACK = (255, 0, 0, 255), (0, 0, 0, 255)


def red_canvas(width: int = 20, height: int = 16) -> Canvas:
    canvas = Canvas("r/display", width, height)
    canvas.set_color(0xFF0000)
    return canvas


def drawn(canvas: Canvas) -> set[tuple[int, int]]:
    """Return (x, y) of the red pixels; all others must be black."""
    pixels = canvas.pixels
    red = (pixels == RED).all(axis=2)
    assert (pixels[~red] == BLACK).all()
    rows, columns = np.nonzero(red)
    return set(zip(columns.tolist(), rows.tolist(), strict=True))


def test_it_is_opaque_black_and_white_is_drawn() -> None:
    canvas = Canvas("r/display", 4, 3)
    assert canvas.pixels.shape == (3, 4, 4)
    assert (canvas.pixels == BLACK).all()
    canvas.draw_pixel(3, 1)
    assert canvas.pixels[1, 3].tolist() == [255] * 4


def test_a_pixel_is_one_and_beyond_the_edge_none() -> None:
    canvas = red_canvas()
    for x, y in ((5, 3), (-1, 3), (20, 0), (0, 16)):
        canvas.draw_pixel(x, y)
    assert drawn(canvas) == {(5, 3)}


@pytest.mark.parametrize(("x2", "y2"), [(17, 9), (17, 1), (2, 12), (3, 15), (2, 2)])
def test_a_line_is_within_half_a_pixel_of_the_true_one_and_has_both_ends(x2: int, y2: int) -> None:
    canvas = red_canvas()
    canvas.draw_line(2, 5, x2, y2)
    points = drawn(canvas)
    assert {(2, 5), (x2, y2)} <= points
    dx, dy = x2 - 2, y2 - 5
    assert len(points) == max(abs(dx), abs(dy)) + 1
    for x, y in points:
        off = abs((x - 2) * dy - (y - 5) * dx) / max(abs(dx), abs(dy))
        assert off <= 0.5


def test_a_rectangle_has_the_size_that_is_given() -> None:
    canvas = red_canvas()
    canvas.fill_rectangle(3, 4, 5, 2)
    filled = {(x, y) for x in range(3, 8) for y in range(4, 6)}
    assert drawn(canvas) == filled
    canvas = red_canvas()
    canvas.draw_rectangle(2, 3, 6, 5)
    assert drawn(canvas) == {(x, y) for x in range(2, 8) for y in range(3, 8) if x in (2, 7) or y in (3, 7)}
    canvas = red_canvas()
    canvas.fill_rectangle(-5, -5, 7, 6)
    assert drawn(canvas) == {(0, 0), (1, 0)}
    canvas.fill_rectangle(5, 5, 0, 3)
    assert drawn(canvas) == {(0, 0), (1, 0)}


def test_an_oval_touches_its_half_axes_and_a_filled_one_has_its_area() -> None:
    canvas = red_canvas(60, 40)
    canvas.draw_oval(30, 20, 20, 12)
    outline = drawn(canvas)
    assert {(10, 20), (50, 20), (30, 8), (30, 32)} <= outline
    for x, y in outline:
        assert math.hypot((x - 30) / 20, (y - 20) / 12) == pytest.approx(1.0, abs=0.1)
    canvas = red_canvas(60, 40)
    canvas.fill_oval(30, 20, 20, 12)
    assert len(drawn(canvas)) == pytest.approx(math.pi * 20.5 * 12.5, rel=0.02)
    canvas = red_canvas()
    canvas.draw_oval(5, 5, 0, 4)
    assert drawn(canvas) == set()


def midpoint_walk(a: int, b: int) -> list[tuple[int, int]]:
    """Return a quarter of the rim, step by step, by the midpoint rule of Webots' source."""
    x, y, places = a, 0, [(a, 0)]
    error, up, inwards = a * b * b, 0, 2 * a * b * b
    while x > 0:
        if error > 0:
            y, up = y + 1, up + 2 * a * a
            error -= up
        if error <= 0:
            x, inwards = x - 1, inwards - 2 * b * b
            error += inwards
        places.append((x, y))
    return places


@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 2), (6, 6), (7, 3), (1, 6), (6, 1), (9, 5)])
def test_ovals_have_the_pixels_of_webots_midpoint_rule(a: int, b: int) -> None:
    canvas = red_canvas(20, 16)
    canvas.draw_oval(10, 8, a, b)
    rim = midpoint_walk(a, b)
    assert drawn(canvas) == {(10 + i * x, 8 + j * y) for x, y in rim for i in (-1, 1) for j in (-1, 1)}
    first: dict[int, int] = {}
    for x, y in rim:
        first.setdefault(y, x)
    canvas = red_canvas(20, 16)
    canvas.fill_oval(10, 8, a, b)
    rows = [(8 + j * y, x) for y, x in first.items() for j in (-1, 1)]
    assert drawn(canvas) == {(10 + i, y) for y, x in rows for i in range(-x, x + 1)}
    canvas = red_canvas(20, 16)
    canvas.fill_oval(0, -2, a, b)  # cut off at the edges
    inside = {(i, y - 10) for y, x in rows for i in range(x + 1)}
    assert drawn(canvas) == {(x, y) for x, y in inside if y >= 0}


def test_a_polygon_is_closed_and_filled() -> None:
    x, y = [10, 15, 10, 5], [2, 7, 12, 7]
    canvas = red_canvas()
    canvas.draw_polygon(x, y)
    assert drawn(canvas) == {(a, b) for a in range(20) for b in range(16) if abs(a - 10) + abs(b - 7) == 5}
    canvas = red_canvas()
    canvas.fill_polygon(x, y)
    assert drawn(canvas) == {(a, b) for a in range(20) for b in range(16) if abs(a - 10) + abs(b - 7) <= 5}
    canvas = red_canvas()
    canvas.fill_polygon([1, 4], [1, 1])
    assert drawn(canvas) == {(1, 1), (2, 1), (3, 1), (4, 1)}


def test_opacity_mixes_new_with_old() -> None:
    canvas = Canvas("r/display", 4, 4)
    canvas.set_color(0x6496C8)
    canvas.fill_rectangle(0, 0, 4, 4)
    canvas.set_color(0xC81432)
    canvas.set_opacity(0.25)
    canvas.fill_rectangle(0, 0, 2, 4)
    part = round(255 * 0.25) / 255
    mixed = [(1 - part) * old + part * new for old, new in zip((100, 150, 200), (200, 20, 50), strict=True)]
    assert canvas.pixels[2, 1, :3] == pytest.approx(mixed, abs=1)
    assert canvas.pixels[2, 2].tolist() == [100, 150, 200, 255]
    canvas.set_opacity(0.0)
    canvas.draw_line(0, 0, 3, 3)
    assert canvas.pixels[3, 3].tolist() == [100, 150, 200, 255]


def test_alpha_is_that_of_the_pixel() -> None:
    canvas = red_canvas(4, 4)
    canvas.set_alpha(0.0)
    canvas.fill_rectangle(0, 0, 2, 4)
    canvas.set_alpha(0.5)
    canvas.draw_pixel(3, 3)
    assert canvas.pixels[0, 0].tolist() == [255, 0, 0, 0]
    assert canvas.pixels[3, 3].tolist() == [255, 0, 0, 128]
    assert canvas.pixels[0, 3].tolist() == list(BLACK)


def test_letters_have_points_at_100_pixels_an_inch_and_lines_come_below() -> None:
    canvas = red_canvas(200, 100)
    canvas.set_font("Lucida Console", 20, False)
    canvas.draw_text("HI", 10, 5)
    places = drawn(canvas)
    assert max(y for _, y in places) == 24  # on the base line at 5 + 20
    capitals = 0.73 * 20 * 100 / 72  # px; capitals of such fonts are 0.73 em high
    assert max(y for _, y in places) - min(y for _, y in places) + 1 == pytest.approx(capitals, abs=1)
    canvas.draw_text("HI\nHI", 10, 5)
    assert max(y for _, y in drawn(canvas)) == 24 + int(20 * 100 / 72)  # one em below
    canvas.reset_drawing()
    canvas.set_font("Arial", 20)
    canvas.draw_text("O", 10, 5)
    assert len(np.unique(canvas.pixels[:, :, 0])) > 3  # anti-aliased: there are greys
    canvas.draw_text("out of sight", 500, -500)


@pytest.mark.parametrize(("font", "text", "em"), [
    ("Lucida Console", "HiHi", [0.6025] * 4), ("Courier New", "iMi", [0.6001] * 3),
    ("Times New Roman", "Aam", [0.722, 0.444, 0.778]), ("Verdana", "Aam", [0.684, 0.601, 0.973]),
])  # fmt: skip
def test_fonts_that_are_not_installed_have_stand_ins_of_their_widths(
    font: str, text: str, em: list[float]
) -> None:
    """The widths are those in the tables of the fonts of these names; letters advance by whole pixels."""
    size = 36  # 50 px an em
    alone, after = red_canvas(300, 60), red_canvas(300, 60)
    for canvas in (alone, after):
        canvas.set_font(font, size, False)
    alone.draw_text("I", 0, 0)
    after.draw_text(text + "I", 0, 0)
    place, moved = min(drawn(alone))[0], max(x for x, _ in drawn(after)) - max(x for x, _ in drawn(alone))
    assert place >= 0 and moved == pytest.approx(sum(int(part * 50) for part in em), abs=2)


def test_images_are_copied_and_pasted_and_cut_off_at_the_edges() -> None:
    canvas = red_canvas(10, 10)
    canvas.fill_rectangle(2, 3, 4, 2)
    copy = canvas.image_copy(2, 3, 4, 2)
    assert copy.shape == (2, 4, 4) and (copy == RED).all()
    assert canvas.image_copy(-1, -1, 3, 3).shape == (2, 2, 4)
    assert canvas.image_copy(20, 20, 3, 3).size == 0
    canvas.reset_drawing()
    canvas.image_paste(copy, 8, -1)
    assert drawn(canvas) == {(8, 0), (9, 0)}
    canvas.image_paste(copy, 10, 0)
    canvas.image_paste(copy, -4, 0)
    assert drawn(canvas) == {(8, 0), (9, 0)}


@pytest.mark.parametrize(
    ("order", "data"),
    [
        ("RGB", [10, 20, 30]),
        ("BGR", [30, 20, 10]),
        ("RGBA", [10, 20, 30, 40]),
        ("ARGB", [40, 10, 20, 30]),
        ("BGRA", [30, 20, 10, 40]),
        ("ABGR", [40, 30, 20, 10]),
    ],
)
def test_every_format_gives_the_same_colours(order: str, data: list[int]) -> None:
    image = red_canvas().image_new(bytes(data * 6), 3, 2, order)
    assert image.shape == (2, 3, 4)
    assert (image == [10, 20, 30, 40 if len(data) == 4 else 255]).all()
    assert (red_canvas().image_new(bytes([7]), 1, 1, "L") == [7, 7, 7, 255]).all()


def test_blending_goes_by_the_alpha_of_the_new_pixel() -> None:
    canvas = Canvas("r/display", 2, 1)
    canvas.image_paste(np.array([[[100, 150, 200, 60], [100, 150, 200, 200]]], np.uint8))
    canvas.image_paste(np.array([[[200, 50, 0, 51], [200, 50, 0, 255]]], np.uint8), blend=True)
    assert canvas.pixels[0].tolist() == [[120, 130, 160, 111], [200, 50, 0, 255]]


def test_pictures_are_saved_and_loaded(tmp_path: Path) -> None:
    canvas = red_canvas()
    canvas.set_alpha(0.5)
    canvas.fill_rectangle(2, 2, 5, 5)
    canvas.image_save(tmp_path / "d.png")
    assert np.array_equal(canvas.image_load(tmp_path / "d.png"), canvas.pixels)
    canvas.image_save(tmp_path / "part.png", canvas.image_copy(2, 2, 3, 4))
    assert canvas.image_load(tmp_path / "part.png").shape == (4, 3, 4)
    canvas.image_save(tmp_path / "d.jpg")
    assert canvas.image_load(tmp_path / "d.jpg").shape == (16, 20, 4)


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (
            lambda c: c.set_color(0x1000000),
            "color: found 16777216, expected a whole number from 0 to 16777215",
        ),
        (lambda c: c.set_alpha(1.5), "alpha: found 1.5, expected a number from 0 to 1"),
        (lambda c: c.set_opacity(math.nan), "opacity: found nan, expected a finite number"),
        (lambda c: c.set_font("No Such Font", 8), 'font: found "No Such Font", expected a TrueType font'),
        (lambda c: c.set_font("Arial", 0), "font size: found 0, expected a whole number from 1 to 1000"),
        (lambda c: c.draw_pixel(0.5, 1), "x, y: found 0.5, expected a whole number"),
        (lambda c: c.draw_line(0, 0, 2**31, 0), "x1, y1, x2, y2: found 2147483648, expected a whole number"),
        (lambda c: c.draw_polygon([1, 2], [3]), "polygon: found 2 x and 1 y, expected as many of both"),
        (lambda c: c.image_new(b"123", 1, 2, "RGB"), "image: found 3 bytes, expected 1 × 2 × 3 = 6"),
        (lambda c: c.image_new(b"123", 1, 1, "YUV"), 'format: found "YUV", expected one of RGB, RGBA'),
        (lambda c: c.image_paste(np.zeros((2, 2))), "image: found float64 of shape (2, 2), expected uint8"),
        (lambda c: c.image_save("d.bmp"), 'file: found "d.bmp", expected a name that ends in .png or .jpg'),
        (lambda c: c.image_save("/none/d.png"), "/none/d.png: cannot be written: No such file or directory"),
        (lambda c: c.image_load("/none/d.png"), "/none/d.png: cannot be read:"),
    ],
)
def test_a_bad_command_is_refused_and_changes_nothing(command: Any, complaint: str) -> None:
    canvas = red_canvas()
    before = canvas.changes
    with pytest.raises(CommandError) as error:
        command(canvas)
    assert str(error.value).startswith("r/display: ") and complaint in str(error.value)
    assert canvas.changes == before and drawn(canvas) == set()
