"""Views of the world: the file's Viewpoint, the sides, and the orthographic projection."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ros_bridge.viewer.scene.views import (
    FLAT_FOV,
    SIDES,
    ViewerCamera,
    from_side,
    from_viewpoint,
    home_view,
    is_orthographic,
    project,
    restore,
    sees,
    set_clipping,
    show,
)
from ros_bridge.viewer.tree.outline import ViewpointOutline

viser = pytest.importorskip("viser", reason="needs the Python package viser")
QUARTER_LEFT = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))


@pytest.fixture
def camera() -> Any:
    """viser's camera of a browser that does not answer."""
    deaf = SimpleNamespace(_websock_connection=SimpleNamespace(queue_message=lambda message: None))
    made = viser.CameraHandle(deaf)
    state = made._state
    state.update_timestamp, state.fov = 1.0, math.radians(75.0)
    state.image_width, state.image_height = 1920, 1080
    state.position, state.look_at = np.array((10.0, 0.0, 0.0)), np.zeros(3)
    state.up_direction = np.array((0.0, 0.0, 1.0))
    return made


def height_of_picture(camera: Any) -> float:
    """Return the width of the picture at the target, m."""
    return 2.0 * float(np.linalg.norm(camera.position - camera.look_at)) * math.tan(camera.fov / 2.0)


def test_what_is_at_the_target_keeps_its_size_and_what_is_nearer_is_no_larger(camera):
    before = height_of_picture(camera)
    project(camera, True)
    assert is_orthographic(camera)
    assert height_of_picture(camera) == pytest.approx(before)
    away = float(np.linalg.norm(camera.position))
    assert away / (away - before) < 1.02  # one height of the picture nearer
    assert camera.near < away - 20.0 * before < away + 20.0 * before < camera.far
    camera.position = camera.position / 30.0  # the wheel; the target stays
    camera.look_at = (0.0, 0.0, 0.0)
    set_clipping(camera)
    assert camera.near < away / 30.0 < camera.far
    project(camera, False)
    assert camera.fov == pytest.approx(math.radians(75.0))
    assert height_of_picture(camera) == pytest.approx(before / 30.0)
    assert camera.near < 0.1


def test_the_sides_are_those_of_what_is_looked_at(camera):
    turned = {side: from_side(side, (1.0, 2.0, 3.0, *QUARTER_LEFT), 5.0) for side in SIDES}
    for side, away in {
        "Front": (0, 5, 0),
        "Left": (-5, 0, 0),
        "Top": (0, 0, 5),
        "Bottom": (0, 0, -5),
    }.items():
        assert np.subtract(turned[side].eye, (1.0, 2.0, 3.0)) == pytest.approx(away, abs=0.001)
    project(camera, True)
    show(camera, turned["Right"])
    assert is_orthographic(camera)
    assert height_of_picture(camera) == pytest.approx(2.0 * 5.0 * math.tan(math.radians(37.5)))


def test_the_viewpoint_is_restored_in_perspective(camera):
    """It looks along its x axis; a field of view is that of the longer side between the panels."""
    project(camera, True)
    view = from_viewpoint(ViewpointOutline((1.0, -8.0, 2.0, *QUARTER_LEFT), 0.8), (0.0, 0.0, 0.0))
    assert view.target == pytest.approx((1.0, 0.0, 2.0))  # as deep as the middle of the world
    assert view.up == (0.0, 0.0, 1.0)
    restore(camera, view)
    assert not is_orthographic(camera)
    assert camera.position == pytest.approx((1.0, -8.0, 2.0))
    width = camera.image_width
    assert math.tan(camera.fov / 2.0) * width / camera.image_height == pytest.approx(math.tan(0.4))
    half = math.sqrt(0.5)
    rolled = from_viewpoint(ViewpointOutline((0.0, 0.0, 0.0, half, 0.0, 0.0, half), 0.8), (5.0, 0.0, 0.0))
    assert rolled.up == pytest.approx((0.0, -1.0, 0.0))  # a quarter turn about the line of sight
    assert camera.fov > FLAT_FOV


@pytest.mark.parametrize(
    ("target", "low", "high", "expected"),
    [
        ((1, 0, 0), (5, -0.1, -0.1), (5.1, 0.1, 0.1), True),  # a small box in the distance
        ((-1, 0, 0), (5, -0.1, -0.1), (5.1, 0.1, 0.1), False),  # behind
        ((1, 0, 0), (5, 3, -0.1), (5.1, 3.1, 0.1), False),  # beside: 31° off, the view has 23°
        ((1, 0, 0), (5, 1.9, -0.1), (5.1, 2, 0.1), True),  # 21° off
        ((0, 0, -1), (-500, -500, -2), (500, 500, -2), True),  # a floor of which no corner is in sight
        ((0, 0, 1), (-500, -500, -2), (500, 500, -2), False),
        ((0, 1, 0), (-5, -5, -5), (5, 5, 5), True),  # from inside
    ],
)
def test_a_view_knows_whether_it_sees_a_box(target, low, high, expected):
    assert sees(ViewerCamera((0.0, 0.0, 0.0), target, field_of_view=math.pi / 4), low, high) is expected


def test_a_viewpoint_that_sees_nothing_is_replaced_by_a_view_of_all():
    surround = {"low": [-1.0, -1.0, 0.0], "high": [1.0, 1.0, 0.5]}
    ahead = ViewpointOutline((-5.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0), 0.8)
    assert home_view(surround, ahead).eye == (-5.0, 0.0, 0.3)
    away = ViewpointOutline((5.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0), 0.8)
    view = home_view(surround, away)
    assert view == home_view(surround, None)
    assert sees(view, surround["low"], surround["high"])
