"""One background thread that waits for ROS; its callbacks only hand on what came."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.task import Future

from sim_core.errors import in_one_line

try:
    from rclpy.experimental import EventsExecutor
except ImportError:  # Jazzy
    EventsExecutor = SingleThreadedExecutor

NO_END = 1e8
"""Seconds. `EventsExecutor.spin` without a time limit takes a whole processor and hears nothing: its deadline
overflows (rclpy 9.1.2); with a limit it sleeps as it should."""


def spin(node: Any) -> None:
    """Spin a node in this thread until ROS ends or a signal comes; cheaper than `rclpy.spin`.

    Raises:
        KeyboardInterrupt, ExternalShutdownException: as `rclpy.spin` does.
    """
    executor = EventsExecutor(context=node.context)
    executor.add_node(node)
    executor.spin_until_future_complete(Future(executor=executor), NO_END)


class RosThread:
    """Spins a node until `stop`."""

    def __init__(self, node: Any) -> None:
        self._executor = EventsExecutor(context=node.context)
        self._executor.add_node(node)
        self._warn = node.get_logger().warning
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

    def _spin(self) -> None:
        while not self._end.done():
            try:
                self._executor.spin_until_future_complete(self._end, NO_END)
            except ExternalShutdownException:  # a signal has ended ROS
                return
            except Exception as error:  # an answer that cannot be sent; whoever asked gets none
                self._warn(f"refused on ROS: {in_one_line(error)}")
