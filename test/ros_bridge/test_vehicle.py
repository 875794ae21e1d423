"""A car of ours, driven through Webots' vehicle library by a real simulation."""

import math
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from controller_runs import run_project, said

BASE, FRONT_TRACK, REAR_TRACK, RADIUS, MASS, WHEEL = 2.9, 1.6, 1.5, 0.4, 1500.0, 20.0
WORLD = f"""
EXTERNPROTO "webots://projects/objects/floors/protos/Floor.proto"
EXTERNPROTO "webots://projects/vehicles/protos/abstract/Car.proto"
EXTERNPROTO "webots://projects/vehicles/protos/abstract/VehicleLights.proto"
WorldInfo {{ basicTimeStep 8 }}
Floor {{ size 400 400 }}
Car {{
  name "car"
  controller "drive"
  type "%s"
  wheelbase {BASE} trackFront {FRONT_TRACK} trackRear {REAR_TRACK}
  extensionSlot [
    VehicleLights {{ }}
    DEF BODY Pose {{ translation 1.45 0 0.4 children Shape {{ geometry Box {{ size 4.4 1.2 0.6 }} }} }}
    GPS {{ name "gps" }}
    InertialUnit {{ name "imu" }}
  ]
  boundingObject USE BODY
  physics Physics {{
    density -1 mass {MASS} centerOfMass [ 1.45 0 0.3 ] inertiaMatrix [ 500 2500 2600, 0 0 0 ]
  }}
}}
"""
HEAD = """
from vehicle import Car
car = Car()
gps, imu = car.getDevice("gps"), car.getDevice("imu")
gps.enable(8)
imu.enable(8)
def go(seconds):
    end = car.getTime() + seconds
    while car.getTime() < end - 1e-6:
        if car.step() == -1:
            raise SystemExit
def tell(what, *values):
    print(what, *(repr(float(value)) for value in values))
"""
Drive = Callable[..., dict[str, list[list[float]]]]


@pytest.fixture
def drive(tmp_path: Path, simulate: Callable[..., Any]) -> Drive:
    """Runs the car with a controller; what it told, by its first word."""

    def run(source: str, kind: str = "traction", duration: float = 60.0) -> dict[str, list[list[float]]]:
        sim = run_project(tmp_path, simulate, WORLD % kind, {"drive": HEAD + source}, duration)
        assert sim.code == 0, sim.lines
        lines = said(sim, "car")
        assert not [line for line in lines if "Traceback" in line or "Error" in line], lines
        told: dict[str, list[list[float]]] = {}
        for line in lines:
            what, *values = line.split()
            told.setdefault(what, []).append([float(value) for value in values])
        return told

    return run


@pytest.mark.parametrize(("kind", "number"), [("traction", 0), ("propulsion", 1), ("4x4", 2)])
def test_a_car_drives_on_the_circle_of_its_steering_angle(drive: Drive, kind: str, number: int) -> None:
    """R = L/tan δ; the wheels turn at v/r times their own circles over the mean of the driven wheels'."""
    told = drive(
        """
tell("is", car.getType(), car.getWheelbase(), car.track_front, car.track_rear, car.getFrontWheelRadius())
car.setSteeringAngle(0.3)
car.setCruisingSpeed(7.2)
go(3)
tell("angles", car.getRightSteeringAngle(), car.getLeftSteeringAngle(), car.getSteeringAngle())
tell("speed", car.getCurrentSpeed(), *(car.getWheelSpeed(k) for k in range(4)))
for k in range(60):
    go(0.2)
    tell("at", *gps.getValues()[:2], imu.getRollPitchYaw()[2])
""",
        kind,
        15.2,
    )
    assert told["is"] == [[number, BASE, FRONT_TRACK, REAR_TRACK, RADIUS]]
    circle = BASE / math.tan(0.3)
    right, left, mean = told["angles"][0]
    assert math.tan(right) == pytest.approx(BASE / (circle - FRONT_TRACK / 2.0))
    assert math.tan(left) == pytest.approx(BASE / (circle + FRONT_TRACK / 2.0))
    assert mean == pytest.approx((right + left) / 2.0, abs=1e-3)
    circles = [
        BASE / math.sin(right),
        BASE / math.sin(left),
        circle - REAR_TRACK / 2,
        circle + REAR_TRACK / 2,
    ]
    driven = {"traction": [0, 1], "propulsion": [2, 3], "4x4": [0, 1, 2, 3]}[kind]
    rate = 2.0 / (sum(circles[wheel] for wheel in driven) / len(driven))  # rad/s about the centre
    speed, *wheels = told["speed"][0]
    assert speed == pytest.approx(7.2, rel=1e-3)
    assert [wheels[k] for k in driven] == pytest.approx(
        [rate * circles[k] / RADIUS for k in driven], rel=1e-3
    )
    assert wheels == pytest.approx([rate * each / RADIUS for each in circles], rel=0.02)  # those that roll
    places = told["at"]
    turned = sum(math.remainder(b[2] - a[2], math.tau) for a, b in pairwise(places))
    time = 0.2 * (len(places) - 1)
    assert -turned / time == pytest.approx(rate, rel=0.02)  # to the right
    x, y, yaw = places[0]
    centre = x + circle * math.sin(yaw), y - circle * math.cos(yaw)
    assert [math.dist(centre, place[:2]) for place in places] == pytest.approx(
        [circle] * len(places), rel=0.02
    )


