import time
from typing import Any

from rclpy.node import Node
from std_msgs.msg import Float64

from ros_bridge.base.ros_thread import RosThread


def test_it_hands_on_what_comes_sleeps_when_nothing_does_and_ends(client: Any) -> None:
    node = Node("sleeper", context=client.context)
    heard: list[Float64] = []
    node.create_subscription(Float64, "/sleeper/in", heard.append, 10)
    thread = RosThread(node)
    thread.start()
    client.speak(Float64, "/sleeper/in").publish(Float64(data=1.0))
    client.until(lambda: heard, "the message")
    used, begin = time.process_time(), time.monotonic()
    client.until(lambda: time.monotonic() - begin > 0.5, "half a second")
    assert time.process_time() - used < 0.25
    thread.stop()
    thread.stop()
    node.destroy_node()
