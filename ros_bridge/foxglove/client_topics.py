"""Publishes on ROS what clients of a Foxglove server publish."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.exceptions import InvalidTopicNameException
from rclpy.qos import DurabilityPolicy
from rclpy.validate_full_topic_name import validate_full_topic_name

from ros_bridge.topics.cdr import Decoder
from ros_bridge.topics.conversions import full_type
from ros_bridge.topics.filling import make_message
from ros_bridge.topics.qos import COMMAND, profile
from ros_bridge.topics.tf_message import NAME as TF_TYPE
from ros_bridge.topics.tf_message import raw_class
from sim_core.base.errors import ConfigError, OdesimError, in_one_line

CDR, JSON = "cdr", "json"
ENCODINGS = (CDR, JSON)

ClientTopic = tuple[int, int]
"""Numbers of a client and its channel."""


@dataclass
class _ClientChannel:
    topic: str
    type_name: str
    encoding: str
    publisher: Any
    has_warned: bool = False


class ClientTopics:
    """Publishers for the channels of clients, each as long as its client uses it; for use in one thread.

    Args:
        node: node for the publishers.
        warn: receives a line about each refusal.
    """

    def __init__(self, node: Any, warn: Callable[[str], object]) -> None:
        self._node, self._warn = node, warn
        self._channels: dict[ClientTopic, _ClientChannel] = {}
        self._decoder = Decoder()

    def advertised(self, key: ClientTopic, topic: str, schema_name: str, encoding: str) -> None:
        """Create a publisher for a client."""
        self.unadvertised(key)
        try:
            if encoding not in ENCODINGS:
                raise ConfigError(f'found the encoding "{encoding}", expected {" or ".join(ENCODINGS)}')
            kind = full_type(schema_name)
            validate_full_topic_name(topic)
            publisher = self._node.create_publisher(raw_class(kind), topic, self._qos(topic))
        except (ImportError, AttributeError, ValueError, InvalidTopicNameException, OdesimError) as error:
            self._warn(f"{topic}: cannot be published: {in_one_line(error)}")
            return
        self._channels[key] = _ClientChannel(topic, kind, encoding, publisher)

    def unadvertised(self, key: ClientTopic) -> None:
        """Destroy the publisher of a client that has stopped publishing or disconnected."""
        channel = self._channels.pop(key, None)
        if channel is not None:
            self._node.destroy_publisher(channel.publisher)

    def publish(self, key: ClientTopic, data: bytes) -> None:
        """Publish a client's message."""
        channel = self._channels.get(key)
        if channel is None:
            return
        try:
            channel.publisher.publish(self._message(channel, data))
        except (ValueError, OdesimError) as error:
            if not channel.has_warned:
                channel.has_warned = True
                self._warn(f"{channel.topic}: refused: {in_one_line(error)}")

    def close(self) -> None:
        """Destroy all publishers."""
        for key in list(self._channels):
            self.unadvertised(key)

    def _message(self, channel: _ClientChannel, data: bytes) -> Any:
        """Return a message for rclpy: the bytes if they are valid, or one made from JSON.

        Raises:
            ValueError, ConfigError: it is not a message of the type.
        """
        if channel.encoding == CDR:
            self._decoder.decode(data, channel.type_name)
            return data
        if channel.type_name == TF_TYPE:
            raise ConfigError(f"found JSON, expected cdr for {TF_TYPE}")
        values = json.loads(data)
        if not isinstance(values, dict):
            raise ConfigError(f"found {type(values).__name__}, expected an object with fields")
        return make_message(raw_class(channel.type_name), values)

    def _qos(self, topic: str) -> Any:
        """Return reliable QoS, transient local if a subscriber requests that."""
        listening = self._node.get_subscriptions_info_by_topic(topic)
        latched = any(each.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for each in listening)
        return profile(COMMAND._replace(transient_local=latched))
