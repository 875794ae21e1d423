import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.devices.drives.planar_motion import Pose2d, twist_from_wheels


def test_straight_ahead() -> None:
    assert Pose2d(1.0, 2.0, math.pi / 2).advanced(0.5, 0.0) == pytest.approx((1.0, 2.5, math.pi / 2))


def test_turning_on_the_spot_moves_nothing() -> None:
    assert Pose2d(1.0, 2.0, 0.3).advanced(0.0, 1.0) == pytest.approx((1.0, 2.0, 1.3))


@given(radius=st.floats(-5.0, 5.0).filter(lambda r: abs(r) > 1e-3), angle=st.floats(-7.0, 7.0))
def test_an_arc_lies_on_its_circle(radius: float, angle: float) -> None:
    """From the origin, heading along x, the circle's centre is at (0, radius)."""
    pose = Pose2d().advanced(radius * angle, angle)
    assert pose.x == pytest.approx(radius * math.sin(angle), abs=1e-9)
    assert pose.y == pytest.approx(radius * (1.0 - math.cos(angle)), abs=1e-9)
    assert pose.yaw == angle


@given(distance=st.floats(-2.0, 2.0), angle=st.floats(-3.0, 3.0), parts=st.integers(1, 50))
def test_an_arc_in_parts_is_the_whole_arc(distance: float, angle: float, parts: int) -> None:
    pose = Pose2d(0.1, -0.2, 0.4)
    whole = pose.advanced(distance, angle)
    for _ in range(parts):
        pose = pose.advanced(distance / parts, angle / parts)
    assert pose == pytest.approx(whole, abs=1e-9)


def test_wheel_speeds_to_twist() -> None:
    assert twist_from_wheels(3.0, 3.0, 0.2, 0.5) == pytest.approx((0.6, 0.0, 0.0))
    assert twist_from_wheels(-1.0, 1.0, 0.2, 0.5) == pytest.approx((0.0, 0.8, 0.0))
