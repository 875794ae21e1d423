"""Zoom, exposure and focus of a Camera: against the pinhole, the film and the circle of confusion."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pictures import needs_gl

from sim_core.base.errors import CommandError, DeviceError
from sim_core.devices.vision.pictures import Pictures
from sim_core.recording.viewpoint import WorldView
from sim_core.scene import parse_scene
from sim_core.sensing.picture_view import LARGEST_BLUR
from sim_core.session.simulation import Simulation

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }\n"
ZOOM = "zoom Zoom { minFieldOfView 0.2 maxFieldOfView 1.2 }"
BALLS = {"1 0 0": (3.0, 0.4, 0.2), "0 1 0": (4.0, -0.5, 0.15), "0 0 1": (2.5, 0.1, -0.25)}


def glowing(colour: str, geometry: str, place: str) -> str:
    look = f"Appearance {{ material Material {{ diffuseColor 0 0 0 emissiveColor {colour} }} }}"
    shape = f"Shape {{ appearance {look} geometry {geometry} }}"
    more = f'name "{colour} {place}" recognitionColors [ {colour} ]'
    return f"Solid {{ {more} translation {place} children {shape} }}\n"


def simulation(nodes: str, camera: str) -> Simulation:
    return Simulation(
        parse_scene(f'{HEAD}{nodes} Robot {{ name "r" children [ Camera {{ {camera} }} ] }}', "w.wbt")
    )


def balls() -> str:
    return "".join(
        glowing(colour, "Sphere { radius 0.04 }", " ".join(map(str, place)))
        for colour, place in BALLS.items()
    )


def to_light(values: Any) -> Any:
    """Return the light for the numbers of a picture, 0 to 254."""
    return -np.log(1.0 - (np.asarray(values, float) / 255.0) ** 2.2)


def check_balls(reading: Any, width: int, height: int, angle: float) -> None:
    focal = width / (2.0 * math.tan(angle / 2.0))
    assert reading.view.horizontal == angle
    for channel, (x, y, z) in zip((2, 1, 0), BALLS.values(), strict=True):
        rows, columns = np.nonzero(reading.value[..., channel] > 127)
        assert len(rows) > 10
        assert columns.mean() == pytest.approx((width - 1) / 2.0 - focal * y / x, abs=0.5)
        assert rows.mean() == pytest.approx((height - 1) / 2.0 - focal * z / x, abs=0.5)


@needs_gl
@pytest.mark.parametrize("more", ["", "antiAliasing TRUE lens Lens { radialCoefficients 1e-9 0 }"])
def test_zoomed_balls_are_where_the_pinhole_puts_them(more: str) -> None:
    sim = simulation(
        balls(), f"width 320 height 240 fieldOfView 1 {ZOOM} recognition Recognition {{ }} {more}"
    )
    camera = sim.robot("r")["camera"]
    for angle in (1.0, 0.5, 0.9):
        if angle != camera.fov:
            camera.set_fov(angle)
        sim.step()
        check_balls(camera.reading, 320, 240, angle)
        focal = 160.0 / math.tan(angle / 2.0)
        for item, (x, y, _) in zip(camera.reading.objects, BALLS.values(), strict=True):
            left, _, right, _ = item.image
            assert 320.0 * (left + right) / 2.0 == pytest.approx(160.0 - focal * y / x, abs=0.1)
    sim.reset()
    assert camera.fov == 1.0
    sim.step()
    check_balls(camera.reading, 320, 240, 1.0)
    sim.close()


@needs_gl
def test_a_round_picture_zooms_too() -> None:
    """Columns at equal angles: fieldOfView/width each."""
    sim = simulation(
        glowing("1 1 1", "Sphere { radius 0.05 }", "2 1 0"),
        'width 200 height 200 projection "spherical" fieldOfView 3 zoom Zoom { maxFieldOfView 6 }',
    )
    camera = sim.robot("r")["camera"]
    for angle in (3.0, 2.0, 5.0):
        camera.set_fov(angle)
        sim.step()
        _, columns = np.nonzero(camera.value[..., 0] > 127)
        assert columns.mean() == pytest.approx(99.5 - math.atan2(1.0, 2.0) / (angle / 200.0), abs=0.5)
    sim.close()


@needs_gl
def test_a_picture_that_comes_late_knows_the_angle_it_was_drawn_with() -> None:
    sim = simulation(balls(), f"width 320 height 240 fieldOfView 1 {ZOOM}")
    camera = sim.robot("r")["camera"]
    readings: list[Any] = []
    camera.add_listener(readings.append)
    camera.waits = False
    sim.step()  # asks for a picture at 1 rad
    camera.set_fov(0.5)
    while len(readings) < 2:
        sim.step()
    sim.close()
    check_balls(readings[0], 320, 240, 1.0)
    check_balls(readings[1], 320, 240, 0.5)


@needs_gl
def test_the_picture_takes_in_light_as_film_does() -> None:
    """(1 - exp(-exposure·light))^(1/2.2) of a wall that emits the light of sRGB 0.8."""
    sim = simulation(glowing("0.8 0.8 0.8", "Box { size 0.1 9 9 }", "3 0 0"), "")
    camera = sim.robot("r")["camera"]
    light = ((0.8 + 0.055) / 1.055) ** 2.4
    for exposure in (0.3, 1.0, 2.5):
        camera.set_exposure(exposure)
        assert camera.exposure == exposure
        sim.step()
        assert to_light(camera.value[32, 32, 0]) == pytest.approx(exposure * light, rel=0.015)
    sim.close()


FOCUS = "focus Focus {{ focalDistance {} focalLength 0.5 minFocalDistance 0.1 maxFocalDistance 2 }}"


@pytest.fixture(scope="module")
def point() -> Iterator[Simulation]:
    """Return a ball of one pixel at 1 m, seen by a camera with a focus and by one without."""
    # 0.01 m is 0.78 pixels at 1 m: with an odd number of pixels it covers the middle one alone.
    nodes = glowing("1 1 1", "Sphere { radius 0.01 }", "1.01 0 0")
    sharp = 'Robot { name "sharp" children [ Camera { width 65 height 65 } ] }'
    sim = simulation(nodes + sharp, "width 65 height 65 " + FOCUS.format(0.1))
    yield sim
    sim.close()


@needs_gl
@pytest.mark.parametrize("distance", [0.1, 0.5, 0.6, 0.7, 0.8, 1.2, 1.35, 1.4, 1.5, 2.0])
def test_a_point_becomes_a_disc_of_the_circle_of_confusion(point: Simulation, distance: float) -> None:
    point.robot("r")["camera"].set_focal_distance(distance)
    point.step()
    blurred, sharp = (to_light(point.robot(name)["camera"].value[..., 0]) for name in ("r", "sharp"))
    expected = LARGEST_BLUR * min(1.0, abs(1.0 - distance) / 0.5)
    assert (sharp > 0.0).sum() == 1 and sharp[32, 32] > 0.0
    lit = blurred > 0.0
    rows, columns = np.nonzero(lit)
    # The largest extent, between middles of pixels: one less to one more than the diameter.
    extent = 2.0 * np.hypot(rows - 32, columns - 32).max()
    assert extent == pytest.approx(expected, abs=1.01)
    # A disc of even brightness: the mean squared distance from its middle is a half of its radius squared.
    square = (rows - 32.0) ** 2 + (columns - 32.0) ** 2
    spread = (square * blurred[lit]).sum() / blurred.sum()
    assert 2.0 * math.sqrt(2.0 * spread) == pytest.approx(expected, abs=0.5)
    assert blurred.sum() == pytest.approx(sharp.sum(), rel=0.15)  # the light is all there


@needs_gl
def test_what_is_in_focus_is_unchanged_and_distance_0_is_all_sharp() -> None:
    """A wall with edges and colours at the focal distance, before a far one of another colour."""
    nodes = "".join(
        glowing(f"{0.1 * k} {1 - 0.1 * k} 0.4", "Box { size 0.1 0.08 0.3 }", f"1.05 {0.08 * k - 0.36} 0")
        for k in range(10)
    )
    nodes += glowing("1 1 0.2", "Box { size 0.1 9 9 }", "3 0 0")
    nodes += glowing("0.2 1 1", "Box { size 0.1 0.2 9 }", "2 0.2 0")
    others = "".join(
        f'Robot {{ name "{name}" children [ Camera {{ width 160 height 120 {more} }} ] }}'
        for name, more in (("without", ""), ("all sharp", FOCUS.format(0.0)))
    )
    sim = simulation(nodes + others, "width 160 height 120 " + FOCUS.format(1.0))
    camera = sim.robot("r")["camera"]
    sim.step()
    clear = sim.robot("without")["camera"].value
    assert (sim.robot("all sharp")["camera"].value == clear).all()
    focal = 80.0 / math.tan(0.785398 / 2.0)
    rows, columns = np.mgrid[0:120, 0:160]
    wall = (np.abs(rows - 59.5) < focal * 0.15) & (np.abs(columns - 79.5) < focal * 0.4)
    assert (camera.value[wall] == clear[wall]).all()
    assert (camera.value[~wall] != clear[~wall]).any()  # the edges of the far ones
    camera.set_focal_distance(1.5)
    sim.step()
    assert (camera.value[wall] != clear[wall]).any(axis=1).mean() > 0.3
    sim.reset()
    sim.step()
    assert (camera.value[wall] == clear[wall]).all()
    sim.close()


@needs_gl
def test_snapshots_hold_the_settings() -> None:
    sim = simulation(balls(), f"width 160 height 120 fieldOfView 1 {ZOOM} {FOCUS.format(1.0)}")
    camera = sim.robot("r")["camera"]

    def settings() -> tuple[float, ...]:
        return camera.fov, camera.exposure, camera.focal_distance

    camera.set_fov(0.6)
    camera.set_exposure(2.0)
    camera.set_focal_distance(2.0)
    sim.step()
    there = sim.snapshot()
    sim.step()
    seen, was = camera.value.copy(), settings()
    camera.set_fov(1.1)
    camera.set_exposure(0.2)
    camera.set_focal_distance(0.3)
    sim.step()
    assert (camera.value != seen).any()
    sim.restore(there)
    assert settings() == was == (0.6, 2.0, 2.0)
    sim.step()
    assert (camera.value == seen).all()
    sim.reset()
    assert settings() == (1.0, 1.0, 1.0)
    sim.close()


@pytest.mark.parametrize(
    ("method", "value", "said"),
    [
        ("set_fov", 0.1, "r.camera.fov: found 0.1, expected 0.2 to 1.2 rad"),
        ("set_fov", math.nan, "r.camera.fov: found nan, expected a finite number"),
        ("set_exposure", 0.0, "r.camera.exposure: found 0, expected a number above 0"),
        ("set_exposure", math.inf, "r.camera.exposure: found inf, expected a finite number"),
        ("set_focal_distance", 2.5, "r.camera.focal_distance: found 2.5, expected 0.1 to 2 m"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(method: str, value: float, said: str) -> None:
    sim = simulation("", f"fieldOfView 1 {ZOOM} {FOCUS.format(1.0)}")
    camera = sim.robot("r")["camera"]
    view = camera.view
    with pytest.raises(CommandError, match=f"^{said}$"):
        getattr(camera, method)(value)
    assert camera.view is view and camera.focal_distance == 1.0


def test_the_narrowest_zoom_can_be_drawn() -> None:
    sim = simulation("", "fieldOfView 1 zoom Zoom { minFieldOfView 0 maxFieldOfView 1.2 }")
    camera = sim.robot("r")["camera"]
    with pytest.raises(CommandError, match=r"found 0, expected 1e-06 to 1\.2 rad"):
        camera.set_fov(0.0)
    camera.set_fov(1e-6)
    sim.step()
    assert camera.fov == 1e-6 and camera.value.any()  # one colour of the sky, but a picture
    sim.close()


def test_a_camera_without_zoom_or_focus_says_so() -> None:
    camera = simulation("", "").robot("r")["camera"]
    assert (camera.zoom, camera.focal_limits, camera.focal_distance) == (None, None, 0.0)
    with pytest.raises(CommandError, match="found a camera without zoom, expected a Zoom node"):
        camera.set_fov(0.7)
    with pytest.raises(CommandError, match="found a camera without focus, expected a Focus node"):
        camera.set_focal_distance(0.7)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("zoom Zoom { minFieldOfView 1 maxFieldOfView 0.5 }", "Zoom.maxFieldOfView: found 0.5"),
        ("zoom Zoom { maxFieldOfView 3.2 }", "Zoom.maxFieldOfView: found 3.2"),
        ("zoom Zoom { minFieldOfView -1 }", "Zoom.minFieldOfView: found -1.0"),
        ("focus Focus { focalLength -1 }", "Focus.focalLength: found -1.0"),
        ("focus Focus { minFocalDistance 2 maxFocalDistance 1 }", "Focus.maxFocalDistance: found 1.0"),
    ],
)
def test_nodes_that_cannot_be_are_refused_with_their_place(fields: str, said: str) -> None:
    with pytest.raises(DeviceError, match=rf"w.wbt:3:\d+: {said}, expected"):
        simulation("", fields)


def test_focus_of_a_round_picture_is_said_to_have_no_effect() -> None:
    sim = simulation("", 'projection "spherical" ' + FOCUS.format(1.0))
    (warning,) = sim.robot("r")["camera"].warnings
    assert "Camera.focus" in str(warning) and "planar" in str(warning)


@needs_gl
def test_a_shot_through_a_camera_is_zoomed_as_the_camera_is() -> None:
    """Zooming adds no new views, for each of which the renderer would restart."""
    sim = simulation(balls(), f"width 320 height 240 fieldOfView 1 {ZOOM}")
    camera = sim.robot("r")["camera"]
    shots = WorldView(sim, camera="r/camera")
    for angle in (1.0, 0.5, 0.8):
        camera.set_fov(angle)
        picture = shots.picture()
        focal = 160.0 / math.tan(angle / 2.0)
        for channel, (x, y, z) in enumerate(BALLS.values()):
            rows, columns = np.nonzero(picture[..., channel] > 127)
            assert columns.mean() == pytest.approx(159.5 - focal * y / x, abs=0.5)
            assert rows.mean() == pytest.approx(119.5 - focal * z / x, abs=0.5)
        assert (WorldView(sim, camera="r/camera").picture() == picture).all()
    assert len(sim.media.of(Pictures).views) == 2
    sim.close()
