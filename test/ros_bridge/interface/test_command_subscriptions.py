"""cmd_vel adopts the type of its publishers: one of each type drives a shipped TurtleBot3 in turn."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from ros_bridge.interface.command_subscriptions import CHECKED_AT_ONCE
from sim_core.base.shipped import share_dir

WORLD = """#VRML_SIM R2023b utf8
EXTERNPROTO "webots://projects/objects/floors/protos/Floor.proto"
EXTERNPROTO "webots://projects/robots/robotis/turtlebot/protos/TurtleBot3Burger.proto"
WorldInfo { basicTimeStep 16 }
Floor { size 20 20 }
TurtleBot3Burger { controller "<extern>" }
"""
MANY = f"""#VRML_SIM R2025a utf8
EXTERNPROTO "{share_dir() / "protos"}/robots/SwarmRobot.proto"
WorldInfo {{ basicTimeStep 16 }}"""
CMD_VEL = "/cmd_vel"


def stamped(linear: float, angular: float) -> TwistStamped:
    """Return a twist as sent by turtlebot3_teleop, stamped with wall time."""
    message = TwistStamped()
    message.header.stamp.sec = int(time.time())
    message.twist = plain(linear, angular)
    return message


def plain(linear: float, angular: float) -> Twist:
    message = Twist()
    message.linear.x, message.angular.z = linear, angular
    return message


@pytest.fixture
def other() -> Iterator[Node]:
    """A node of another participant, which can have another type on a topic than the client's."""
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    yield Node("other", context=context)
    context.try_shutdown()


def test_a_teleop_of_either_type_drives_the_turtlebot_in_the_layout_nav2(
    tmp_path: Path, simulate: Callable[..., Any], client: Any, other: Node
) -> None:
    (tmp_path / "room.wbt").write_text(WORLD)
    simulate(tmp_path / "room.wbt", ros_args=["-p", "layout:=nav2"])
    heard = client.listen(Odometry, "/odom")
    types = client.node.get_topic_names_and_types

    def teleop(message: Any) -> Any:
        """Create a publisher; when it is connected, send one message, as a key press does."""
        publisher = client.node.create_publisher(type(message), CMD_VEL, 10)
        client.until(publisher.get_subscription_count, f"a subscription of {type(message).__name__}")
        publisher.publish(message)
        return publisher

    def moves(linear: float, angular: float) -> None:
        def now() -> bool:
            twist = heard[-1].twist.twist if heard else Twist()
            return abs(twist.linear.x - linear) < 0.01 and abs(twist.angular.z - angular) < 0.1

        client.until(now, f"{linear} m/s, {angular} rad/s")

    first = teleop(plain(0.1, 0.0))
    moves(0.1, 0.0)
    client.node.destroy_publisher(first)
    second = teleop(stamped(0.0, 0.5))
    moves(0.0, 0.5)
    client.until(lambda: dict(types())[CMD_VEL] == ["geometry_msgs/msg/TwistStamped"], "one type")
    late = other.create_publisher(Twist, CMD_VEL, 10)  # both are there: the type stays
    second.publish(stamped(0.15, 0.0))
    moves(0.15, 0.0)
    assert late.get_subscription_count() == 0
    client.node.destroy_publisher(second)
    client.until(late.get_subscription_count, "a subscription for who is left")
    late.publish(plain(0.0, 0.0))
    moves(0.0, 0.0)


def test_one_of_many_robots_takes_the_type_that_its_publisher_brings(
    tmp_path: Path, simulate: Callable[..., Any], client: Any
) -> None:
    robots = [
        f'SwarmRobot {{ name "r{k}" translation 0 {k} 0 controller "void" }}'
        for k in range(CHECKED_AT_ONCE + 1)
    ]
    world = tmp_path / "many.wbt"
    world.write_text("\n".join([MANY, *robots]))
    simulate(world)
    publisher = client.node.create_publisher(TwistStamped, f"/r{CHECKED_AT_ONCE}/cmd_vel", 10)
    client.until(publisher.get_subscription_count, "a subscription of TwistStamped")
