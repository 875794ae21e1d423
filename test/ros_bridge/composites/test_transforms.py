from types import SimpleNamespace

from ros_bridge.composites.transforms import Edge, TransformsFill
from sim_core.base.geometry import Pose


def test_transforms_have_names_stamp_and_pose() -> None:
    """`SimpleNamespace` stands for TFMessage, which has this one field and is not installed everywhere."""
    message = SimpleNamespace(transforms=[])
    poses = [Pose((1.0, 2.0, 3.0))]
    fill = TransformsFill([Edge("world", "robot1/odom", lambda: poses[0])])
    fill.constants(message)
    fill.fill(message, 2_000_000_005)
    (transform,) = message.transforms
    assert (transform.header.frame_id, transform.child_frame_id) == ("world", "robot1/odom")
    assert (transform.header.stamp.sec, transform.header.stamp.nanosec) == (2, 5)
    assert (transform.transform.translation.x, transform.transform.rotation.w) == (1.0, 1.0)
    poses[0] = Pose((4.0, 0.0, 0.0))
    fill.fill(message, 3_000_000_000)
    assert message.transforms[0].transform.translation.x == 4.0
