import pytest
from rosbags.typesys import Stores, get_typestore

from ros_bridge.composites.transforms import Edge, TransformsFiller
from ros_bridge.topics.records import InCdr
from ros_bridge.topics.tf_message import NAME
from sim_core.base.geometry import Pose

STORE = get_typestore(Stores.ROS2_KILTED)
QUARTER = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def test_transforms_have_names_stamp_and_pose() -> None:
    poses = [Pose((1.0, 2.0, 3.0))]
    fill = TransformsFiller([Edge("world", "robot1/odom", lambda: poses[0])])
    message = InCdr()
    fill.fill(message, 2_000_000_005)
    (transform,) = STORE.deserialize_cdr(message.data, NAME).transforms
    assert (transform.header.frame_id, transform.child_frame_id) == ("world", "robot1/odom")
    assert (transform.header.stamp.sec, transform.header.stamp.nanosec) == (2, 5)
    assert (transform.transform.translation.x, transform.transform.rotation.w) == (1.0, 1.0)
    poses[0] = Pose((4.0, 0.0, 0.0))
    fill.fill(message, 3_000_000_000)
    (transform,) = STORE.deserialize_cdr(message.data, NAME).transforms
    assert transform.transform.translation.x == 4.0 and transform.header.stamp.sec == 3


@pytest.mark.parametrize("count", [0, 1, 7])
def test_the_bytes_are_those_of_a_serializer(count: int) -> None:
    """Whatever the lengths of the names, which move all that stands behind them."""
    edges = [
        Edge(
            "w" * (number + 1), f"r/{'ä' * number}", lambda number=number: Pose((number, 2.5, -3.0), QUARTER)
        )
        for number in range(count)
    ]
    message = InCdr()
    TransformsFiller(edges).fill(message, 12_000_000_034)
    read = STORE.deserialize_cdr(message.data, NAME)
    assert [each.header.frame_id for each in read.transforms] == [edge.parent for edge in edges]
    assert [each.child_frame_id for each in read.transforms] == [edge.child for edge in edges]
    assert all(each.transform.rotation.z == pytest.approx(0.5**0.5) for each in read.transforms)
    assert bytes(STORE.serialize_cdr(read, NAME)) == message.data
