"""`odesim bag commands`: what was asked of a recorded run, a line each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.changes import COMMAND, DEVICE_COMMAND, OUTCOME, from_text
from ros_bridge.topics.message_fields import leaves
from sim_core.base.errors import RecordingError

MOST = 8
"""Elements of an array, and bytes, that are shown one by one."""


def journal(bag: Bag) -> Iterator[str]:
    """The commands in the order in which they were carried out, with the log time in seconds."""
    topics = set(map(str, bag.table(facts.COMMANDS, list, "[]")))
    for item in bag.in_file_order():
        if item.topic != facts.CHANGES and item.topic not in topics:
            continue
        message = bag.read(item.data, item.type_name)
        if item.topic != facts.CHANGES:
            told = ", ".join(f"{name} {value}" for name, value in leaves(message, most=MOST))
            yield f"{item.log_time_ns / 1e9:10.3f}  {item.topic}  {told}"
            continue
        try:
            lines = list(_lines(from_text(message.data)))
        except (LookupError, TypeError, AttributeError, ValueError):
            raise RecordingError(
                f"{bag.path}: found {message.data!r:.300}, expected a change as odesim records it"
            ) from None
        for line in lines:
            yield f"{item.log_time_ns / 1e9:10.3f}  {line}"


def _lines(change: dict[str, Any]) -> Iterator[str]:
    """A change that came by no topic."""
    details = {name: value for name, value in change.items() if name not in ("what", "time_ns")}
    what, sender = change["what"], details.pop("from", "")
    if what == COMMAND:
        for told in details["wishes"]:
            yield f"{sender}  {_wish(told)}"
    elif what == OUTCOME:
        ((kind, text),) = details.items()
        yield f"{sender}  {kind}: {text}"
    else:
        told = ", ".join(f"{name} {_value(value)}" for name, value in details.items())
        yield f"{what}  {told}".rstrip()


def _wish(told: dict[str, Any]) -> str:
    """`motor.set_velocity(2.0)` for what a device is told, `SetField("BALL", "translation", [1.0, …])`."""
    if told["do"] == DEVICE_COMMAND:
        return f"{told['device']}.{told['command']}({_values(list(told['arguments'].values()))})"
    return f"{told['do']}({_values([value for name, value in told.items() if name != 'do'])})"


def _values(values: list[Any]) -> str:
    return ", ".join(map(_value, values))


def _value(value: Any) -> str:
    if isinstance(value, bytes) and len(value) > MOST:
        return f"{len(value)} bytes"
    return json.dumps(value) if isinstance(value, str) else repr(value)
