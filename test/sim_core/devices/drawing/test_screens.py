"""A camera attached to a display: shown = a·drawn + (1 - a)·picture (Webots reference, Display)."""

from typing import Any

import numpy as np
import pytest
from pictures import needs_gl

from sim_core.base.errors import CommandError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

BALL = """Solid { translation 2 0.3 0.2 children Shape {
  appearance Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 0.5 0.2 } }
  geometry Sphere { radius 0.4 } } }"""


def simulation(size: str = "width 32 height 24", camera: str = "", screen: str = "") -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 10 }} {BALL}
Robot {{ name "r" children [
  Camera {{ name "eye" width 32 height 24 {camera} }} Display {{ name "d" {size} {screen} }} ] }}"""
    return Simulation(parse_scene(text, "w.wbt"))


def seen(camera: Any) -> np.ndarray:
    """Return red, green, blue of the camera's last picture."""
    value = camera.value
    return np.repeat(value[..., None], 3, axis=2) if value.ndim == 2 else value[..., 2::-1]


@needs_gl
@pytest.mark.parametrize("more", ["", 'type "black and white"'])
def test_the_cameras_pictures_are_behind_what_is_drawn(more: str) -> None:
    sim = simulation(camera=more)
    camera, display = sim.robot("r")["eye"], sim.robot("r")["d"]
    display.canvas.set_color(0x000000)
    display.canvas.fill_rectangle(0, 0, 32, 24)  # gone when the camera comes
    display.attach_camera("eye")
    display.canvas.set_color(0x00FF00)
    display.canvas.fill_rectangle(4, 4, 6, 3)
    display.canvas.set_alpha(0.4)  # 102 of 255
    display.canvas.fill_rectangle(14, 10, 8, 8)
    for _ in range(2):
        sim.step()
        behind = seen(camera).astype(float)
        assert len(np.unique(behind)) > 1
        expected = behind.copy()
        expected[4:7, 4:10] = (0, 255, 0)
        expected[10:18, 14:22] = 0.4 * np.array([0, 255, 0]) + 0.6 * behind[10:18, 14:22]
        display.update(sim.time_ns)
        shown = display.value
        assert np.abs(shown[..., :3] - expected).max() <= 0.51
        assert (shown[..., 3] == 255).all()
    display.detach_camera()
    shown = display.screen.pixels
    assert (shown[4:7, 4:10] == (0, 255, 0, 255)).all()
    assert (shown[10:18, 14:22] == (0, 255, 0, 102)).all()
    assert (shown[:4, :, 3] == 0).all()
    sim.close()


@needs_gl
def test_pictures_are_stretched_over_the_whole_display() -> None:
    sim = simulation("width 64 height 48")
    camera, display = sim.robot("r")["eye"], sim.robot("r")["d"]
    display.attach_camera("eye")
    sim.step()
    large, small = display.screen.pixels[..., 0] > 127, seen(camera)[..., 0] > 127
    sim.close()
    rows, columns = np.nonzero(small)
    # The middle of pixel k of the small picture, at k + 0.5, is at 2k + 1 in one twice as large.
    assert np.argwhere(large).mean(axis=0) + 0.5 == pytest.approx(
        (2 * rows.mean() + 1, 2 * columns.mean() + 1), abs=0.3
    )


@needs_gl
def test_a_camera_that_is_shown_makes_pictures_though_nobody_listens() -> None:
    sim = simulation()
    camera, display = sim.robot("r")["eye"], sim.robot("r")["d"]
    camera.demand = lambda: False
    sim.step()
    assert camera.reading is None
    display.attach_camera("eye")
    there = sim.snapshot()
    sim.step()
    assert camera.reading.time_ns == sim.time_ns
    first = display.screen.pixels
    display.detach_camera()
    sim.step()
    assert camera.reading.time_ns < sim.time_ns
    sim.restore(there)
    sim.step()
    assert camera.reading.time_ns == sim.time_ns
    assert (display.screen.pixels == first).all()
    sim.reset()
    assert display.screen.camera is None
    assert (display.screen.pixels == (0, 0, 0, 255)).all()
    sim.close()


@needs_gl
def test_another_camera_sees_what_the_display_shows() -> None:
    """The display hangs behind the robot, and a second camera looks at it."""
    screen = """translation -1 0 0 rotation 0 0 1 3.14159265 children Shape {
      appearance Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 1 1 }
        texture ImageTexture { filtering 0 } } geometry Box { size 0.01 0.8 0.6 } }"""
    back = '} Camera { name "back" rotation 0 0 1 3.14159265 width 64 height 64'
    sim = simulation(camera=back, screen=screen)
    robot = sim.robot("r")
    robot["d"].attach_camera("eye")
    for _ in range(2):
        sim.step()
    shown, pictured = seen(robot["eye"])[..., 0] > 100, robot["back"].value[..., 2] > 100
    sim.close()
    rows, columns = np.nonzero(pictured)
    assert len(rows) > 50
    # The screen is 0.8 m wide at 0.995 m: 64/(2·tan(0.3927))·0.8/0.995 = 62 pixels for 32.
    scale = 64.0 / (2.0 * np.tan(0.785398 / 2.0)) * 0.8 / 0.995 / 32.0
    there = np.argwhere(shown).mean(axis=0) - (11.5, 15.5)
    assert (rows.mean() - 31.5, columns.mean() - 31.5) == pytest.approx(tuple(scale * there), abs=1.0)


@needs_gl
def test_what_was_drawn_before_the_camera_came_stays() -> None:
    """Only opaque black becomes transparent (Webots, display_attach_camera)."""
    sim = simulation()
    camera, display = sim.robot("r")["eye"], sim.robot("r")["d"]
    display.canvas.set_color(0x00FF00)
    display.canvas.fill_rectangle(0, 0, 16, 24)
    display.attach_camera("eye")
    sim.step()
    shown, behind = display.screen.pixels, seen(camera)
    sim.close()
    assert (shown[:, :16] == (0, 255, 0, 255)).all()
    assert (shown[:, 16:, :3] == behind[:, 16:]).all()


def test_a_camera_that_is_not_there_is_refused() -> None:
    display = simulation().robot("r")["d"]
    with pytest.raises(
        CommandError, match=r'^found no camera "eyes", expected "eye" \(did you mean "eye"\?\)$'
    ):
        display.attach_camera("eyes")
    assert display.screen.camera is None
