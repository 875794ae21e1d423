"""How a simulation is served to those who look at it: nodes, a loop, an end in time."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rclpy.node import Node

from ros_bridge.base.context import make_context
from ros_bridge.base.ending import bounded, within
from ros_bridge.base.ros_thread import SpunNode
from ros_bridge.base.signals import handled_signals
from ros_bridge.viewer.own_page import TOKEN
from sim_core.base.inbox import Inbox

END_LIMIT = 0.5


@dataclass(frozen=True)
class ServeOptions:
    """What one server is asked to do."""

    host: str = "127.0.0.1"
    port: int = 0
    """The first one that is free, from here on; 0: any."""
    exit_with_simulation: bool = False
    view_only: bool = False
    """It shows, and nobody steers or changes anything by it."""
    ros_args: tuple[str, ...] = field(default_factory=tuple)


class Served(ABC):
    """A server, and the loop that keeps it up to date.

    Attributes:
        period: seconds of wall time between two looks.
        port: where it is reached.
    """

    period: ClassVar[float]
    port: int

    def __init__(self) -> None:
        self._inbox = Inbox()
        self._running = True

    def quit(self) -> None:
        """End soon; may be called from any thread and from signal handlers."""
        self._inbox.put(self._end)

    def spin(self) -> None:
        """Look and show until the end."""
        due = time.monotonic()
        while self._running:
            now = time.monotonic()
            if now < due:
                self._inbox.wait(due - now)
                continue
            self._inbox.drain()
            self._look(now)
            due = max(due + self.period, time.monotonic() + self.period / 5.0)

    @abstractmethod
    def _look(self, now: float) -> None:
        """Show what has changed."""

    @abstractmethod
    def close(self) -> None:
        """Leave nothing behind."""

    def _end(self) -> None:
        self._running = False


def serve(
    options: ServeOptions,
    token: str,
    name: str,
    address: str,
    make: Callable[[Any, Any], Served],
    **about_node: Any,
) -> int:
    """Serve until Ctrl-C.

    Args:
        options: what is asked.
        token: what those who come must bring; empty: nothing.
        name: of the server, in what is printed and of its node.
        address: what is said of the address, which takes the place of its `{}`.
        make: makes the server, with a node, and one that nobody spins (see PolledTopic).
        about_node: how the node is made.

    Returns:
        Exit code 0.
    """
    with handled_signals() as stop_asked:
        context = make_context(options.ros_args)
        node = SpunNode(f"odesim_{name}", context=context, **about_node)
        watch = Node(f"odesim_{name}_watch", context=context, start_parameter_services=False)
        served = None
        try:
            served = make(node, watch)
            stop_asked(served.quit)
            place = f"{options.host}:{served.port}{f'/?{TOKEN}={token}' if token else ''}"
            print(f"{name}: {address.format(place)}; Ctrl-C ends it", flush=True)
            if served.port != options.port != 0:
                print(f"{name}: port {options.port} was taken", file=sys.stderr, flush=True)
            served.spin()
        finally:
            with bounded(4 * END_LIMIT):
                if served is not None:
                    within(END_LIMIT, served.close)
                within(END_LIMIT, watch.destroy_node, node.destroy_node, context.try_shutdown)
    return 0
