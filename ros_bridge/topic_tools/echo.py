"""`odesim topic echo`: print messages as they arrive."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks

from ros_bridge.topic_tools.decoding import decoder
from ros_bridge.topic_tools.quality import matching_qos
from ros_bridge.topic_tools.text import TextOptions, as_csv, as_text
from ros_bridge.topic_tools.topic_inspector import TopicInspector
from ros_bridge.topics.message_fields import value_at
from sim_core.base.errors import ConfigError, in_one_line

CLEAR = "\x1b[H\x1b[2J"
END = "---"


def echo(topic_inspector: TopicInspector, arguments: argparse.Namespace) -> int:
    """Print messages until Ctrl-C, the first message, or the end of the time."""
    until = None if arguments.timeout is None else time.monotonic() + arguments.timeout
    kind, message_type = topic_inspector.class_of(arguments.topic_name, arguments.message_type)
    name = topic_inspector.full_name(arguments.topic_name)
    show = _shower(arguments, decoder(kind, message_type))

    def lost(info: Any) -> None:
        if not arguments.no_lost_messages:
            counts = f"\ttotal count change:{info.total_count_change}\n\ttotal count: {info.total_count}"
            topic_inspector.put(f"A message was lost!!!\n{counts}{END}")

    topic_inspector.node.create_subscription(
        message_type,
        name,
        topic_inspector.put,
        matching_qos(arguments, topic_inspector.node.get_publishers_info_by_topic(name)),
        raw=True,
        event_callbacks=SubscriptionEventCallbacks(message_lost=lost),
    )
    while (item := topic_inspector.next_item(until)) is not None:
        if isinstance(item, str):
            print(item, flush=True)
        elif show(item) and arguments.once:
            break
    return 0


def _shower(arguments: argparse.Namespace, decode: Callable[[bytes], Any]) -> Callable[[bytes], bool]:
    """Return a function that prints a message, and returns whether a filter has passed it."""
    shape = TextOptions(
        None if arguments.full_length else arguments.truncate_length,
        arguments.no_arr,
        arguments.no_str,
        arguments.flow_style,
    )
    passes = _filter(arguments.filter_expr)
    before = CLEAR if arguments.clear else ""

    def show(data: bytes) -> bool:
        value: Any = data
        if not arguments.raw:
            value = decode(data)
            value = value_at(value, arguments.field) if arguments.field else value
        if not passes(value):
            return False
        if arguments.csv and hasattr(value, "SLOT_TYPES"):
            text = as_csv(value, shape)
        else:
            text = f"{as_text(value, shape)}{END}"
        print(f"{before}{text}", flush=True)
        return True

    return show


def _filter(expression: str | None) -> Callable[[Any], bool]:
    """Return a function that evaluates a Python expression of `m`.

    Raises:
        ConfigError: the expression is invalid.
    """
    if expression is None:
        return lambda _: True
    try:
        code = compile(expression, "--filter", "eval")
    except (SyntaxError, ValueError) as error:
        raise ConfigError(f"--filter {expression}: {in_one_line(error)}") from None

    def holds(message: Any) -> bool:
        try:
            return bool(eval(code, {"m": message}))
        except Exception as error:
            raise ConfigError(f"--filter {expression}: {in_one_line(error)}") from None

    return holds
