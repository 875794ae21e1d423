"""Pictures on a display, sent as sensor_msgs/Image."""

from array import array
from typing import Any

import numpy as np
import pytest
from obeying import obey
from sensor_msgs.msg import Image
from std_msgs.msg import String

from ros_bridge.devices import make_bridge
from sim_core.base.errors import CommandError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 } Robot { name "r" children [ Display { name "d" width 8 height 4 } ] }"""


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, "w.wbt"))


@pytest.fixture
def display(sim: Simulation) -> Any:
    return sim.robot("r")["d"]


def picture(encoding: str, pixel: list[int], width: int = 3, height: int = 2, padding: int = 0) -> Image:
    row = pixel * width + [99] * padding
    data = array("B", row * height)
    return Image(encoding=encoding, width=width, height=height, step=len(row), data=data)


def show(sim: Simulation, message: Image) -> None:
    item, other = make_bridge(sim.robot("r")["d"]).inputs()
    assert (item.name, item.message_type) == ("image", Image)
    assert (other.name, other.message_type) == ("attach_camera", String)
    obey(sim, item, message)


@pytest.mark.parametrize(
    ("encoding", "pixel", "shown"),
    [
        ("rgb8", [1, 2, 3], (1, 2, 3, 255)),
        ("bgr8", [3, 2, 1], (1, 2, 3, 255)),
        ("rgba8", [1, 2, 3, 4], (1, 2, 3, 4)),
        ("bgra8", [3, 2, 1, 4], (1, 2, 3, 4)),
        ("mono8", [9], (9, 9, 9, 255)),
    ],
)
@pytest.mark.parametrize("padding", [0, 5])
def test_a_picture_is_shown_in_the_corner(
    sim: Simulation, display: Any, encoding: str, pixel: list[int], shown: tuple[int, ...], padding: int
) -> None:
    show(sim, picture(encoding, pixel, padding=padding))
    assert (display.canvas.pixels[:2, :3] == shown).all()
    assert (display.canvas.pixels[2:] == [0, 0, 0, 255]).all()
    assert (display.canvas.pixels[:, 3:] == [0, 0, 0, 255]).all()


def test_what_is_shown_goes_out_and_comes_back_the_same(sim: Simulation, display: Any) -> None:
    display.canvas.set_color(0x123456)
    display.canvas.fill_oval(4, 2, 3, 1)
    display.update(0)
    (output,) = make_bridge(display).outputs()
    message = output.message_type()
    output.constants(message)
    output.fill(message, display.reading)
    assert (output.name, message.width, message.height) == ("image_color", 8, 4)
    assert (message.encoding, message.step) == ("rgba8", 32)
    before = display.canvas.pixels
    display.canvas.reset_drawing()
    show(sim, message)
    assert np.array_equal(display.canvas.pixels, before)


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (
            picture("rgb16", [0] * 6),
            'found the encoding "rgb16", expected one of rgb8, bgr8, rgba8, bgra8, mono8',
        ),
        (picture("rgb8", [0] * 3, width=9), "found a picture of 9 × 2 pixels, expected at most 8 × 4"),
        (picture("rgb8", [0] * 3, height=5), "found a picture of 3 × 5 pixels, expected at most 8 × 4"),
        (Image(encoding="mono8"), "found a picture of 0 × 0 pixels"),
        (picture("rgba8", [0] * 3), "found 18 bytes in rows of 9, expected 2 rows of 12 bytes or more"),
        (
            Image(encoding="mono8", width=2, height=2, step=2, data=array("B", [1, 2, 3])),
            "found 3 bytes in rows of 2, expected 2 rows of 2 bytes",
        ),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(
    sim: Simulation, display: Any, message: Image, complaint: str
) -> None:
    before = display.canvas.changes
    with pytest.raises(CommandError) as error:
        show(sim, message)
    assert complaint in str(error.value)
    assert display.canvas.changes == before


def test_a_camera_is_attached_by_its_name_and_detached_by_none() -> None:
    text = WORLD.replace("Display", 'Camera { name "eye" } Display')
    sim = Simulation(parse_scene(text, "w.wbt"))
    robot = sim.robot("r")
    _, attach = make_bridge(robot["d"]).inputs()
    obey(sim, attach, String(data="eye"))
    assert robot["d"].screen.camera is robot["eye"]
    with pytest.raises(CommandError, match='found no camera "nose", expected "eye"'):
        obey(sim, attach, String(data="nose"))
    assert robot["d"].screen.camera is robot["eye"]
    obey(sim, attach, String(data=""))
    assert robot["d"].screen.camera is None


def test_a_range_finder_is_not_attached() -> None:
    text = WORLD.replace("Display", 'Camera { name "eye" } RangeFinder { name "depth" } Display')
    robot = Simulation(parse_scene(text, "w.wbt")).robot("r")
    robot["d"].attach_camera("eye")
    with pytest.raises(CommandError, match='found no camera "depth", expected "eye"'):
        robot["d"].attach_camera("depth")
    assert robot["d"].screen.camera is robot["eye"]
