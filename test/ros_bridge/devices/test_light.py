"""LEDs are set over ROS, seen in the markers and by light sensors."""

from typing import Any

import pytest
from obeying import obey
from sensor_msgs.msg import Illuminance
from std_msgs.msg import Float64, Int32
from visualization_msgs.msg import MarkerArray

from ros_bridge.composites.markers import MarkersFiller
from ros_bridge.devices import make_bridge
from sim_core.base.errors import CommandError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot { name "r" children [
  LightSensor { name "ls" lookupTable [ 0 0 0, 1 500 0 ] }
  LED { name "led" gradual TRUE color [ ] children Group { children [
    Shape { appearance PBRAppearance { baseColor 0.2 0.4 0.6 transparency 0.25 } geometry Box { } }
    PointLight { location 2 0 0 attenuation 0 0 1 } ] } }
  Shape { appearance PBRAppearance { baseColor 1 1 0 } geometry Box { } } ] }"""


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, "w.wbt"))


def set_led(sim: Simulation, value: int) -> None:
    (item,) = make_bridge(sim.robot("r")["led"]).inputs()
    assert (item.name, item.message_type) == ("", Int32)
    obey(sim, item, Int32(data=value))
    sim.step()


def test_illuminance_is_lux_and_the_value_is_the_tables(sim: Simulation) -> None:
    set_led(sim, 0xFFFFFF)
    device: Any = sim.robot("r")["ls"]
    device.update(sim.time_ns)
    messages = {}
    for output in make_bridge(device).outputs():
        messages[output.name] = message = output.message_type()
        output.fill(message, device.reading)
    assert isinstance(messages[""], Illuminance) and isinstance(messages["value"], Float64)
    assert messages[""].illuminance == pytest.approx(120.0 / 4.0)  # 1/d² at 2 m, 120 lm/W
    assert messages[""].variance == 0.0
    assert messages["value"].data == pytest.approx(125.0)


def test_a_value_past_the_range_is_refused(sim: Simulation) -> None:
    with pytest.raises(CommandError, match="expected a whole number from 0 to 16777215"):
        set_led(sim, -1)


def test_the_markers_of_its_shapes_take_the_colour_of_its_light(sim: Simulation) -> None:
    markers, message = MarkersFiller(sim), MarkerArray()

    def colours() -> list[tuple[float, ...]]:
        markers.fill(message, sim.time_ns)
        return [(m.color.r, m.color.g, m.color.b, m.color.a) for m in message.markers]

    dark, other = (0.2, 0.4, 0.6, 0.75), (1.0, 1.0, 0.0, 1.0)
    assert colours() == [pytest.approx(dark), other]
    set_led(sim, 0xFF8000)
    assert colours() == [pytest.approx((1.0, 128 / 255, 0.0, 0.75)), other]
    set_led(sim, 0x330000)  # a fifth of full red: four fifths of its own colour are left
    assert colours() == [pytest.approx((0.36, 0.32, 0.48, 0.75)), other]
    sim.reset()
    assert colours() == [pytest.approx(dark), other]
