"""Format of commands and of changes not made through topics in a recording: JSON, with bytes in base 64.

A command is `{"time_ns", "what": "command", "from", "actions": [{"do": "SetField", "node": …}, …]}`, with the
fields of each action under their names.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sim_core.base.errors import RecordingError
from sim_core.session import controller_commands, robot_commands, run_commands, world_commands
from sim_core.session.pipeline import Command

BYTES = "base64"
JOURNAL = "4"
"""Version of this format and of the names in it; versions 1 and 2 are those of the module `controller`."""
READABLE = ("3", JOURNAL)
"""Versions that can be read. Version 3 calls the actions "wishes", and a `DeviceCommand` a `Tell`."""
COMMAND, OUTCOME, NOTE = "command", "outcome", "note"

ACTIONS: dict[str, type[Any]] = {
    each.__name__: each
    for module in (controller_commands, robot_commands, run_commands, world_commands)
    for each in module.ACTIONS
}
"""Classes of the actions of a command, by their names in recordings."""


def described_command(command: Command) -> dict[str, Any]:
    """Return sender and actions of a command, for `to_text`."""
    actions = [{"do": type(each).__name__, **asdict(each)} for each in command.actions]
    return {"from": command.sender, "actions": actions}


def command_of(details: Mapping[str, Any]) -> Command:
    """Return the command described by a change.

    Raises:
        RecordingError: an action is unknown.
    """
    try:
        sender, described = details["from"], details["actions"]
        actions = [
            ACTIONS[each["do"]](**{name: each[name] for name in each if name != "do"}) for each in described
        ]
    except (LookupError, TypeError):
        raise RecordingError(f"found {details!r}, expected a command that this odesim knows") from None
    return Command(str(sender), tuple(actions))


def number_of(details: Mapping[str, Any], name: str) -> int:
    """Return a number of a change.

    Raises:
        RecordingError: the number is missing or not a whole number.
    """
    found = details.get(name)
    if not isinstance(found, (int, str)) or not str(found).lstrip("-").isdecimal():
        raise RecordingError(f"found {details!r}, expected a change with a whole number for {name}")
    return int(found)


def to_text(change: dict[str, Any]) -> str:
    """Return a change as text."""
    return json.dumps(change, default=_encode_bytes)


def from_text(text: str) -> dict[str, Any]:
    """Return the change described by a text: its kind `what`, its time and its details.

    Raises:
        RecordingError: the text does not describe a change.
    """
    try:
        found = json.loads(text, object_hook=_decode_bytes)
    except (ValueError, TypeError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("what"), str):
        raise RecordingError(f"found {text!r}, expected a change of the world in JSON")
    number_of(found, "time_ns")
    return _current(found)


def _current(change: dict[str, Any]) -> dict[str, Any]:
    """Return a change with the present names."""
    former = change.pop("wishes", None)
    if not isinstance(former, list):
        return change
    return {**change, "actions": [_current_action(each) for each in former]}


def _current_action(action: Any) -> Any:
    is_former = isinstance(action, dict) and action.get("do") == "Tell"
    return {**action, "do": robot_commands.DeviceCommand.__name__} if is_former else action


def _encode_bytes(value: bytes) -> dict[str, str]:
    return {BYTES: base64.b64encode(value).decode()}


def _decode_bytes(value: dict[str, Any]) -> Any:
    return base64.b64decode(value[BYTES]) if value.keys() == {BYTES} else value
