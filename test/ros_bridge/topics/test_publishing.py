"""Publishers are notified of subscribers, and messages in turn wait for unconfirmed ones."""

import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from processes import ReadProcess, started
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String
from waiting import wait_until

from ros_bridge.base.context import make_context
from ros_bridge.topics.publishing import Publishers
from ros_bridge.topics.qos import LATCHED, profile
from ros_bridge.topics.records import Publication

TOPIC = "/told"
LISTENER = """
import sys
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String
from ros_bridge.base.context import make_context
from ros_bridge.topics.qos import LATCHED, profile

context = make_context([])
node, executor = Node("listener", context=context), SingleThreadedExecutor(context=context)
tell = lambda message: print(message.data, flush=True)
node.create_subscription(String, sys.argv[1], tell, profile(LATCHED))
executor.add_node(node)
executor.spin()
"""


class Graph:
    """A publisher of a topic, and subscribers of it.

    Attributes:
        counts: number of subscribers at each change.
        filled: times of the messages filled.
    """

    def __init__(self) -> None:
        self.contexts = [make_context([]) for _ in range(2)]
        self.node = Node("publisher", context=self.contexts[0])
        self.executor = SingleThreadedExecutor(context=self.contexts[0])
        self.executor.add_node(self.node)
        self.other = Node("subscriber", context=self.contexts[1])
        self.counts: list[int] = []
        self.filled: list[int] = []
        publication = Publication(TOPIC, String, self._fill, qos=LATCHED, in_turn=True)
        self.publishers = Publishers(self.node, [publication], lambda _, count: self.counts.append(count))
        self.port = self.publishers.ports[TOPIC]

    def _fill(self, message: Any, time_ns: int) -> None:
        self.filled.append(time_ns)
        message.data = str(time_ns)

    def subscribe(self) -> Any:
        return self.other.create_subscription(String, TOPIC, print, profile(LATCHED))

    def look(self) -> bool:
        """Handle events; return whether a subscriber was added."""
        before = len(self.counts)
        wait_until(lambda: self.executor.spin_once(0.05) or len(self.counts) > before, "an event")
        return self.publishers.set_subscribers(self.port, self.counts[-1])

    def matched(self) -> int:
        return int(self.port._publisher.get_subscription_count())

    def close(self) -> None:
        for node, context in zip((self.node, self.other), self.contexts, strict=True):
            node.destroy_node()
            context.try_shutdown()


@pytest.fixture
def graph() -> Iterator[Graph]:
    made = Graph()
    yield made
    made.close()


@pytest.fixture
def listener() -> Iterator[ReadProcess]:
    for start in started(ReadProcess):
        yield start(sys.executable, "-c", LISTENER, TOPIC)


def test_who_comes_in_the_place_of_another_is_noticed(graph: Graph) -> None:
    """Between two checks one subscriber leaves and another is added: the number is the same."""
    first = graph.subscribe()
    wait_until(graph.matched, "the first")
    assert graph.look()
    graph.other.destroy_subscription(first)
    wait_until(lambda: not graph.matched(), "its end")
    graph.subscribe()
    wait_until(graph.matched, "the second")
    assert graph.look()
    assert graph.counts == [1, 1]
    assert not graph.publishers.set_subscribers(graph.port, graph.counts[-1])


def test_the_next_message_waits_for_the_slowest(graph: Graph, listener: ReadProcess) -> None:
    """A subscriber that was blocked receives all messages afterwards, the last one with the present state."""
    assert graph.look()
    publish = graph.publishers.publish_topic
    publish(TOPIC, 1)
    listener.until_it_says("1")
    graph.port.wait_for_subscribers(10.0)  # a confirmation comes a little after the message is read
    listener.send(signal.SIGSTOP)
    for time_ns in (2, 3, 4, 5):
        publish(TOPIC, time_ns)
    assert graph.filled == [1, 2], "the others wait"
    graph.publishers.publish_pending(6)
    assert graph.filled == [1, 2]
    listener.send(signal.SIGCONT)
    listener.until_it_says("2")  # else the next one may take its place in a queue of one

    def has_gone_on() -> bool:
        graph.publishers.publish_pending(7)
        return len(graph.filled) > 2

    wait_until(has_gone_on, "a confirmation")
    listener.until_it_says("7")
    assert (graph.filled, listener.lines) == ([1, 2, 7], ["1", "2", "7"])
    graph.publishers.publish_pending(8)
    assert graph.filled == [1, 2, 7], "nothing is owed any more"
