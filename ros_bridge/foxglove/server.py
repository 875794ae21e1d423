"""`odesim view --foxglove`: the topics of a running simulation for Foxglove and Lichtblick, live.

foxglove-sdk implements their protocol with threads of its own, whose callbacks only put calls into the inbox;
one thread of ours executes them and polls ROS. Messages are forwarded serialized. For a client that is too
slow, the server drops the oldest messages.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import foxglove
from foxglove.websocket import Capability, Client, ClientChannel, ServerListener, StatusLevel
from rosgraph_msgs.msg import Clock

from ros_bridge.base.own_page import new_token
from ros_bridge.base.ros_thread import RosThread
from ros_bridge.foxglove.channels import Channels
from ros_bridge.foxglove.client_topics import ENCODINGS, ClientTopics
from ros_bridge.foxglove.guard import Guard, hidden_address
from ros_bridge.topics.conversions import time_of
from ros_bridge.topics.names import CLOCK, STATUS
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.polling_server import PollingServer, ServeOptions, serve

PORT = 8765
DISCOVERY_PERIOD = 0.5
"""Seconds of wall time between two queries of the topics."""


@dataclass(frozen=True)
class FoxgloveOptions(ServeOptions):
    """Options of one server."""

    port: int = PORT
    pages: Sequence[str] = ()
    """Origins of admitted pages, besides Foxglove's own and those of this machine."""


def serve_topics(options: FoxgloveOptions) -> int:
    """Serve until Ctrl-C.

    Returns:
        Exit code 0.

    Raises:
        ConfigError: the address cannot be used, or ROS arguments are wrong.
    """
    token = new_token(options.host)
    quiet = {"enable_rosout": False, "start_parameter_services": False}
    make = partial(Bridge, options=options, token=token)
    return serve(options, token, "foxglove", "ws://{} as a Foxglove WebSocket", make, **quiet)


class Bridge(PollingServer, ServerListener):
    """The server, the access control in front of it, and the loop that connects both with ROS.

    Args:
        node: its node.
        watch: a node that is not spun (see PolledTopic).
        options: of the server.
        token: token that clients must send; empty: none.
    """

    period = 0.05

    def __init__(self, node: Any, watch: Any, options: FoxgloveOptions, token: str = "") -> None:
        super().__init__()
        self._node, self._exits = node, options.exit_with_simulation
        self._next_discovery = 0.0
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
        self._clock = PolledTopic(watch, Clock, CLOCK, can_pause=False)
        self._ros = RosThread(node)
        self._ros.start()

    def close(self) -> None:
        """Release all resources."""
        self._guard.close()
        self._server.stop()
        self._channels.close()
        self._published.close()
        self._ros.stop_spinning()

    # ---- called by the server, in its threads

    def on_subscribe(self, client: Client, channel: Any) -> None:
        """Handle a client's subscription to a channel."""
        self._inbox.put(partial(self._channels.subscribed, channel.id, client.id))

    def on_unsubscribe(self, client: Client, channel: Any) -> None:
        """Handle the end of a client's subscription."""
        self._inbox.put(partial(self._channels.unsubscribed, channel.id, client.id))

    def on_client_advertise(self, client: Client, channel: ClientChannel) -> None:
        """Handle a client's announcement of a topic."""
        about = channel.topic, channel.schema_name, channel.encoding
        self._inbox.put(partial(self._published.advertised, (client.id, channel.id), *about))

    def on_client_unadvertise(self, client: Client, client_channel_id: int) -> None:
        """Handle the end of a client's topic."""
        self._inbox.put(partial(self._published.unadvertised, (client.id, client_channel_id)))

    def on_message_data(self, client: Client, client_channel_id: int, data: bytes) -> None:
        """Handle a client's message."""
        self._inbox.put(partial(self._published.publish, (client.id, client_channel_id), data))

    # ---- in the thread that spins

    def _update(self, now: float) -> None:
        self._update_clock()
        if now >= self._next_discovery:
            self._next_discovery = now + DISCOVERY_PERIOD
            self._discover()

    def _update_clock(self) -> None:
        """Send the time to clients; after a jump back, as after a reset, clear their sessions."""
        for message in self._clock.take():
            now_ns = time_of(message.clock)
            if now_ns == self._now_ns:
                continue
            if self._now_ns is not None and now_ns < self._now_ns:
                self._server.clear_session()
            self._now_ns = now_ns
            self._server.broadcast_time(now_ns)

    def _discover(self) -> None:
        """Update the topics; end with the simulation, if requested.

        The end is checked first: new channels take a while, and a simulation may end meanwhile.
        """
        topics = dict(self._node.get_topic_names_and_types())
        is_there = any(self._node.count_publishers(name) for name in topics if name.endswith(STATUS))
        if self._exits and self._saw_simulation and not is_there:
            self._end()
        self._saw_simulation = is_there
        self._channels.update_topics(topics)

    def _warn(self, line: str) -> None:
        """Report a refusal on standard error and to all clients."""
        print(line, file=sys.stderr, flush=True)
        self._server.publish_status(line, StatusLevel.Warning)
