"""Access to parts of a message by dotted names: all, single ones, plottable ones."""

import math

import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Image, Range
from std_msgs.msg import Bool, Empty, Float64, Float64MultiArray, String

from ros_bridge.topics.message_fields import leaves, number_fields, number_in, value_at
from ros_bridge.viewer.plot_panel import stamp_of
from sim_core.base.errors import ConfigError


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


def test_every_name_that_is_listed_leads_to_its_value():
    message = Odometry()
    message.pose.covariance[3] = 2.5
    listed = dict(leaves(message, most=None))
    assert listed["pose.covariance[3]"] == 2.5 and len(listed) == 3 + 1 + 7 + 36 + 6 + 36
    assert all(value_at(message, name) == value for name, value in listed.items())
    numbers = {name for name, value in listed.items() if isinstance(value, float)}
    assert set(number_fields(Odometry, message)) == numbers


def test_an_element_that_is_not_there_is_named():
    with pytest.raises(ConfigError, match=r'^field data\[2\]: found 1 elements in "data", expected more$'):
        value_at(Float64MultiArray(data=[1.0]), "data[2]")
    with pytest.raises(ConfigError, match="found no elements"):
        value_at(Float64(), "data[0]")
    assert [name for name, _ in leaves(Empty())] in ([], ["structure_needs_at_least_one_member"])
    assert math.isnan(number_in(Float64MultiArray(), "data[0]"))
