"""LightSensor against the formulas of its manual: E = 1/3·Σ att·(F·C)·(Iₐ + I·spot·cos φ)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_core.base.errors import DeviceError
from sim_core.base.geometry import Pose

HALF_TURN = 3.141592653589793


def world(sensor: str, around: str, robot: str = "") -> str:
    """Return a sensor at the origin that looks along x, with a table that returns the irradiance."""
    table = "" if "lookupTable" in sensor else "lookupTable [ ]"
    children = f'[ LightSensor {{ name "ls" {table} {sensor} }} {robot} ]'
    return f'WorldInfo {{ basicTimeStep 10 }} DEF R Robot {{ name "r" children {children} }} {around}'


def read(rig, text: str):
    each = rig(text)
    each.step()
    return each["ls"].reading


@pytest.mark.parametrize("a", [(1, 0, 0), (0, 0, 1), (0, 0, 4 * math.pi), (0.5, 0.25, 2), (0, 0, 0)])
@pytest.mark.parametrize("distance", [0.5, 2.0, 7.0])
def test_a_point_light_is_attenuated_with_the_distance(rig, a: tuple[float, ...], distance: float) -> None:
    light = f"PointLight {{ location {distance} 0 0 intensity 3 attenuation {a[0]} {a[1]} {a[2]} }}"
    divisor = a[0] + a[1] * distance + a[2] * distance**2 if any(a) else 1.0
    reading = read(rig, world("", light))
    assert reading.irradiance == pytest.approx(3.0 / divisor, rel=1e-12)
    assert reading.value == reading.irradiance and reading.time_ns == 10_000_000


@pytest.mark.parametrize("degrees", [0, 30, 60, 89, 91, 150])
def test_light_from_the_side_counts_with_the_cosine_and_from_behind_not(rig, degrees: float) -> None:
    angle = math.radians(degrees)
    light = f"PointLight {{ location {2 * math.cos(angle)} {2 * math.sin(angle)} 0 }}"
    assert read(rig, world("", light)).irradiance == pytest.approx(max(0.0, math.cos(angle)), abs=1e-12)


def test_a_directional_light_shines_along_the_worlds_axes_at_any_distance(rig) -> None:
    turned = "Pose { rotation 0 0 1 1 children [ DirectionalLight { direction -2 0 -2 intensity 5 } ] }"
    reading = read(rig, world("translation 50 0 0", turned))
    assert reading.irradiance == pytest.approx(5.0 * math.sqrt(0.5), rel=1e-12)


@pytest.mark.parametrize(
    ("degrees", "factor"), [(0, 1.0), (19, 1.0), (30, 2 / 3), (40, 1 / 3), (49.9, 0.1 / 30), (51, 0.0)]
)
def test_a_spot_light_falls_linearly_from_beam_width_to_cut_off(rig, degrees: float, factor: float) -> None:
    beam, cut, angle = math.radians(20), math.radians(50), math.radians(degrees)
    direction = f"{-math.cos(angle)} {math.sin(angle)} 0"
    light = f"SpotLight {{ location 3 0 0 direction {direction} beamWidth {beam} cutOffAngle {cut} }}"
    assert read(rig, world("", light)).irradiance == pytest.approx(factor, abs=1e-9)


def test_a_beam_wider_than_the_cut_off_is_as_wide_as_it(rig) -> None:
    light = "SpotLight {{ location 3 0 0 direction -1 {} 0 beamWidth 1.5 cutOffAngle 0.5 }}"
    assert read(rig, world("", light.format(math.tan(0.49)))).irradiance == pytest.approx(1.0)
    assert read(rig, world("", light.format(math.tan(0.51)))).irradiance == 0.0


def test_the_direction_and_the_place_of_a_spot_light_are_those_of_its_pose(rig) -> None:
    spot = f"SpotLight {{ location 0 0 2 direction 0 0 -1 cutOffAngle 0.1 intensity {math.pi} }}"
    pose = f"Pose {{ rotation 0 1 0 {HALF_TURN / 2} children [ {spot} ] }}"  # z becomes x
    assert read(rig, world("", pose)).irradiance == pytest.approx(math.pi)


def test_colours_are_filtered(rig) -> None:
    light = "PointLight { location 1 0 0 color 1 0.5 0.25 intensity 6 }"
    assert read(rig, world("", light)).irradiance == pytest.approx(6 * 1.75 / 3)
    assert read(rig, world("colorFilter 0 1 0", light)).irradiance == pytest.approx(6 * 0.5 / 3)
    assert read(rig, world("colorFilter 0.2 0 1", light)).irradiance == pytest.approx(6 * 0.45 / 3)


def test_lights_add_up_and_those_off_or_out_of_reach_do_not_count(rig) -> None:
    lights = """PointLight { location 1 0 0 } DirectionalLight { direction -1 0 0 intensity 0.5 }
    PointLight { location 1 0 0 on FALSE } PointLight { location 5 0 0 radius 4.9 }
    PointLight { location 5 0 0 radius 5.1 intensity 0.25 }"""
    assert read(rig, world("", lights)).irradiance == pytest.approx(1.75)


def test_ambient_light_comes_from_everywhere(rig) -> None:
    lights = """PointLight { location -1 0 0 ambientIntensity 0.2 }
    SpotLight { location 5 0 0 direction 1 0 0 ambientIntensity 0.1 }
    DirectionalLight { direction 1 0 0 ambientIntensity 0.4 color 0.5 0.5 0.5 }"""
    assert read(rig, world("occlusion TRUE", lights)).irradiance == pytest.approx(0.2 + 0.1 + 0.2)


def test_a_light_with_an_attenuation_has_no_ambient_light(rig) -> None:
    light = "PointLight { location -2 0 0 ambientIntensity 0.2 attenuation 0 0 1 }"
    assert read(rig, world("", light)).irradiance == 0.0


WALL = 'Solid { name "wall" translation 1 0 0 boundingObject Box { size 0.1 1 1 } }'
LIGHTS = """PointLight { location 2 0 0 ambientIntensity 0.1 } PointLight { location 2 2 0 intensity 4 }
DirectionalLight { direction -1 0 0 intensity 8 } PointLight { location 0.5 0 0 intensity 16 }"""


def test_obstacles_hide_the_direct_light_of_what_is_behind_them_if_asked(rig) -> None:
    free = 0.1 + 4 * math.sqrt(0.5) + 16
    assert read(rig, world("occlusion TRUE", LIGHTS + WALL)).irradiance == pytest.approx(free, rel=1e-12)
    assert read(rig, world("", LIGHTS + WALL)).irradiance == pytest.approx(free + 1 + 8)
    shape = WALL.replace("boundingObject", "children Shape { geometry").replace("} }", "} } }")
    assert read(rig, world("occlusion TRUE", LIGHTS + shape)).irradiance == pytest.approx(free + 1 + 8)


def test_the_own_robot_hides_nothing_unless_it_collides_with_itself(rig) -> None:
    own = 'Solid { name "own" translation 1 0 0 boundingObject Box { size 0.1 1 1 } }'
    light = "PointLight { location 2 0 0 }"
    text = world("occlusion TRUE", light, own)
    assert read(rig, text).irradiance == pytest.approx(1.0)
    assert read(rig, text.replace("Robot {", "Robot { selfCollision TRUE")).irradiance == 0.0


def test_a_directional_light_stands_a_kilometre_away(rig) -> None:
    light = "DirectionalLight { direction -1 0 0 }"
    wall = 'Solid {{ name "w" translation {} 0 0 boundingObject Box {{ size 1 1 1 }} }}'
    assert read(rig, world("occlusion TRUE", light + wall.format(999))).irradiance == 0.0
    assert read(rig, world("occlusion TRUE", light + wall.format(1002))).irradiance == pytest.approx(1.0)


def test_a_light_that_a_solid_carries_moves_with_it_and_so_does_the_occlusion(rig) -> None:
    lamp = "DEF LAMP Solid { translation 2 2 0 children [ PointLight { attenuation 0 0 1 } ] }"
    each = rig(world("occlusion TRUE", lamp + WALL))
    each.step()
    assert each["ls"].value == pytest.approx(math.sqrt(0.5) / 8)
    node = each.scene.find_def("LAMP")
    each.physics.move(node.id, Pose((2.0, 0.0, 0.0)), (0.0,) * 3, (0.0,) * 3)
    each.step()
    assert each["ls"].value == 0.0  # behind the wall
    each.physics.move(node.id, Pose((0.5, 0.0, 0.0)), (0.0,) * 3, (0.0,) * 3)
    each.step()
    assert each["ls"].value == pytest.approx(4.0)
    each.physics.move(each.scene.find_def("R").id, Pose((-0.5, 0.0, 0.0)), (0.0,) * 3, (0.0,) * 3)
    each.step()
    assert each["ls"].value == pytest.approx(1.0)
    each.reset()
    assert each["ls"].reading is None
    each.step()
    assert each["ls"].value == pytest.approx(math.sqrt(0.5) / 8)


def test_the_table_turns_irradiance_into_the_sensors_units(rig) -> None:
    light = "PointLight { location 1 0 0 intensity 0.25 }"
    assert read(rig, world("lookupTable [ 0 4095 0, 1 95 0 ]", light)).value == pytest.approx(3095.0)
    fields = "lookupTable [ 0 4095 0, 1 95 0 ] resolution 100"
    assert read(rig, world(fields, light)).value == pytest.approx(3100.0)
    each = rig(world("lookupTable [ 0 0 0.1, 1 400 0.1 ]", light))
    values = []
    for _ in range(2000):
        each.step()
        values.append(each["ls"].value)
    assert np.mean(values) == pytest.approx(100.0, abs=4 * 10 / math.sqrt(2000))
    assert np.std(values) == pytest.approx(10.0, rel=4 / math.sqrt(4000))


def test_in_the_dark_nothing_is_measured(rig) -> None:
    assert read(rig, world("occlusion TRUE", WALL)).irradiance == 0.0
    on_top = "PointLight { location 0 0 0 attenuation 0 0 1 }"
    assert read(rig, world("occlusion TRUE", on_top)).irradiance == 0.0


@pytest.mark.parametrize(
    ("sensor", "light", "complaint"),
    [
        (
            "colorFilter -1 0 0",
            "",
            "LightSensor.colorFilter: found (-1.0, 0.0, 0.0), expected red, green and",
        ),
        ("resolution 0", "", "LightSensor.resolution: found 0.0, expected a number above 0, or -1 for none"),
        ("lookupTable [ 1 0 0, 0 0 0 ]", "", "LightSensor.lookupTable[1]: found input 0, expected inputs in"),
        (
            "",
            "PointLight { intensity -1 }",
            "PointLight.intensity: found -1.0, expected a number of at least 0",
        ),
        (
            "",
            "PointLight { ambientIntensity 2 }",
            "PointLight.ambientIntensity: found 2.0, expected a number",
        ),
        ("", "PointLight { radius -1 }", "PointLight.radius: found -1.0, expected a number of at least 0"),
        ("", "PointLight { attenuation 0 -1 0 }", "PointLight.attenuation: found (0.0, -1.0, 0.0), expected"),
        (
            "",
            "SpotLight { cutOffAngle 2 }",
            "SpotLight.cutOffAngle: found 2.0, expected a number from 0 to 1.57",
        ),
        (
            "",
            "SpotLight { beamWidth -1 }",
            "SpotLight.beamWidth: found -1.0, expected a number of at least 0",
        ),
        (
            "",
            "SpotLight { direction 0 0 0 }",
            "SpotLight.direction: found (0.0, 0.0, 0.0), expected a vector",
        ),
        ("", "DirectionalLight { color -1 0 0 }", "DirectionalLight.color: found (-1.0, 0.0, 0.0), expected"),
    ],
)
def test_bad_fields_are_refused_by_name(rig, sensor: str, light: str, complaint: str) -> None:
    with pytest.raises(DeviceError, match=r"w\.wbt:") as error:
        rig(world(sensor, light))
    assert complaint in str(error.value)
