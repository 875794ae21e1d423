"""A background thread that waits for ROS; its callbacks only forward what they receive."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

from ros_bridge.base.entity_destruction import destroy_later
from ros_bridge.base.log import Log
from sim_core.base.errors import in_one_line

try:
    from rclpy.experimental import EventsExecutor
except ImportError:  # Jazzy
    EventsExecutor = SingleThreadedExecutor

NO_END = 1e8
"""Seconds. Without a time limit `EventsExecutor.spin` uses a whole processor and receives nothing, because
its deadline overflows (rclpy 9.1.2); with a limit it sleeps as it should."""


END_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def redirect_signals() -> int:
    """Make SIGINT and SIGTERM only make a file readable from now on; call it in the main thread.

    This works in whichever thread the signal arrives, also while the main thread is in C++: a Python handler
    or an exception would wait until C++ returns.

    Returns:
        The file's descriptor, for `spin`.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in END_SIGNALS:
        signal.signal(number, lambda *_: None)
    return reader


def spin(signals: int, *nodes: Any) -> None:
    """Spin nodes in this thread until a signal arrives; cheaper than `rclpy.spin`.

    Args:
        signals: from `redirect_signals`.
        *nodes: nodes to spin, of one context.

    Raises:
        ExternalShutdownException: ROS was shut down.
    """
    executor = EventsExecutor(context=nodes[0].context)
    for node in nodes:
        executor.add_node(node)
    end = Future(executor=executor)

    def wait() -> None:
        os.read(signals, 1)
        end.set_result(None)
        executor.wake()

    waiter = threading.Thread(target=wait, name="signals", daemon=True)
    waiter.start()
    executor.spin_until_future_complete(end, NO_END)
    waiter.join()  # a thread inside rclpy at Python's exit would abort the process


class SpunNode(Node):
    """A node for a `RosThread`, in which its entities are destroyed later (see `entity_destruction.py`).

    Attributes:
        spinner: thread that spins it; None: none yet.
    """

    spinner: RosThread | None = None

    def destroy_publisher(self, publisher: Any) -> bool:
        """Destroy it like the base class, in the spinner's thread."""
        return self._destroy(super().destroy_publisher, publisher)

    def destroy_subscription(self, subscription: Any) -> bool:
        """Destroy it like the base class, in the spinner's thread."""
        return self._destroy(super().destroy_subscription, subscription)

    def destroy_client(self, client: Any) -> bool:
        """Destroy it like the base class, in the spinner's thread."""
        return self._destroy(super().destroy_client, client)

    def destroy_service(self, service: Any) -> bool:
        """Destroy it like the base class, in the spinner's thread."""
        return self._destroy(super().destroy_service, service)

    def _destroy(self, destroy: Callable[[Any], bool], entity: Any) -> bool:
        return destroy(entity) if self.spinner is None else self.spinner.destroy(destroy, entity)


class RosThread:
    """Spins a node until `stop`."""

    def __init__(self, node: SpunNode) -> None:
        node.spinner = self
        self._executor = EventsExecutor(context=node.context)
        self._executor.add_node(node)
        self._warn = Log(node.get_logger()).warning
        self._end = Future(executor=self._executor)
        self._thread = threading.Thread(target=self._spin, name="ros", daemon=True)

    def start(self) -> None:
        """Start calling callbacks; publishers and subscriptions should exist already."""
        self._thread.start()

    def stop_spinning(self, timeout: float = 1.0) -> None:
        """End the thread; a second call does nothing."""
        if not self._end.done():
            self._end.set_result(None)
            self._executor.wake()
        if self._thread.is_alive():
            self._thread.join(timeout)
        self._executor.shutdown()

    def destroy(self, destroy: Callable[[Any], bool], entity: Any) -> bool:
        """Let the thread destroy an entity of the node as soon as possible.

        Args:
            destroy: method of the node's base class that destroys it.
            entity: publisher, subscription, client or service.
        """
        if self._end.done() or not self._thread.is_alive():
            return destroy(entity)
        destroy_later(self._executor, destroy, entity)
        return True

    def _spin(self) -> None:
        while not self._end.done():
            try:
                self._executor.spin_until_future_complete(self._end, NO_END)
            except ExternalShutdownException:  # ROS was shut down by a signal
                return
            except Exception as error:  # an answer that cannot be sent; the client gets none
                self._warn(f"refused on ROS: {in_one_line(error)}")
