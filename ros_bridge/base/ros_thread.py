"""One background thread that waits for ROS; its callbacks only hand on what came."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

from ros_bridge.base.log import Log
from ros_bridge.base.retiring import retire
from sim_core.base.errors import in_one_line

try:
    from rclpy.experimental import EventsExecutor
except ImportError:  # Jazzy
    EventsExecutor = SingleThreadedExecutor

NO_END = 1e8
"""Seconds. `EventsExecutor.spin` without a time limit takes a whole processor and hears nothing: its deadline
overflows (rclpy 9.1.2); with a limit it sleeps as it should."""


END_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def hear_signals() -> int:
    """SIGINT and SIGTERM do no more from now on than to make a file readable; for the main thread.

    They do so in whichever thread they strike, also while the main one is in C++: a handler in Python, or an
    exception, would wait there until C++ returns.

    Returns:
        The file's descriptor, for `spin`.
    """
    heard, said = os.pipe()
    os.set_blocking(said, False)
    signal.set_wakeup_fd(said, warn_on_full_buffer=False)
    for number in END_SIGNALS:
        signal.signal(number, lambda *_: None)
    return heard


def spin(node: Any, signals: int) -> None:
    """Spin a node in this thread until a signal comes; cheaper than `rclpy.spin`.

    Args:
        node: to be spun.
        signals: from `hear_signals`.

    Raises:
        ExternalShutdownException: ROS has ended.
    """
    executor = EventsExecutor(context=node.context)
    executor.add_node(node)
    end = Future(executor=executor)

    def wait() -> None:
        os.read(signals, 1)
        end.set_result(None)
        executor.wake()

    waiter = threading.Thread(target=wait, name="signals", daemon=True)
    waiter.start()
    executor.spin_until_future_complete(end, NO_END)
    waiter.join()  # a thread that is inside rclpy when Python ends aborts the process


class SpunNode(Node):
    """A node for a `RosThread`: what it destroys meanwhile goes in that thread, later (see `retiring.py`).

    Attributes:
        spinner: spins it; None: nobody yet.
    """

    spinner: RosThread | None = None

    def destroy_publisher(self, publisher: Any) -> bool:
        """As its base does, when the spinner comes to it."""
        return self._destroy(super().destroy_publisher, publisher)

    def destroy_subscription(self, subscription: Any) -> bool:
        """As its base does, when the spinner comes to it."""
        return self._destroy(super().destroy_subscription, subscription)

    def destroy_client(self, client: Any) -> bool:
        """As its base does, when the spinner comes to it."""
        return self._destroy(super().destroy_client, client)

    def destroy_service(self, service: Any) -> bool:
        """As its base does, when the spinner comes to it."""
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
        """From now on callbacks come; all publishers and subscriptions should be there already."""
        self._thread.start()

    def stop(self, timeout: float = 1.0) -> None:
        """End the thread; called twice it does nothing more."""
        if not self._end.done():
            self._end.set_result(None)
            self._executor.wake()
        if self._thread.is_alive():
            self._thread.join(timeout)
        self._executor.shutdown()

    def destroy(self, destroy: Callable[[Any], bool], entity: Any) -> bool:
        """Have the thread destroy a publisher or the like of the node, as soon as it comes to it.

        Args:
            destroy: the method of the node's base that does it.
            entity: what goes.
        """
        if self._end.done() or not self._thread.is_alive():
            return destroy(entity)
        retire(self._executor, destroy, entity)
        return True

    def _spin(self) -> None:
        while not self._end.done():
            try:
                self._executor.spin_until_future_complete(self._end, NO_END)
            except ExternalShutdownException:  # a signal has ended ROS
                return
            except Exception as error:  # an answer that cannot be sent; whoever asked gets none
                self._warn(f"refused on ROS: {in_one_line(error)}")
