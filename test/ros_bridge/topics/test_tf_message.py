"""The type of `/tf`, also without tf2_msgs: announced on the graph, sent and received serialized."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rosbags.typesys import Stores, get_typestore

from ros_bridge.topics.qos import LATCHED, SENSOR, profile
from ros_bridge.topics.tf_message import DIGEST, NAME, TFMessage, raw_class, tf_message_class

STORE = get_typestore(Stores.ROS2_KILTED)


def test_its_hash_is_that_of_the_definition() -> None:
    assert STORE.hash_rihs01(NAME) == f"RIHS01_{DIGEST}"
    assert raw_class(NAME) is tf_message_class()


def test_a_topic_of_the_stand_in_is_one_of_tf2_msgs(client: Any) -> None:
    """Both ends in one process, and the graph that all nodes see."""
    taken: list[bytes] = []
    client.node.create_subscription(TFMessage, "/tf", taken.append, 10, raw=True)
    publisher = client.node.create_publisher(TFMessage, "/tf", 10)
    data = bytes(STORE.serialize_cdr(STORE.types[NAME]([]), NAME))
    client.until(lambda: publisher.get_subscription_count() == 1, "the subscription")
    publisher.publish(data)
    client.until(lambda: taken, "the message")
    assert taken == [data]
    for info in client.node.get_publishers_info_by_topic("/tf"):
        assert info.topic_type == NAME
        assert str(info.topic_type_hash) == f"RIHS01_{DIGEST}"


def test_a_simulation_sends_its_transforms(
    simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any
) -> None:
    moving: list[bytes] = []
    static: list[bytes] = []
    kind = tf_message_class()
    client.node.create_subscription(kind, "/tf", moving.append, profile(SENSOR), raw=True)
    client.node.create_subscription(kind, "/tf_static", static.append, profile(LATCHED), raw=True)
    simulate(world_file(), mode="realtime")
    client.until(lambda: len(moving) > 2 and static, "the transforms")
    frames = {each.child_frame_id for each in STORE.deserialize_cdr(static[-1], NAME).transforms}
    assert {"robot1/odom", "robot1/ds", "old/odom"} <= frames
    now = STORE.deserialize_cdr(moving[-1], NAME).transforms
    before = STORE.deserialize_cdr(moving[-2], NAME).transforms
    below = {each.child_frame_id: each.header.frame_id for each in now}
    assert below["robot1/base_link"] == "robot1/odom"
    stamps = [each[0].header.stamp.sec * 10**9 + each[0].header.stamp.nanosec for each in (before, now)]
    assert stamps[1] - stamps[0] == 20_000_000


OWN_TREES = """odesim: {ros__parameters: {layout: nav2, robots: {
  robot1: {layout: nav2, namespace: a, tf_topic: tf}, old: {layout: nav2, namespace: b, tf_topic: tf}}}}
"""


def test_robots_with_equal_frames_have_trees_of_their_own(
    simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any
) -> None:
    """As launch files of several robots expect that remap /tf to tf; each tree has one root."""
    world = world_file()
    parameters = world.parents[1] / "config" / "small.yaml"
    parameters.parent.mkdir()
    parameters.write_text(OWN_TREES)
    heard: dict[str, list[bytes]] = {f"/{robot}/tf{end}": [] for robot in "ab" for end in ("", "_static")}
    for name, messages in heard.items():
        qos = profile(LATCHED if name.endswith("static") else SENSOR)
        client.node.create_subscription(tf_message_class(), name, messages.append, qos, raw=True)
    simulate(world, mode="realtime")
    client.until(lambda: all(heard.values()), "the transforms of both")
    for robot in "ab":
        messages = (heard[f"/{robot}/{name}"][-1] for name in ("tf", "tf_static"))
        edges = [each for data in messages for each in STORE.deserialize_cdr(data, NAME).transforms]
        below = {each.child_frame_id: each.header.frame_id for each in edges}
        assert len(below) == len(edges)
        assert set(below.values()) - set(below) == {"odom"}
        assert {"base_link", "base_footprint", "world"} <= set(below)
        assert ("ds" in below) == (robot == "a")
