import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.devices.motors.motor_control import MotorControl

STEP = 0.005


def test_velocity_control_without_acceleration_limit_is_at_once() -> None:
    control = MotorControl(STEP, (10.0, 0.0, 0.0))
    assert control.hold_velocity(3.0) == 3.0
    assert control.hold_velocity(-2.0) == -2.0


@pytest.mark.parametrize("target", [2.0, -2.0])
def test_velocity_ramps_with_the_acceleration(target: float) -> None:
    """v(t) = a·t until the target."""
    control = MotorControl(STEP, (10.0, 0.0, 0.0), acceleration=4.0)
    velocities = [control.hold_velocity(target) for _ in range(150)]
    expected = [math.copysign(min(4.0 * STEP * (k + 1), 2.0), target) for k in range(150)]
    assert velocities == pytest.approx(expected)
    assert velocities[-1] == target


def test_position_control_decays_as_the_proportional_law() -> None:
    """A joint that follows its commanded velocity has e(k+1) = (1 - P·step)·e(k)."""
    control = MotorControl(STEP, (20.0, 0.0, 0.0))
    position = 0.0
    for step in range(1, 200):
        position += STEP * control.approach(1.0, position, speed=1e9)
        assert 1.0 - position == pytest.approx((1.0 - 20.0 * STEP) ** step, abs=1e-12)


@pytest.mark.parametrize("target", [5.0, -5.0])
def test_position_control_keeps_to_the_speed_limit(target: float) -> None:
    control = MotorControl(STEP, (10.0, 0.0, 0.0))
    assert control.approach(target, 0.0, speed=1.5) == math.copysign(1.5, target)


def test_the_integral_term_removes_what_a_disturbance_leaves() -> None:
    """A drift c causes the error c/P with P alone, and none with I."""
    left_over = []
    for gains in ((10.0, 0.0, 0.0), (10.0, 20.0, 0.0)):
        control = MotorControl(STEP, gains)
        position = 0.0
        for _ in range(4000):
            position += STEP * (control.approach(1.0, position, speed=100.0) - 0.5)
        left_over.append(1.0 - position)
    assert left_over[0] == pytest.approx(0.5 / 10.0, rel=1e-6)
    assert left_over[1] == pytest.approx(0.0, abs=1e-6)


def test_the_derivative_term_slows_a_joint_that_approaches_fast() -> None:
    gains = (10.0, 0.0, 0.1)
    control = MotorControl(STEP, gains)
    control.approach(1.0, 0.0, speed=1e9)
    velocity = control.approach(1.0, 0.02, speed=1e9)
    assert velocity == pytest.approx(10.0 * 0.98 + 0.1 * (0.98 - 1.0) / STEP)
    assert velocity < 10.0 * 0.98


def test_new_gains_clear_integral_and_previous_error() -> None:
    control = MotorControl(STEP, (10.0, 5.0, 0.1))
    for _ in range(50):
        control.approach(1.0, 0.0, speed=1e9)
    control.set_pid((10.0, 5.0, 0.1))
    fresh = MotorControl(STEP, (10.0, 5.0, 0.1))
    assert control.approach(1.0, 0.0, speed=1e9) == fresh.approach(1.0, 0.0, speed=1e9)


@given(
    target=st.floats(-50.0, 50.0),
    speed=st.floats(0.05, 20.0),
    acceleration=st.floats(0.5, 1000.0) | st.just(math.inf),
)
def test_a_joint_without_physics_arrives_and_keeps_to_its_limits(
    target: float, speed: float, acceleration: float
) -> None:
    """No overshoot, no speed or acceleration past the limits, and the time of the trapezoidal profile."""
    control = MotorControl(0.032, (10.0, 0.0, 0.0), acceleration)
    position, velocity, steps = 0.0, 0.0, 0
    trapezoid = abs(target) / speed + speed / acceleration
    triangle = 2.0 * math.sqrt(abs(target) / acceleration)
    while not control.has_arrived(target, position):
        last = velocity
        velocity = control.approach_exactly(target, position, speed)
        position += velocity * 0.032
        steps += 1
        assert abs(velocity) <= speed * (1.0 + 1e-12)
        assert abs(velocity - last) <= acceleration * 0.032 * (1.0 + 1e-9)
        assert abs(position) <= abs(target) * (1.0 + 1e-12) + 1e-12
        assert steps * 0.032 <= max(trapezoid, triangle) + 8 * 0.032
    assert control.approach_exactly(target, position, speed) == 0.0
