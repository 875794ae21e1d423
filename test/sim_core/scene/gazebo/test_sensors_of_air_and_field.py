"""Magnetometer, altimeter, air pressure and wide angle, and the names that Gazebo gives topics."""

import math
from collections.abc import Callable

import pytest

from sim_core.session.simulation import Simulation

Spawned = Callable[..., Simulation]
MASS = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25"/></inertial>'
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { title "my world" magneticField 2e-5 1e-5 -4e-5 }
"""


def robot(sensor: str) -> str:
    joint = '<joint name="w" type="fixed"><parent link="world"/><child link="a"/></joint>'
    gazebo = f'<gazebo reference="a">{sensor}</gazebo>'
    return f'<robot name="r"><link name="world"/>{joint}<link name="a">{MASS}</link>{gazebo}</robot>'


def noise(deviation: float) -> str:
    return f'<noise type="gaussian"><mean>0</mean><stddev>{deviation}</stddev></noise>'


def test_a_magnetometer_measures_the_field_in_its_axes(spawned: Spawned) -> None:
    """Turned by 90° to the left, what is east is to its right: y = -east."""
    sim = spawned(robot('<sensor name="m" type="magnetometer"/>'), "@0,0,0,1.5707963267948966", WORLD)
    compass = sim.robot("r")["m"]
    sim.sample([compass])
    assert compass.reading.field == pytest.approx((1e-5, -2e-5, -4e-5), abs=1e-12)
    assert compass.reading.value == pytest.approx((1.0, 0.0, 0.0))


def test_its_noise_is_one_of_the_field(spawned: Spawned) -> None:
    axes = "".join(f"<{axis}>{noise(1e-6)}</{axis}>" for axis in "xyz")
    sensor = f'<sensor name="m" type="magnetometer"><magnetometer>{axes}</magnetometer></sensor>'
    sim = spawned(robot(sensor), "", WORLD)
    compass, errors = sim.robot("r")["m"], []
    for _ in range(300):
        sim.step()
        sim.sample([compass])
        assert compass.reading.value == pytest.approx((0.0, 1.0, 0.0))
        errors += [each - true for each, true in zip(compass.reading.field, (2e-5, 1e-5, -4e-5), strict=True)]
    assert math.sqrt(sum(each**2 for each in errors) / len(errors)) == pytest.approx(1e-6, rel=0.1)


def test_an_air_pressure_sensor_is_at_its_reference_altitude(spawned: Spawned) -> None:
    """ICAO's standard atmosphere: 89874.6 Pa at 1000 m of geopotential, which are 1000.157 m."""
    inside = "<air_pressure><reference_altitude>990.157</reference_altitude></air_pressure>"
    sensor = f'<sensor name="p" type="air_pressure"><update_rate>20</update_rate>{inside}</sensor>'
    sim = spawned(robot(sensor), "@0,0,10,0", WORLD)
    altimeter = sim.robot("r")["p"]
    sim.sample([altimeter])
    assert altimeter.reading.pressure == pytest.approx(89874.6, abs=0.5)
    assert altimeter.reading.value == pytest.approx(10.0)
    assert not sim.scene.warnings


def test_an_altimeter_has_the_noise_of_its_position(spawned: Spawned) -> None:
    inside = f"<altimeter><vertical_position>{noise(0.2)}</vertical_position></altimeter>"
    sim = spawned(robot(f'<sensor name="h" type="altimeter">{inside}</sensor>'), "", WORLD)
    assert sim.robot("r")["h"].accuracy == 0.2


def test_a_wide_angle_camera_sees_half_of_all_directions(spawned: Spawned) -> None:
    view = (
        "<camera><horizontal_fov>3.14159</horizontal_fov><image><width>64</width><height>64</height></image>"
    )
    lens = "<lens><type>equidistant</type><scale_to_hfov>true</scale_to_hfov></lens></camera>"
    sim = spawned(robot(f'<sensor name="eye" type="wideanglecamera">{view}{lens}</sensor>'), "", WORLD)
    eye = sim.robot("r")["eye"].spec
    assert (eye["projection"], eye["fieldOfView"]) == ("spherical", 3.14159)
    assert not sim.scene.warnings


@pytest.mark.parametrize(
    ("kind", "topics"),
    [
        ("gpu_lidar", {"topic": "scan", "point_cloud_topic": "scan/points"}),
        ("camera", {"image_topic": "image", "camera_info_topic": "camera_info"}),
        ("navsat", {"topic": "navsat"}),
        ("magnetometer", {"magnetic_field_topic": "magnetometer"}),
        ("altimeter", {"topic": "altimeter"}),
        ("air_pressure", {"pressure_topic": "air_pressure"}),
    ],
)
def test_without_a_topic_it_is_called_as_in_gazebo(
    spawned: Spawned, kind: str, topics: dict[str, str]
) -> None:
    sensor = f'<sensor name="0 s" type="{kind}"><topic>__default__</topic></sensor>'
    settings = spawned(robot(sensor), "", WORLD).scene.device_settings
    place = "/world/my_world/model/r/link/a/sensor/n0_s/"
    assert {each.name: each.value for each in settings if each.layout == "gazebo" and each.device} == {
        name: place + end for name, end in topics.items()
    }
