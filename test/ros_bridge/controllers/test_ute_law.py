"""Control law of the ute: against formulas, and driving the shipped car in this process."""

import math

import pytest
from cars import Car

from ros_bridge.controllers.ute_law import (
    BRAKE_TORQUE,
    ENGINE_SPEED,
    ENGINE_TORQUE,
    LIMITS,
    STROKE,
    UteLaw,
    UteReadings,
    front_angles,
    rear_torque,
    steering_angle,
)
from ros_bridge.controllers.ute_pilot import ROUTE
from sim_core.base.errors import CommandError

REST = UteReadings(*[0.0] * 10)


@pytest.mark.parametrize("angle", [0.4, 0.1, 0.0, -0.25])
def test_the_front_wheels_stand_for_one_in_the_middle(angle: float) -> None:
    left, right = front_angles(angle)
    assert steering_angle(REST._replace(left_steering=left, right_steering=right)) == pytest.approx(angle)
    if angle:
        assert 1.0 / math.tan(right) - 1.0 / math.tan(left) == pytest.approx(
            1.5 / 2.9
        )  # Ackermann's condition


def test_the_torque_of_engine_and_brake() -> None:
    assert rear_torque(1.0, 0.0, 0.0) == ENGINE_TORQUE
    assert rear_torque(1.0, 0.0, ENGINE_SPEED) == 0.0
    assert rear_torque(0.5, 0.0, ENGINE_SPEED / 2.0) == 0.0
    drag = ENGINE_TORQUE * 20.0 / ENGINE_SPEED
    for way in (1.0, -1.0):
        assert rear_torque(0.0, 1.0, way * 20.0) == pytest.approx(-way * (drag + BRAKE_TORQUE))
        assert rear_torque(0.0, 0.5, way * 20.0) == pytest.approx(-way * (drag + 0.5 * BRAKE_TORQUE))
    assert rear_torque(0.0, 1.0, 0.0) == 0.0


def test_the_steering_goes_where_it_is_told() -> None:
    car = Car(UteLaw())
    car.law.set_points({"steering": -0.3})
    car.run(3.0)
    assert steering_angle(car.measured()) == pytest.approx(-0.3, abs=1e-3)


@pytest.mark.parametrize("name", STROKE)
def test_a_pedal_moves_at_48_mm_per_second_and_then_arrives(name: str) -> None:
    car = Car(UteLaw())
    car.law.set_points({name: 1.0})
    car.run(1.0)
    assert car.robot[name].position == pytest.approx(0.048, rel=0.02)
    car.run(6.0)
    assert car.robot[name].position == pytest.approx(STROKE[name], rel=0.01)


def test_full_throttle_accelerates_by_newton_and_the_urgent_stop_brakes_at_once() -> None:
    """a = 2·T/(r·m): mass 1600 + 4·25 kg and the wheels' inertia, wheels of 0.36 m."""
    car = Car(UteLaw())
    car.law.set_points({"accelerator": 1.0})
    car.run(3.0)  # the actuator takes 2 s
    before, wheel = car.speed, car.measured().left_wheel
    car.run(1.0)
    torque = 2.0 * rear_torque(1.0, 0.0, (wheel + car.measured().left_wheel) / 2.0)
    mass = 1600.0 + 4 * 25.0 + 4 * 0.5 * 25.0  # a solid wheel's inertia is m r²/2
    assert car.speed - before == pytest.approx(torque / 0.36 / mass, rel=0.03)
    speed = car.speed
    car.law.stopped = True
    car.run(0.5)
    decelerated = 0.5 * 2.0 * BRAKE_TORQUE / 0.36 / mass
    assert speed - car.speed > 0.95 * decelerated
    car.run(4.0)
    assert abs(car.speed) < 0.01


def test_a_lap_of_the_route() -> None:
    """It passes within 2.5 m of every point and keeps its speed, and two runs are bitwise equal."""
    tracks = []
    for _ in range(2):
        law = UteLaw(tuple(zip(ROUTE[::2], ROUTE[1::2], strict=True)), cruise_speed=5.0)
        law.set_mode("automatic")
        car = Car(law)
        car.run(15.0)
        assert car.speed == pytest.approx(5.0, rel=0.05)
        car.run(20.0)
        tracks.append(car.track)
        for point in law.route:
            assert min(math.dist(point, place) for place in car.track) < 2.5
    assert tracks[0] == tracks[1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"stering": 0.1}, r'found "stering", expected one of .*did you mean "steering"'),
        ({"steering": 0.6}, "steering: found 0.6, expected -0.5 to 0.5"),
        ({"steering": 0.1, "brake": math.nan}, "brake: found nan, expected 0 to 1"),
        ({"accelerator": -0.1}, "accelerator: found -0.1, expected 0 to 1"),
    ],
)
def test_wrong_set_points_are_refused_whole(values: dict[str, float], message: str) -> None:
    law = UteLaw()
    with pytest.raises(CommandError, match=message):
        law.set_points(values)
    assert [law.pids[name].set_point for name in LIMITS] == [0.0, 0.0, 0.0]


def test_modes() -> None:
    law = UteLaw()
    with pytest.raises(CommandError, match="expected the parameter route"):
        law.set_mode("automatic")
    with pytest.raises(CommandError, match=r'found "manuel", expected manual or automatic.*"manual"'):
        law.set_mode("manuel")
    law.route = ((1.0, 0.0),)
    law.set_mode("automatic")
    with pytest.raises(CommandError, match="expected the mode manual"):
        law.set_points({"steering": 0.1})
