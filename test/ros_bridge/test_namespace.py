"""A simulation in a namespace: everything is there, its controllers too."""

from pathlib import Path
from typing import Any

from nav_msgs.msg import Odometry

from ros_bridge.topics.names import OF_ALL, graph_name, legal_path, simulation_address

CONTROLLER = """
import rclpy, sys
from geometry_msgs.msg import Twist
from rclpy.node import Node

rclpy.init()
node = Node("driver")
out = node.create_publisher(Twist, "cmd_vel", 10)
message = Twist()
message.linear.x = 0.5
node.create_timer(0.05, lambda: out.publish(message))
rclpy.spin(node)
"""
OF_ROS = ("/rosout", "/parameter_events")


def test_a_namespace_moves_everything(simulate: Any, client: Any, world_file: Any, tmp_path: Path) -> None:
    """Seen by a node in no namespace: a controller drives, no topic stays behind, nor its clock."""
    (tmp_path / "controllers" / "driver").mkdir(parents=True)
    (tmp_path / "controllers" / "driver" / "driver.py").write_text(CONTROLLER, encoding="utf-8")
    rules = ["-r", "__ns:=/lab/a", "-r", "/clock:=/lab/a/clock"]
    simulation = simulate(world_file(controller="driver"), ros_args=rules)
    truth = client.listen(Odometry, "/lab/a/robot1/ground_truth")
    client.until(lambda: truth and truth[-1].twist.twist.linear.x > 0.25, f"0.5 m/s: {simulation.lines}")
    names = {name for name, _ in client.node.get_topic_names_and_types()}
    assert {
        "/lab/a/clock",
        "/lab/a/clock/restarts",
        "/lab/a/odesim/status",
        "/lab/a/odesim/overlay/joint_axes",
    } <= names
    elsewhere = names - {*OF_ROS, *OF_ALL}
    assert not [name for name in elsewhere if not name.startswith("/lab/a/")]
    nodes = {("odesim", "/lab/a"), ("driver", "/lab/a/robot1")}
    client.until(lambda: nodes <= set(client.node.get_node_names_and_namespaces()), f"the nodes {nodes}")


def test_what_is_moved(client: Any) -> None:
    assert [graph_name(client.node, name) for name in (*OF_ALL, "/odesim/status")] == [
        *OF_ALL,
        "odesim/status",
    ]
    rules = ("--ros-args", "-r", "/clock:=/a/clock", "-r", "__ns:=/a", "-p", "speed:=2.0")
    assert simulation_address("/", rules) == ("", ("/clock:=/a/clock",), legal_path)
    assert simulation_address("/a", ()) == ("/a", (), legal_path)
