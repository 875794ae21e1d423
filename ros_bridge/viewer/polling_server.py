"""Base of the servers that show a simulation: nodes, main loop, shutdown."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rclpy.node import Node

from ros_bridge.base.context import make_context
from ros_bridge.base.own_page import TOKEN
from ros_bridge.base.ros_thread import SpunNode
from ros_bridge.base.shutdown import call_within, time_limit
from ros_bridge.base.signals import handled_signals
from sim_core.base.inbox import Inbox

END_LIMIT = 0.5


@dataclass(frozen=True)
class ServeOptions:
    """Options of one server."""

    host: str = "127.0.0.1"
    port: int = 0
    """First port to try; 0: any free one."""
    exit_with_simulation: bool = False
    view_only: bool = False
    """Whether it only shows, and refuses all commands and changes."""
    ros_args: tuple[str, ...] = field(default_factory=tuple)


class PollingServer(ABC):
    """A server, and the loop that keeps it up to date.

    Attributes:
        period: seconds of wall time between two updates.
        port: at which it is reached.
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
        """Update until the end."""
        due = time.monotonic()
        while self._running:
            now = time.monotonic()
            if now < due:
                self._inbox.wait(due - now)
                continue
            self._inbox.drain()
            self._update(now)
            due = max(due + self.period, time.monotonic() + self.period / 5.0)

    @abstractmethod
    def _update(self, now: float) -> None:
        """Show what has changed."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""

    def _end(self) -> None:
        self._running = False


def serve(
    options: ServeOptions,
    token: str,
    name: str,
    address: str,
    make: Callable[[Any, Any], PollingServer],
    **about_node: Any,
) -> int:
    """Serve until Ctrl-C.

    Args:
        options: of the server.
        token: that clients must send; empty: none.
        name: of the server, in messages and of its node.
        address: text around the address, which replaces its `{}`.
        make: makes the server from a node that is spun and one that is not (see PolledTopic).
        about_node: arguments for creating the node.

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
            print(f"{name}: {address.format(place)}; press Ctrl-C to stop", flush=True)
            if served.port != options.port != 0:
                print(
                    f"{name}: port {options.port} is in use by another program", file=sys.stderr, flush=True
                )
            served.spin()
        finally:
            with time_limit(4 * END_LIMIT):
                if served is not None:
                    call_within(END_LIMIT, served.close)
                call_within(END_LIMIT, watch.destroy_node, node.destroy_node, context.try_shutdown)
    return 0
