"""What takes the place of parameter_bridge: names of the simulation reach their names on ROS, and back."""

from collections.abc import Iterator

import pytest
from geometry_msgs.msg import TwistStamped
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Float64
from waiting import wait_until

from ros_bridge.parameters.bridge_file import BridgedTopic, BridgeNode
from ros_bridge.topic_tools.gazebo_relay import Relay, topics_of
from sim_core.base.errors import ConfigError


def test_arguments_name_topics() -> None:
    (topic,) = topics_of(["/a-b/scan@sensor_msgs/msg/LaserScan[gz.msgs.LaserScan"], BridgeNode())
    assert (topic.gazebo, topic.ros) == ("/a_b/scan", "/a_b/scan")
    assert topic.ros_type == "sensor_msgs/msg/LaserScan"
    (picture,) = topics_of(["camera/image"], BridgeNode(), "sensor_msgs/msg/Image")
    assert picture.gazebo == "/camera/image"
    with pytest.raises(ConfigError, match=r"topic@ROS type@Gazebo type"):
        topics_of(["/scan"], BridgeNode())


@pytest.fixture
def nodes(own_domain: None) -> Iterator[list[Node]]:
    """Nodes of a simulation, of the relay on both sides, and of a user."""
    context = Context()
    context.init()
    made = [Node(name, context=context) for name in ("sim", "inner", "outer", "user")]
    yield made
    for node in made:
        node.destroy_node()
    context.shutdown()


def test_messages_pass_in_both_directions(nodes: list[Node]) -> None:
    """From what the simulation publishes, and to what it subscribes to, whatever the file says of types."""
    sim, inner, outer, user = nodes
    heard: dict[str, list[object]] = {"level": [], "go": []}
    level = sim.create_publisher(Float64, "/model/r/level", 10)
    sim.create_subscription(TwistStamped, "/model/r/cmd_vel", heard["go"].append, 10)
    user.create_subscription(Float64, "/level", lambda message: heard["level"].append(message.data), 10)
    go = user.create_publisher(TwistStamped, "/cmd_vel", 10)
    topics = [
        BridgedTopic("/model/r/level", "/level", "example_interfaces/msg/Float64", "a:1"),
        BridgedTopic("/model/r/cmd_vel", "/cmd_vel", "geometry_msgs/msg/TwistStamped", "a:2"),
        BridgedTopic("/model/r/tf", "/tf", "tf2_msgs/msg/TFMessage", "a:3"),
    ]
    Relay(topics, inner, outer)
    executor = SingleThreadedExecutor(context=sim.context)
    for node in nodes:
        executor.add_node(node)
    twist = TwistStamped()
    twist.twist.linear.x = 0.5

    def both_heard() -> bool:
        level.publish(Float64(data=3.25))
        go.publish(twist)
        executor.spin_once(timeout_sec=0.02)
        return bool(heard["level"] and heard["go"])

    wait_until(both_heard, lambda: heard, pause=0.0)
    assert heard["level"][0] == 3.25
    assert heard["go"][0] == twist
    assert not user.count_publishers("/tf")
