import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.devices.drives.differential_drive import DifferentialDrive, SignedWheel, WheelMotor
from sim_core.devices.drives.odometry import MAX_STORED_UPDATES, WheelOdometry
from sim_core.devices.drives.planar_motion import Pose2d

RADIUS, SEPARATION = 0.2, 0.5


class IdealWheel:
    """A wheel that reaches its commanded speed at once."""

    max_velocity = 20.0
    multiplier = 1.0

    def __init__(self, name: str) -> None:
        self.name = name
        self.position = 0.0
        self.velocity = 0.0

    def set_velocity(self, velocity: float) -> str | None:
        self.velocity = velocity
        return None

    def turn(self, seconds: float) -> None:
        self.position += self.velocity * seconds


def ideal_drive(signs: tuple[float, float] = (1.0, 1.0)) -> tuple[DifferentialDrive, IdealWheel, IdealWheel]:
    left, right = IdealWheel("left"), IdealWheel("right")
    wheels: tuple[WheelMotor, WheelMotor] = (left, right)
    sides = [[SignedWheel(wheel, sign)] for wheel, sign in zip(wheels, signs, strict=True)]
    return DifferentialDrive("robot1", sides[0], sides[1], RADIUS, SEPARATION), left, right


@pytest.mark.parametrize("signs", [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)])
def test_a_circle_closes(signs: tuple[float, float]) -> None:
    drive, left, right = ideal_drive(signs)
    odometry = WheelOdometry(drive)
    drive.set_twist(0.5, 0.25)
    steps = 1000
    for _ in range(steps):
        left.turn(2.0 * math.pi / 0.25 / steps)
        right.turn(2.0 * math.pi / 0.25 / steps)
        odometry.update_pose()
    assert odometry.pose == pytest.approx((0.0, 0.0, 2.0 * math.pi), abs=1e-9)
    assert odometry.twist == pytest.approx((0.5, 0.25, 0.0))


def test_seldom_updates_lose_nothing_while_the_speeds_are_constant() -> None:
    """A quarter of a circle of radius v/ω, in one update."""
    drive, left, right = ideal_drive()
    odometry = WheelOdometry(drive)
    drive.set_twist(1.0, 0.5)
    left.turn(math.pi)
    right.turn(math.pi)
    odometry.update_pose()
    assert odometry.pose == pytest.approx((2.0, 2.0, math.pi / 2))


def test_how_often_the_pose_is_asked_for_changes_nothing() -> None:
    """The pose of one of two robots on the same path is read after each update, that of the other only at
    the end."""
    drive, left, right = ideal_drive()
    asked, silent = WheelOdometry(drive), WheelOdometry(drive)
    for odometry in (asked, silent):
        odometry.keep_covariance(1e-4)
    pose = Pose2d()
    for step in range(2 * MAX_STORED_UPDATES + 7):
        drive.set_twist(0.5, math.sin(0.01 * step))
        left.turn(0.01)
        right.turn(0.01)
        for odometry in (asked, silent):
            odometry.update_pose()
        pose = pose.advanced(0.5 * 0.01, math.sin(0.01 * step) * 0.01)
        assert asked.pose == pytest.approx(pose, abs=1e-9)
        asked.pose_covariance()
    assert silent.pose == asked.pose
    assert silent.pose_covariance() == asked.pose_covariance()


def test_reset_counts_from_the_present_angles() -> None:
    drive, left, right = ideal_drive()
    odometry = WheelOdometry(drive)
    drive.set_twist(1.0, 0.5)
    left.turn(1.0)
    right.turn(1.0)
    odometry.reset(Pose2d(1.0, 2.0, 3.0))
    odometry.update_pose()
    assert odometry.pose == (1.0, 2.0, 3.0)


@given(linear=st.floats(-1.0, 1.0), angular=st.floats(-2.0, 2.0))
def test_twist_to_wheel_speeds_and_back(linear: float, angular: float) -> None:
    drive, _, _ = ideal_drive((1.0, -1.0))
    assert drive.set_twist(linear, angular) is None
    assert drive.twist() == pytest.approx((linear, angular, 0.0), abs=1e-12)


@given(linear=st.floats(-50.0, 50.0), angular=st.floats(-50.0, 50.0))
def test_a_twist_past_the_limit_keeps_its_curve(linear: float, angular: float) -> None:
    drive, left, right = ideal_drive()
    message = drive.set_twist(linear, angular)
    fastest = max(abs(left.velocity), abs(right.velocity))
    assert fastest <= 20.0 * (1.0 + 1e-12)
    assert (message is None) or fastest == pytest.approx(20.0)
    got = drive.twist()
    assert got.linear * angular == pytest.approx(
        got.angular * linear, abs=1e-9 * (1.0 + abs(linear * angular))
    )
    assert got.linear * linear >= 0.0
    assert got.angular * angular >= -1e-12
