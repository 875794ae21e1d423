import threading
import time
from typing import Any

from rclpy.event_handler import PublisherEventCallbacks
from rclpy.exceptions import InvalidHandle
from std_msgs.msg import Float64

from ros_bridge.base.ros_thread import RosThread, SpunNode


def test_it_hands_on_what_comes_sleeps_when_nothing_does_and_ends(client: Any) -> None:
    node = SpunNode("sleeper", context=client.context)
    heard: list[Float64] = []
    node.create_subscription(Float64, "/sleeper/in", heard.append, 10)
    thread = RosThread(node)
    thread.start()
    client.speak(Float64, "/sleeper/in").publish(Float64(data=1.0))
    client.until(lambda: heard, "the message")
    used, begin = time.process_time(), time.monotonic()
    client.until(lambda: time.monotonic() - begin > 0.5, "half a second")
    assert time.process_time() - used < 0.25
    thread.stop_spinning()
    thread.stop_spinning()
    node.destroy_node()


def test_what_comes_and_goes_while_it_is_heard_disturbs_nothing(client: Any) -> None:
    """Publishers with events and subscriptions may be destroyed while the thread collects them."""
    node = SpunNode("changing", context=client.context)
    heard: list[Float64] = []
    node.create_subscription(Float64, "/changing/stays", heard.append, 10)
    warned: list[str] = []
    thread = RosThread(node)
    thread._warn = warned.append  # type: ignore[method-assign,assignment]
    thread.start()
    stays = client.speak(Float64, "/changing/stays")
    others = [client.node.create_publisher(Float64, f"/changing/in{number}", 10) for number in range(5)]
    for _ in range(60):
        callbacks = PublisherEventCallbacks(matched=lambda info: None)
        made = [
            node.create_publisher(Float64, f"/changing/out{number}", 10, event_callbacks=callbacks)
            for number in range(5)
        ]
        taken = [
            node.create_subscription(Float64, f"/changing/in{number}", lambda message: None, 10)
            for number in range(5)
        ]
        comes = [client.node.create_subscription(Float64, each.topic_name, print, 10) for each in made]
        for other in others:
            other.publish(Float64())
        assert all(map(node.destroy_publisher, made)) and all(map(node.destroy_subscription, taken))
        assert all(map(client.node.destroy_subscription, comes))

    def are_gone() -> bool:
        try:
            names = [each.topic_name for each in (*node.publishers, *node.subscriptions)]
        except InvalidHandle:  # one is destroyed at this moment
            return False
        return not any(name.startswith("/changing/") and name != "/changing/stays" for name in names)

    client.until(are_gone, "all to be gone")
    heard.clear()
    stays.publish(Float64(data=1.0))
    client.until(lambda: heard, "what is still listened to")
    assert not warned
    assert "ros" in {each.name for each in threading.enumerate()}
    thread.stop_spinning()
    node.destroy_node()


def test_what_is_destroyed_while_the_thread_is_busy_goes_later(client: Any) -> None:
    node = SpunNode("waiting", context=client.context)
    go_on = threading.Event()
    begun: list[Float64] = []

    def wait(message: Float64) -> None:
        begun.append(message)
        go_on.wait(30.0)

    node.create_subscription(Float64, "/waiting/in", wait, 10)
    made = node.create_publisher(Float64, "/waiting/out", 10)
    thread = RosThread(node)
    thread.start()
    client.speak(Float64, "/waiting/in").publish(Float64())
    client.until(lambda: begun, "the thread to wait")
    assert node.destroy_publisher(made)
    go_on.set()
    client.until(lambda: made not in node.publishers, "it to be gone")
    thread.stop_spinning()
    node.destroy_node()
