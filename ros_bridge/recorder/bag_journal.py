"""`odesim bag commands`: lists the commands and changes of a recorded run, one line each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.changes import COMMAND, OUTCOME, from_text
from ros_bridge.topics.message_fields import leaves
from sim_core.base.errors import RecordingError
from sim_core.session.robot_commands import DeviceCommand

MOST = 8
"""Maximum number of elements of an array, or of bytes, that are shown."""


def journal(bag: Bag) -> Iterator[str]:
    """Iterate over the commands in the order of their execution, with the log time in seconds."""
    topics = set(map(str, bag.table(facts.COMMANDS, list, "[]")))
    for item in bag.in_file_order():
        if item.topic != facts.CHANGES and item.topic not in topics:
            continue
        message = bag.decode(item.data, item.type_name)
        if item.topic != facts.CHANGES:
            fields = ", ".join(f"{name} {value}" for name, value in leaves(message, most=MOST))
            yield f"{item.log_time_ns / 1e9:10.3f}  {item.topic}  {fields}"
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
    """Iterate over the lines of a change that was not made through a topic."""
    details = {name: value for name, value in change.items() if name not in ("what", "time_ns")}
    what, sender = change["what"], details.pop("from", "")
    if what == COMMAND:
        for action in details["actions"]:
            yield f"{sender}  {_action(action)}"
    elif what == OUTCOME:
        ((kind, text),) = details.items()
        yield f"{sender}  {kind}: {text}"
    else:
        fields = ", ".join(f"{name} {_value(value)}" for name, value in details.items())
        yield f"{what}  {fields}".rstrip()


def _action(action: dict[str, Any]) -> str:
    """Return `motor.set_velocity(2.0)` for a device's command, else `SetField("BALL", "size", [1.0, …])`."""
    if action["do"] == DeviceCommand.__name__:
        return f"{action['device']}.{action['command']}({_values(list(action['arguments'].values()))})"
    return f"{action['do']}({_values([value for name, value in action.items() if name != 'do'])})"


def _values(values: list[Any]) -> str:
    return ", ".join(map(_value, values))


def _value(value: Any) -> str:
    if isinstance(value, bytes) and len(value) > MOST:
        return f"{len(value)} bytes"
    return json.dumps(value) if isinstance(value, str) else repr(value)
