import math

import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose as PoseMessage
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import Range

from ros_bridge.topics.conversions import fill_pose, fill_time, time_of, type_name
from sim_core.base.geometry import Pose, rotation_from_axis_angle


@given(st.integers(min_value=0, max_value=2**31 * 10**9 - 1))
def test_times_survive_the_round_trip(time_ns: int) -> None:
    message = Time()
    fill_time(message, time_ns)
    assert message.nanosec < 10**9
    assert time_of(message) == time_ns


def test_quaternions_are_x_y_z_w() -> None:
    pose = Pose((1.0, 2.0, 3.0), rotation_from_axis_angle((0.0, 0.0, 1.0, math.pi / 2.0)))
    message = PoseMessage()
    fill_pose(message, pose)
    part, half = message.orientation, math.sqrt(0.5)
    assert (part.x, part.y, part.z, part.w) == pytest.approx((0, 0, half, half), abs=1e-12)
    assert (message.position.x, message.position.y, message.position.z) == (1.0, 2.0, 3.0)


def test_type_names() -> None:
    assert type_name(Range) == "sensor_msgs/msg/Range"
