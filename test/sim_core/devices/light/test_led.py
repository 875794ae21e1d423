"""LED: the meaning of its value, and its lights and shapes."""

from __future__ import annotations

from typing import Any

import pytest

from sim_core.base.errors import CommandError, DeviceError
from sim_core.scene import parse_scene, write_scene
from sim_core.session.simulation import Simulation

LAMP = """DEF LAMP Group { children [
  Shape { appearance PBRAppearance { } geometry Sphere { radius 0.1 } }
  Pose { translation 2 0 0 children [ PointLight { color 1 1 1 on TRUE } ] }
  Shape { appearance Appearance { material Material { } } geometry Sphere { radius 0.1 } }
  Shape { geometry Sphere { radius 0.1 } } ] }"""


def make(fields: str = "", child: str = LAMP, more: str = "") -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }}
    Robot {{ name "r" children [ LED {{ name "led" {fields} children [ {child} {more} ] }}
      LightSensor {{ name "ls" lookupTable [ ] }} ] }}"""
    return Simulation(parse_scene(text, "w.wbt"))


def led_of(sim: Simulation) -> Any:
    return sim.robot("r")["led"]


@pytest.mark.parametrize(
    ("fields", "value", "colour"),
    [
        ("", 1, (1, 0, 0)),
        ("color [ 1 0 0, 0 0.5 1 ]", 2, (0, 0.5, 1)),
        ("color [ 1 0 0, 0 0.5 1 ]", 0, (0, 0, 0)),
        ("gradual TRUE color [ 1 0.5 0 ]", 255, (1, 0.5, 0)),
        ("gradual TRUE color [ 1 0.5 0 ]", 51, (0.2, 0.1, 0)),
        ("gradual TRUE color [ ]", 0xFF8000, (1, 128 / 255, 0)),
        ("gradual TRUE color [ ]", 0x000001, (0, 0, 1 / 255)),
    ],
)
def test_the_value_says_the_colour(fields: str, value: int, colour: tuple[float, ...]) -> None:
    sim = make(fields)
    led = led_of(sim)
    led.set(value)
    assert led.value == value
    assert led.colour == (0, 0, 0)  # a command takes effect in the next step
    sim.step()
    assert led.colour == pytest.approx(colour)


def test_its_light_is_seen_by_light_sensors_in_its_colour() -> None:
    sim = make("gradual TRUE color [ ]")
    sensor = sim.robot("r")["ls"]
    sensor.enabled = True
    sim.set_sampling_period(sensor, 0.01)
    sim.step()
    assert sensor.value == 0.0  # off, though the light's own `on` is TRUE
    led_of(sim).set(0x3366FF)
    sim.step()
    assert sensor.value == pytest.approx((0x33 + 0x66 + 0xFF) / 255 / 3)
    led_of(sim).set(0)
    sim.step()
    assert sensor.value == 0.0


def test_only_the_first_child_shines() -> None:
    sim = make(more="PointLight { location 2 0 0 }")
    led = led_of(sim)
    looks = {node.id: node.type_name for node in sim.scene.walk()}
    assert [looks[node] for node in led.appearances] == ["PBRAppearance", "Appearance"]
    assert len(led.lights) == 1
    shape = make(child="Shape { appearance PBRAppearance { } geometry Sphere { } }")
    assert len(led_of(shape).appearances) == 1
    light = make(child="SpotLight { }")
    assert len(led_of(light).lights) == 1


def test_a_reset_turns_it_off_and_the_scene_never_changes() -> None:
    sim = make()
    before = write_scene(sim.scene)
    led = led_of(sim)
    led.set(1)
    sim.step(2)
    assert sim.robot("r")["ls"].sample(sim.time_ns).value == pytest.approx(1 / 3)
    assert write_scene(sim.scene) == before
    sim.reset()
    assert (led.value, led.colour) == (0, (0, 0, 0))
    sim.step()
    assert sim.robot("r")["ls"].sample(sim.time_ns).value == 0.0


@pytest.mark.parametrize(
    ("fields", "value", "expected"),
    [
        ("", 2, "from 0 to 1"),
        ("", -1, "from 0 to 1"),
        ("", 0.5, "from 0 to 1"),
        ("gradual TRUE", 256, "from 0 to 255"),
        ("gradual TRUE color [ ]", 0x1000000, "from 0 to 16777215"),
    ],
)
def test_a_value_out_of_range_is_refused(fields: str, value: Any, expected: str) -> None:
    sim = make(fields)
    led = led_of(sim)
    led.set(1)
    with pytest.raises(CommandError, match=f"r/led: found {value}, expected a whole number {expected}"):
        led.set(value)
    assert led.value == 1


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ("gradual TRUE color [ 1 0 0, 0 1 0 ]", "LED.color: found 2 colours of a gradual LED, expected one"),
        ("color [ 1 0 0, 0 2 0 ]", r"LED.color\[1\]: found \(0.0, 2.0, 0.0\), expected red, green and blue"),
    ],
)
def test_bad_fields_are_refused_by_name(fields: str, complaint: str) -> None:
    with pytest.raises(DeviceError, match=rf"w\.wbt:.*{complaint}"):
        make(fields)
