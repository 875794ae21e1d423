"""Display: when readings are made, and which commands are refused."""

from __future__ import annotations

from typing import Any

import pytest

from sim_core.base.errors import CommandError, DeviceError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation


def make(fields: str = "width 8 height 4") -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }} Robot {{ name "r" children [ Display {{ name "d" {fields} }} ] }}"""
    return Simulation(parse_scene(text, "w.wbt"))


def display_of(sim: Simulation) -> Any:
    return sim.robot("r")["d"]


def test_it_is_read_when_it_has_changed_and_once_in_a_second() -> None:
    sim = make()
    display = display_of(sim)
    times: list[int] = []
    display.add_listener(lambda reading: times.append(reading.time_ns // 10_000_000))
    sim.step(50)
    display.canvas.draw_pixel(1, 2)
    sim.step(250)
    assert times == [1, 51, 151, 251]
    assert display.value.shape == (4, 8, 4)
    assert display.value[2, 1].tolist() == [255] * 4
    assert display.value is not display.canvas.pixels


def test_who_comes_to_look_sees_it_at_once() -> None:
    sim = make()
    display = display_of(sim)
    wanted = True
    display.demand = lambda: wanted
    sim.step(5)
    wanted = False
    sim.step(5)
    wanted = True
    sim.step()
    assert display.reading.time_ns == 110_000_000


def test_a_reset_makes_it_black() -> None:
    sim = make()
    display = display_of(sim)
    display.canvas.set_color(0xFF0000)
    display.canvas.fill_rectangle(0, 0, 8, 4)
    sim.step(2)
    sim.reset()
    assert display.reading is None
    sim.step()
    assert (display.value == [0, 0, 0, 255]).all()
    display.canvas.draw_pixel(0, 0)
    assert display.canvas.pixels[0, 0].tolist() == [255] * 4  # in white


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [("width 0", "Display.width: found 0"), ("height 20000", "Display.height: found 20000")],
)
def test_bad_fields_are_refused_by_name(fields: str, complaint: str) -> None:
    with pytest.raises(DeviceError, match=rf"w\.wbt:.*{complaint}, expected a whole number from 1 to 16384"):
        make(fields)


def test_images_have_numbers_until_they_are_deleted_or_their_owner_is_gone() -> None:
    sim = make()
    display = display_of(sim)
    display.image_new(7, bytes(range(12)), 2, 2, "RGB")
    snapshot = sim.snapshot()
    display.image_delete(7)
    with pytest.raises(CommandError, match="no image 7, it was deleted or could not be made"):
        display.image_paste(7, 1, 0, False)
    sim.restore(snapshot)
    sim.reset()
    display.image_paste(7, 1, 0, False)
    assert display.canvas.pixels[1, 2].tolist() == [9, 10, 11, 255]
    display.image_copy(8, 2, 1, 1, 1)
    display.commands["fill_rectangle"].execute(display, {"x": 0, "y": 0, "width": 8, "height": 4})
    display.image_paste(8, 0, 0, False)
    assert display.canvas.pixels[0, :2].tolist() == [[9, 10, 11, 255], [255] * 4]
    display.on_new_controller()
    assert not display.images