def test_at_a_cruising_speed_it_gets_to_100_kmh_in_the_time_given(drive: Drive) -> None:
    told = drive(
        """
car.setCruisingSpeed(100)
for k in range(5):
    go(2)
    tell("speed", car.getCurrentSpeed(), car.getTargetCruisingSpeed(), car.getControlMode())
""",
        duration=10.2,
    )
    assert [each[0] for each in told["speed"]] == pytest.approx([20.0, 40.0, 60.0, 80.0, 100.0], rel=0.01)
    assert {tuple(each[1:]) for each in told["speed"]} == {(100.0, 0.0)}


def test_engine_and_brakes_push_as_their_torques_say(drive: Drive) -> None:
    """m·dv/dt = T/r - c·v, c = 4·5/r² the wheels' damping; the wheels' inertia I/r² = m_w/2 counts as mass.

    Throttle: T = (150 + 0.1·1000)·½·10 below 1000 rpm in gear 1. Brakes: T = -½·700 at each of four wheels.
    """
    told = drive(
        """
go(0.4)
car.setGear(1)
car.setThrottle(0.5)
tell("gears", car.getGearNumber(), car.getGear(), car.getControlMode())
go(1.6)
wheels = sum(car.getWheelSpeed(k) for k in range(4)) / 4
tell("pushed", car.getCurrentSpeed(), car.getRpm(), wheels, car.getBrakeLights())
car.setCruisingSpeed(40)
go(3)
car.setThrottle(0)
car.setBrakeIntensity(0.5)
go(0.4)
tell("before", car.getCurrentSpeed(), car.getBrakeLights(), car.getBackwardsLights())
go(1)
tell("after", car.getCurrentSpeed())
go(6)
tell("stands", car.getCurrentSpeed(), *gps.getValues()[:2])
go(1)
tell("stands", car.getCurrentSpeed(), *gps.getValues()[:2])
car.setBrakeIntensity(0)
car.setGear(-1)
car.setThrottle(0.3)
go(2)
tell("back", car.getCurrentSpeed(), car.getBrakeLights(), car.getBackwardsLights())
""",
        duration=15.8,
    )
    mass, drag = MASS + 4 * WHEEL * 1.5, 4 * 5.0 / RADIUS**2

    def later(speed: float, torque: float, time: float) -> float:
        end = torque / RADIUS / drag
        return end + (speed - end) * math.exp(-drag / mass * time)

    assert told["gears"] == [[6.0, 1.0, 1.0]]
    speed, rpm, wheels, lit = told["pushed"][0]
    assert speed / 3.6 == pytest.approx(later(0.0, 250.0 * 0.5 * 10.0, 1.6), rel=0.02)
    assert (rpm, lit) == (pytest.approx(wheels * 10.0 * 60.0 / math.tau), 0.0)
    before, lit, back = told["before"][0]
    assert (lit, back) == (1.0, 0.0)
    assert told["after"][0][0] / 3.6 == pytest.approx(later(before / 3.6, -350.0 * 4, 1.0), rel=0.03)
    assert told["stands"][1] == pytest.approx(told["stands"][0], abs=0.02)
    assert told["stands"][1][0] == pytest.approx(0.0, abs=0.02)
    speed, lit, back = told["back"][0]
    assert speed / 3.6 == pytest.approx(later(0.0, -250.0 * 0.3 * 12.0, 2.0), rel=0.02)
    assert (lit, back) == (0.0, 1.0)


def test_a_robot_that_is_no_car_is_told_so(tmp_path: Path, simulate: Callable[..., Any]) -> None:
    world = 'Robot { name "car" controller "drive" }'
    source = "from vehicle import Driver\nprint(Driver.isInitialisationPossible())\nDriver()\n"
    sim = run_project(tmp_path, simulate, world, {"drive": source})
    assert any(re.search("False", line) for line in said(sim, "car"))
    assert any('robot "car" is no car' in line and "found 0 values" in line for line in said(sim, "car"))
