"""Messages in the formats of `ros2 topic echo`."""

from __future__ import annotations

from typing import Any

import pytest
from geometry_msgs.msg import PoseWithCovariance, TransformStamped
from rcl_interfaces.msg import ParameterValue
from sensor_msgs.msg import JointState, LaserScan
from std_msgs.msg import Header, String

from ros_bridge.topic_tools.decoding import Transforms
from ros_bridge.topic_tools.text import TextOptions, as_csv, as_text, as_yaml
from ros_bridge.topics.message_fields import value_at
from sim_core.base.errors import ConfigError

SCAN = LaserScan(header=Header(frame_id="r/scan"), ranges=[1.0, 2.5], range_max=9.5)
SCAN.header.stamp.sec = 3


def test_a_message_is_yaml_in_the_order_of_its_fields() -> None:
    assert as_yaml(SCAN, TextOptions()).splitlines() == [
        "header:",
        "  stamp:",
        "    sec: 3",
        "    nanosec: 0",
        "  frame_id: r/scan",
        *(f"{name}: 0.0" for name in ("angle_min", "angle_max", "angle_increment", "time_increment")),
        *(f"{name}: 0.0" for name in ("scan_time", "range_min")),
        "range_max: 9.5",
        "ranges:",
        "- 1.0",
        "- 2.5",
        "intensities: []",
    ]


@pytest.mark.parametrize(
    ("shape", "line"),
    [
        (TextOptions(no_arrays=True), "ranges: '<sequence type: float, length: 2>'"),
        (TextOptions(longest=1), "- '...'"),
        (TextOptions(no_strings=True), "  frame_id: '<string length: <6>>'"),
        (TextOptions(longest=3), "  frame_id: r/s..."),
    ],
)
def test_what_is_left_out_is_told(shape: TextOptions, line: str) -> None:
    assert line in as_yaml(SCAN, shape).splitlines()


def test_kinds_of_arrays_have_their_names() -> None:
    assert "covariance: '<array type: double[36]>'" in as_yaml(
        PoseWithCovariance(), TextOptions(no_arrays=True)
    )
    transforms = Transforms([TransformStamped()])
    expected = "transforms: '<sequence type: geometry_msgs/msg/TransformStamped, length: 1>'\n"
    assert as_yaml(transforms, TextOptions(no_arrays=True)) == expected
    assert "name: '<sequence type: string, length: 0>'" in as_yaml(JointState(), TextOptions(no_arrays=True))


def test_bytes_and_flow_style() -> None:
    value = ParameterValue(byte_array_value=[b"a", b"\xff"])
    assert "byte_array_value:\n- a\n- ÿ\n" in as_yaml(value, TextOptions())
    flow = as_yaml(SCAN, TextOptions(flow=True)).splitlines()
    assert flow[:2] == ["header:", "  stamp:"] and flow[-2:] == ["ranges: [1.0, 2.5]", "intensities: []"]
    assert as_yaml(String(data="ä: b"), TextOptions()) == "data: 'ä: b'\n"


def test_values_with_commas() -> None:
    assert as_csv(SCAN, TextOptions()) == "3,0,r/scan,0.0,0.0,0.0,0.0,0.0,0.0,9.5,1.0,2.5,"
    assert as_csv(SCAN, TextOptions(longest=1)).startswith("3,0,r...,") and "1.0,..." in as_csv(
        SCAN, TextOptions(longest=1)
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("header.stamp.sec", "3\n"),
        ("header.stamp", "sec: 3\nnanosec: 0\n"),
        ("ranges", "array('f', [1.0, 2.5])\n"),
        (".header.frame_id", "r/scan\n"),
    ],
)
def test_a_field_alone(path: str, expected: str) -> None:
    assert as_text(value_at(SCAN, path), TextOptions()) == expected


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (
            "header.stam",
            'field header.stam: found "stam", expected one of stamp, frame_id (did you mean "stamp"?)',
        ),
        ("range_max.x", 'field range_max.x: found "x", it has no fields'),
    ],
)
def test_a_field_that_is_not_there(path: str, line: str) -> None:
    with pytest.raises(ConfigError) as refused:
        value_at(SCAN, path)
    assert str(refused.value) == line


def test_a_number_is_written_as_often_as_it_comes() -> None:
    """YAML would otherwise write the second one as a reference to the first."""
    shared: Any = "same"
    assert as_yaml(JointState(name=[shared, shared]), TextOptions()).count("- same") == 2
