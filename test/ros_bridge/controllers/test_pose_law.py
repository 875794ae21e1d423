import math

import pytest

from ros_bridge.controllers.pose_law import STOP_ANGLE, STOP_DISTANCE, PoseLaw, wheel_speeds, wrap

RADIUS, HALF_AXLE, LIMIT = 0.0975, 0.165, 10.0


def test_far_from_the_goal_it_is_the_law_with_its_three_gains() -> None:
    # Seen from (1, 2) heading north, a goal at (-2, 6) heading west is 5 m away.
    x, y, heading, goal_heading = 1.0, 2.0, math.pi / 2, math.pi
    v, omega = PoseLaw((-2.0, 6.0, goal_heading))((x, y, heading))
    direction = math.pi - math.atan2(4.0, 3.0)
    assert v == pytest.approx(3.0 * 5.0)
    assert omega == pytest.approx(8.0 * (direction - heading) - 1.5 * (goal_heading - direction))


def test_angles_past_half_a_turn_are_taken_the_short_way() -> None:
    law = PoseLaw((-1.0, 0.0, math.pi))
    almost_west = -math.pi + 0.1
    _, omega = law((1.0, 0.0, almost_west))
    assert omega == pytest.approx(8.0 * -0.1 - 1.5 * 0.0)


@pytest.mark.parametrize("angle", [-10.0, -math.pi, -1.0, 0.0, 3.0, 4.0, 100.0])
def test_wrap_keeps_the_direction(angle: float) -> None:
    assert abs(wrap(angle)) <= math.pi
    assert math.cos(wrap(angle)) == pytest.approx(math.cos(angle))
    assert math.sin(wrap(angle)) == pytest.approx(math.sin(angle), abs=1e-12)


def test_wheel_speeds_are_the_inverse_of_the_kinematics() -> None:
    left, right = wheel_speeds(0.3, -0.7, RADIUS, HALF_AXLE, LIMIT)
    assert RADIUS / 2 * (right + left) == pytest.approx(0.3)
    assert RADIUS / (2 * HALF_AXLE) * (right - left) == pytest.approx(-0.7)


def test_past_the_limit_the_curve_stays_the_same() -> None:
    left, right = wheel_speeds(3.0, 5.0, RADIUS, HALF_AXLE, LIMIT)
    assert max(abs(left), abs(right)) == pytest.approx(LIMIT)
    v, omega = RADIUS / 2 * (right + left), RADIUS / (2 * HALF_AXLE) * (right - left)
    assert v / omega == pytest.approx(3.0 / 5.0)


def test_at_the_place_it_turns_on_the_spot_and_stops() -> None:
    law = PoseLaw((0.0, 0.0, 1.0))
    v, omega = law((STOP_DISTANCE / 2, 0.0, 0.0))
    assert v == 0.0 and omega > 0.0
    assert law((2 * STOP_DISTANCE, 0.0, 1.0 - STOP_ANGLE / 2)) == (0.0, 0.0), "it does not drive off again"


@pytest.mark.parametrize("start", range(16))
def test_an_exact_robot_arrives_from_all_round(start: int) -> None:
    """Equations (1) to (3) of the exercise the law is from, integrated in steps of 1 ms."""
    bearing = start * math.tau / 16
    x, y, heading, goal = 2.0 * math.cos(bearing), 2.0 * math.sin(bearing), 5.0 * bearing, (0.0, 0.0, 0.5)
    law, dt = PoseLaw(goal), 0.001
    for _ in range(30_000):
        left, right = wheel_speeds(*law((x, y, heading)), RADIUS, HALF_AXLE, LIMIT)
        if left == right == 0.0:
            break
        v = RADIUS / 2 * (right + left)
        x, y = x + v * math.cos(heading) * dt, y + v * math.sin(heading) * dt
        heading += RADIUS / (2 * HALF_AXLE) * (right - left) * dt
    assert math.hypot(x, y) < 0.05
    assert abs(wrap(heading - goal[2])) < math.radians(5.0)
