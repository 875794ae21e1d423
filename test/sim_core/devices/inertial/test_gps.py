"""GPS against the position and velocity of bodies whose motion is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_core.base.errors import DeviceError
from sim_core.base.geometry import Pose, add, rotation_from_axis_angle
from sim_core.devices.inertial.utm import UtmGrid


def world(gps: str = "", info: str = "") -> str:
    return f"""WorldInfo {{ basicTimeStep 10 {info} }}
    DEF R Robot {{ translation 1 2 3 rotation 0 0 1 1.5707963267948966 children [
      GPS {{ name "gps" translation 0.5 0 0 {gps} }} ] }}"""


def test_local_position_is_that_of_the_device_plus_the_reference(rig) -> None:
    each = rig(world())
    assert math.isnan(each["gps"].speed) and each["gps"].value is None
    each.step()
    assert each["gps"].value == pytest.approx((1.0, 2.5, 3.0), abs=1e-12)
    assert each["gps"].reading.speed == 0.0
    each = rig(world(info="gpsReference 100 200 -5"))
    each.step()
    assert each["gps"].value == pytest.approx((101.0, 202.5, -2.0))
    assert not each["gps"].is_geographic


def test_wgs84_is_the_utm_grid_at_the_reference(rig) -> None:
    each = rig(world(info='gpsCoordinateSystem "WGS84" gpsReference 46.5 6.6 400'))
    each.step()
    assert each["gps"].is_geographic
    grid = UtmGrid(46.5, 6.6, 400)
    expected = grid.geodetic(add(grid.origin, (1.0, 2.5, 3.0)))
    assert each["gps"].value == pytest.approx(expected, abs=1e-10)
    assert each["gps"].value[2] == pytest.approx(403.0, abs=1e-5)


def test_speed_is_that_of_the_device_in_a_turn(rig) -> None:
    each = rig(world())
    robot = each.scene.find_def("R")
    pose = Pose((0.0, 0.0, 0.0), rotation_from_axis_angle((0, 0, 1, math.pi / 2)))
    each.physics.move(robot.id, pose, (1.0, 0.0, 0.0), (0.0, 0.0, 4.0))
    each.sense()
    # The device is 0.5 m to the north of the turning robot: v = (1, 0, 0) + ω × r.
    assert each["gps"].reading.speed_vector == pytest.approx((1.0 - 4.0 * 0.5, 0.0, 0.0), abs=1e-12)
    assert each["gps"].reading.speed == pytest.approx(1.0)
    assert each["gps"].speed == each["gps"].reading.speed


def test_a_falling_body(rig) -> None:
    text = """WorldInfo { basicTimeStep 1 gravity 10 }
    Robot { translation 0 0 100 children [ GPS { name "gps" } ] boundingObject Sphere { radius 0.1 }
      physics Physics { density -1 mass 1 damping Damping { linear 0 angular 0 } } }"""
    each = rig(text)
    each.step(500)
    x, y, z = each["gps"].value
    assert (x, y) == pytest.approx((0, 0), abs=1e-12)
    assert z == pytest.approx(100 - 10 * 0.5**2 / 2, abs=0.003)  # the integrator is of first order: g·t·h/2
    assert each["gps"].reading.speed_vector == pytest.approx((0, 0, -5.0), abs=1e-9)


def test_noise_has_the_accuracy_given(rig) -> None:
    each = rig(world("accuracy 0.2 speedNoise 0.1"))
    rows = []
    for _ in range(2000):
        each.step()
        rows.append(each["gps"].value)
    errors = np.array(rows) - (1.0, 2.5, 3.0)
    assert np.abs(errors.mean(axis=0)).max() < 4 * 0.2 / math.sqrt(2000)
    assert errors.std(axis=0) == pytest.approx([0.2] * 3, rel=4 / math.sqrt(4000))
    assert np.abs(np.corrcoef(errors.T) - np.eye(3)).max() < 0.1
    again = rig(world("accuracy 0.2 speedNoise 0.1"))
    again.step(2000)
    assert again["gps"].value == rows[-1]
    again.reset()
    assert again["gps"].value is None
    again.step(5)
    assert again["gps"].value == rows[4]


def test_noise_correlation_is_that_of_one_second(rig) -> None:
    # 10 ms steps: neighbours have correlation 0.01^(0.01).
    each = rig(world("accuracy 1 noiseCorrelation 0.01"))
    values = []
    for _ in range(4000):
        each.step()
        values.append(each["gps"].value[0])
    series = np.array(values) - 1.0
    neighbours = (series[1:] @ series[:-1]) / (series @ series)
    assert neighbours == pytest.approx(0.01**0.01, abs=0.02)


def test_resolution_rounds_metres(rig) -> None:
    each = rig(world("resolution 0.4"))
    each.step()
    assert each["gps"].value == pytest.approx((1.2, 2.4, 3.2))
    each = rig(world("resolution 0.4", 'gpsCoordinateSystem "WGS84" gpsReference 46.5 6.6 400'))
    each.step()
    grid = UtmGrid(46.5, 6.6, 400)
    east, north, up = (
        0.4 * math.floor(part / 0.4 + 0.5) for part in add(grid.origin, (1.0, 2.5, 3.0))
    )  # metres of the grid, as in Webots
    assert each["gps"].value == pytest.approx(grid.geodetic((east, north, up)), abs=1e-10)


@pytest.mark.parametrize(
    ("gps", "info", "complaint"),
    [
        ("accuracy -1", "", "GPS.accuracy: found -1.0, expected a number of at least 0"),
        ("noiseCorrelation 2", "", "GPS.noiseCorrelation: found 2.0, expected a number from 0 to 1"),
        (
            "speedResolution 0",
            "",
            "GPS.speedResolution: found 0.0, expected a number above 0, or -1 for none",
        ),
        (
            "",
            'gpsCoordinateSystem "WGS84" gpsReference 91 0 0',
            "WorldInfo.gpsReference: found (91.0, 0.0, 0.0)",
        ),
    ],
)
def test_bad_fields_are_refused_by_name(rig, gps: str, info: str, complaint: str) -> None:
    with pytest.raises(DeviceError, match=r"w\.wbt:") as error:
        rig(world(gps, info))
    assert complaint in str(error.value)
