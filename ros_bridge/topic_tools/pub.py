"""`odesim topic pub`: publish messages with values in YAML."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.duration import Duration

from ros_bridge.topic_tools.quality import requested_qos
from ros_bridge.topic_tools.topic_inspector import TopicInspector, known_type
from ros_bridge.topics.filling import make_message
from ros_bridge.topics.tf_message import TFMessage
from sim_core.base.errors import ConfigError
from sim_core.base.yaml_nodes import read_yaml

CHECK_PERIOD = 0.1
REPORT_PERIOD = 1.0
HEADER, TIME = "std_msgs/Header", "builtin_interfaces/Time"

Stamp = Callable[[Any, Any], None]
"""Writes a builtin_interfaces/Time to a message."""


def pub(topic_inspector: TopicInspector, arguments: argparse.Namespace) -> int:
    """Publish until Ctrl-C, or a given number of times."""
    kind, message_type = known_type(arguments.message_type)
    if message_type is TFMessage:
        raise ConfigError(f"type {kind}: can be published only where tf2_msgs is installed")
    message, stamps = _message(message_type, arguments.values)
    times = 1 if arguments.once else arguments.times
    name = topic_inspector.full_name(arguments.topic_name)
    publisher = topic_inspector.node.create_publisher(message_type, name, requested_qos(arguments))
    wanted = arguments.wait_matching_subscriptions
    _wait(
        topic_inspector,
        publisher,
        int(times != 0) if wanted is None else wanted,
        arguments.max_wait_time_secs,
    )
    print("publisher: beginning loop", flush=True)
    count, due = 0, time.monotonic()
    while True:
        now = topic_inspector.node.get_clock().now().to_msg()
        for stamp in stamps:
            stamp(message, now)
        count += 1
        if arguments.print and count % arguments.print == 0:
            print(f"publishing #{count}: {message!r}\n", flush=True)
        publisher.publish(message)
        if count == times:
            break
        due += 1.0 / arguments.rate
        topic_inspector.sleep(max(0.0, due - time.monotonic()))
    publisher.wait_for_all_acked(Duration(seconds=arguments.keep_alive))
    topic_inspector.sleep(arguments.keep_alive)
    return 0


def _message(message_type: Any, text: str) -> tuple[Any, list[Stamp]]:
    """Return the message, and the functions that set its stamps before it is sent.

    Raises:
        ConfigError: the text is not YAML, or does not fit the message.
    """
    values = read_yaml(text, "values")
    if not isinstance(values, dict):
        raise ConfigError(f"values: found {text!r}, expected fields in YAML, such as '{{data: 1}}'")
    stamps: list[Stamp] = []
    _take_stamps(message_type, values, (), stamps)
    return make_message(message_type, values), stamps


def _take_stamps(
    message_type: Any, values: dict[Any, Any], path: tuple[str, ...], stamps: list[Stamp]
) -> None:
    """Remove `header: auto` and `stamp: now` from the values."""
    fields = message_type.get_fields_and_field_types()
    for name, value in list(values.items()):
        kind = fields.get(name)
        if kind == HEADER and value == "auto":
            stamps.append(partial(_set, (*path, name, "stamp")))
            del values[name]
        elif kind == TIME and value == "now":
            stamps.append(partial(_set, (*path, name)))
            del values[name]
        elif isinstance(value, dict) and kind is not None:
            _take_stamps(type(getattr(message_type(), name)), value, (*path, name), stamps)


def _set(path: tuple[str, ...], message: Any, now: Any) -> None:
    for name in path[:-1]:
        message = getattr(message, name)
    setattr(message, path[-1], now)


def _wait(topic_inspector: TopicInspector, publisher: Any, wanted: int, longest: float | None) -> None:
    """Wait for subscriptions.

    Raises:
        ConfigError: too few have appeared in time.
    """
    start, last_report = time.monotonic(), float("-inf")
    while publisher.get_subscription_count() < wanted:
        now = time.monotonic()
        if longest is not None and now - start >= longest:
            found = f"found {publisher.get_subscription_count()} subscribers"
            raise ConfigError(f"topic {publisher.topic_name}: {found} in {longest:g} s, expected {wanted}")
        if now - last_report >= REPORT_PERIOD:
            last_report = now
            print(f"Waiting for at least {wanted} matching subscription(s)...", flush=True)
        topic_inspector.sleep(CHECK_PERIOD)
