"""`odesim view --foxglove`: the topics of a running simulation for Foxglove and Lichtblick, live.

foxglove-sdk speaks their protocol, from threads of its own, which only put what clients ask for into the
inbox; one thread of ours looks around and carries it out. Messages are handed on as they came over the wire.
A client that is too slow is sent what it can take: the server drops its oldest messages.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import foxglove
from foxglove.websocket import Capability, Client, ClientChannel, ServerListener, StatusLevel
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from ros_bridge.base.context import make_context
from ros_bridge.base.ending import bounded, within
from ros_bridge.base.ros_thread import RosThread, SpunNode
from ros_bridge.base.signals import handled_signals
from ros_bridge.foxglove.channels import Channels
from ros_bridge.foxglove.client_topics import ENCODINGS, ClientTopics
from ros_bridge.foxglove.guard import Guard, hidden_address
from ros_bridge.topics.conversions import time_of
from ros_bridge.topics.names import CLOCK, STATUS
from ros_bridge.viewer.own_page import TOKEN, new_token
from ros_bridge.viewer.polled_topic import PolledTopic
from sim_core.base.inbox import Inbox

HOST = "127.0.0.1"
PORT = 8765
NODE_NAME = "odesim_foxglove"
PERIOD = 0.05
"""Seconds of wall time between two looks at the clock."""
LOOK_AROUND_PERIOD = 0.5
"""Seconds of wall time between two looks at what topics there are."""
END_LIMIT = 0.5


@dataclass(frozen=True)
class FoxgloveOptions:
    """What one server is asked to do."""

    host: str = HOST
    port: int = PORT
    """The first one that is free, from here on; 0: any."""
    pages: Sequence[str] = ()
    """Origins of pages that may come in, besides Foxglove's own and those of this machine."""
    exit_with_simulation: bool = False
    view_only: bool = False
    """Clients cannot publish."""
    ros_args: tuple[str, ...] = field(default_factory=tuple)


def serve(options: FoxgloveOptions) -> int:
    """Serve until Ctrl-C.

    Returns:
        Exit code 0.

    Raises:
        ConfigError: the address cannot be used, or wrong arguments for ROS.
    """
    token = new_token(options.host)
    with handled_signals() as stop_asked:
        context = make_context(options.ros_args)
        node = SpunNode(NODE_NAME, context=context, enable_rosout=False, start_parameter_services=False)
        watch = Node(f"{NODE_NAME}_watch", context=context, start_parameter_services=False)
        bridge = None
        try:
            bridge = Bridge(node, watch, options, token)
            stop_asked(bridge.quit)
            address = f"ws://{options.host}:{bridge.port}{f'/?{TOKEN}={token}' if token else ''}"
            print(f"foxglove: {address} as a Foxglove WebSocket; Ctrl-C ends it", flush=True)
            if bridge.port != options.port != 0:
                print(f"foxglove: port {options.port} was taken", file=sys.stderr, flush=True)
            bridge.spin()
        finally:
            with bounded(4 * END_LIMIT):
                if bridge is not None:
                    within(END_LIMIT, bridge.close)
                within(END_LIMIT, watch.destroy_node, node.destroy_node, context.try_shutdown)
    return 0


class Bridge(ServerListener):
    """The server, the door before it, and the loop that keeps both sides together.

    Attributes:
        port: where clients come.

    Args:
        node: its node.
        watch: a node that nobody spins (see PolledTopic).
        options: what it is asked to do.
        token: what clients must bring; empty: nothing.
    """

    def __init__(self, node: Any, watch: Any, options: FoxgloveOptions, token: str = "") -> None:
        self._node, self._exits = node, options.exit_with_simulation
        self._inbox = Inbox()
        self._running = True
        self._now_ns: int | None = None
        self._saw_simulation = False
        context = foxglove.Context()
        self._channels = Channels(node, context, lambda: self._now_ns, self._warn)
        self._published = ClientTopics(node, self._warn)
        can_publish = [] if options.view_only else [Capability.ClientPublish]
        inner = hidden_address()
        self._server = foxglove.start_server(
            name="odesim",
            host=inner,
            port=0,
            capabilities=[Capability.Time, *can_publish],
            supported_encodings=list(ENCODINGS) if can_publish else None,
            server_listener=self,
            context=context,
        )
        try:
            self._guard = Guard(options.host, options.port, (inner, self._server.port), token, options.pages)
        except BaseException:
            self._server.stop()
            raise
        self.port = self._guard.port
        self._clock = PolledTopic(watch, Clock, CLOCK, rests=False)
        self._ros = RosThread(node)
        self._ros.start()

    def quit(self) -> None:
        """End soon; may be called from any thread and from signal handlers."""
        self._inbox.put(self._end)

    def spin(self) -> None:
        """Keep both sides together until the end."""
        next_look = next_look_around = time.monotonic()
        while self._running:
            now = time.monotonic()
            if now < next_look:
                self._inbox.wait(next_look - now)
                continue
            self._inbox.drain()
            self._look_at_clock()
            if now >= next_look_around:
                next_look_around = now + LOOK_AROUND_PERIOD
                self._look_around()
            next_look = max(next_look + PERIOD, time.monotonic() + PERIOD / 5.0)

    def close(self) -> None:
        """Leave nothing behind."""
        self._guard.close()
        self._server.stop()
        self._channels.close()
        self._published.close()
        self._ros.stop()

    # ---- called by the server, in its threads

    def on_subscribe(self, client: Client, channel: Any) -> None:
        """A client subscribes to a channel."""
        self._inbox.put(partial(self._channels.subscribed, channel.id, client.id))

    def on_unsubscribe(self, client: Client, channel: Any) -> None:
        """It does no more."""
        self._inbox.put(partial(self._channels.unsubscribed, channel.id, client.id))

    def on_client_advertise(self, client: Client, channel: ClientChannel) -> None:
        """A client is going to publish."""
        about = channel.topic, channel.schema_name, channel.encoding
        self._inbox.put(partial(self._published.advertised, (client.id, channel.id), *about))

    def on_client_unadvertise(self, client: Client, client_channel_id: int) -> None:
        """It is not any more."""
        self._inbox.put(partial(self._published.unadvertised, (client.id, client_channel_id)))

    def on_message_data(self, client: Client, client_channel_id: int, data: bytes) -> None:
        """A client publishes."""
        self._inbox.put(partial(self._published.publish, (client.id, client_channel_id), data))

    # ---- in the thread that spins

    def _end(self) -> None:
        self._running = False

    def _look_at_clock(self) -> None:
        """Tell clients the time; where it goes back, as after a reset, they begin anew."""
        for message in self._clock.take():
            now_ns = time_of(message.clock)
            if now_ns == self._now_ns:
                continue
            if self._now_ns is not None and now_ns < self._now_ns:
                self._server.clear_session()
            self._now_ns = now_ns
            self._server.broadcast_time(now_ns)

    def _look_around(self) -> None:
        """Show the topics of now; end where the simulation has.

        It is asked for first: channels take a while when they are new, and a simulation may end meanwhile.
        """
        topics = dict(self._node.get_topic_names_and_types())
        is_there = any(self._node.count_publishers(name) for name in topics if name.endswith(STATUS))
        if self._exits and self._saw_simulation and not is_there:
            self._end()
        self._saw_simulation = is_there
        self._channels.look_around(topics)

    def _warn(self, line: str) -> None:
        """Say what is refused, here and to all clients."""
        print(line, file=sys.stderr, flush=True)
        self._server.publish_status(line, StatusLevel.Warning)
