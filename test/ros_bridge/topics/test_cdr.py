"""Messages have the exact length in CDR, and are read by rosbags, which checks the length."""

import pytest
from rclpy.serialization import deserialize_message, serialize_message
from rosbags.typesys import Stores, get_typestore
from sensor_msgs.msg import CameraInfo, JointState, Range
from std_msgs.msg import Float64MultiArray, String

from ros_bridge.topics.cdr import parse, serialize
from ros_bridge.topics.conversions import type_name

STORE = get_typestore(Stores.ROS2_KILTED)
MESSAGES = [
    JointState(),
    JointState(name=["a"], velocity=[2.0]),
    JointState(name=["a", "bc"], position=[1.0, 3.0], effort=[4.0, 5.0]),
    CameraInfo(height=3, distortion_model="plumb_bob"),
    Float64MultiArray(),
    Float64MultiArray(data=[1.0]),
    String(data="text"),
    Range(range=1.5),
]


@pytest.mark.parametrize("message", MESSAGES, ids=repr)
def test_a_message_comes_back_and_nothing_is_behind_it(message) -> None:
    kind, data = type_name(type(message)), serialize(message)
    STORE.deserialize_cdr(data, kind)
    assert deserialize_message(data, type(message)) == message
    length = 4 + parse(STORE, data, kind)[1]
    assert length <= len(data) < length + 4


def test_an_empty_joint_state_is_a_header_and_four_counts() -> None:
    """Encapsulation 4, stamp 8, frame_id 4 + 1, padded to a multiple of 4, and four counts of 4 bytes."""
    assert len(serialize(JointState())) == 4 + 8 + 8 + 4 * 4


@pytest.mark.parametrize("data", [b"", b"\x00\x07\x00\x00", serialize_message(String(data="text"))[:9]])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="std_msgs/msg/String: "):
        parse(STORE, data, "std_msgs/msg/String")
