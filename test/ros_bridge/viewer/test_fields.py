"""Which numbers of a message can be plotted, and what they are."""

import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Image, Range
from std_msgs.msg import Bool, Float64, Float64MultiArray, String

from ros_bridge.viewer.numbers import number_fields, number_in
from ros_bridge.viewer.plot_panel import stamp_of


def test_a_single_number_and_none():
    assert number_fields(Float64) == ["data"]
    assert number_fields(Bool) == ["data"]
    assert number_fields(String) == []
    assert "data" not in number_fields(Float64MultiArray)


def test_numbers_in_messages_in_messages():
    assert number_fields(Twist) == [f"{part}.{axis}" for part in ("linear", "angular") for axis in "xyz"]
    found = number_fields(Odometry)
    assert "twist.twist.linear.x" in found
    assert not [name for name in found if "header" in name]
    assert "pose.covariance[35]" in number_fields(Odometry, Odometry())
    assert "data" not in number_fields(Image)


@pytest.mark.parametrize(
    ("message", "field", "expected"),
    [(Range(range=1.5), "range", 1.5), (Bool(data=True), "data", 1.0), (Range(radiation_type=1), None, 1.0)],
)
def test_the_number_is_read(message, field, expected):
    assert number_in(message, field or "radiation_type") == expected


def test_the_stamp_is_that_of_the_header():
    message = Range()
    message.header.stamp.sec, message.header.stamp.nanosec = 2, 5
    assert stamp_of(message) == 2_000_000_005
    assert stamp_of(Float64()) is None
