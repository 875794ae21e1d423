"""How commands and changes of the world that came by no topic stand in a recording: JSON; bytes in base 64.

A command is `{"time_ns", "what": "command", "from", "wishes": [{"do": "SetField", "node": …}, …]}`, with the
fields of its records as they are.
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
JOURNAL = "3"
"""Number of this form, and of the names in it; 1 and 2 were those of the module `controller`."""
COMMAND, OUTCOME, NOTE = "command", "outcome", "note"
DEVICE_COMMAND = "Tell"
"""Name of `DeviceCommand` in recordings."""


def _recorded_name(kind: type[Any]) -> str:
    """Return the name by which recordings call a record; all but one are called like their classes."""
    return DEVICE_COMMAND if kind is robot_commands.DeviceCommand else kind.__name__


ACTIONS: dict[str, type[Any]] = {
    _recorded_name(each): each
    for module in (controller_commands, robot_commands, run_commands, world_commands)
    for each in module.ACTIONS
}
"""The records that a command consists of, by their names in recordings."""


def told_command(command: Command) -> dict[str, Any]:
    """The actions of a command, for `to_text`."""
    actions = [{"do": _recorded_name(type(each)), **asdict(each)} for each in command.actions]
    return {"from": command.sender, "wishes": actions}


def command_of(details: Mapping[str, Any]) -> Command:
    """The command that was told so.

    Raises:
        RecordingError: no such action is known.
    """
    try:
        sender, told = details["from"], details["wishes"]
        actions = [
            ACTIONS[each["do"]](**{name: each[name] for name in each if name != "do"}) for each in told
        ]
    except (LookupError, TypeError):
        raise RecordingError(f"found {details!r}, expected a command that this odesim knows") from None
    return Command(str(sender), tuple(actions))


def number_of(details: Mapping[str, Any], name: str) -> int:
    """A number that belongs to a change.

    Raises:
        RecordingError: it is none.
    """
    found = details.get(name)
    if not isinstance(found, (int, str)) or not str(found).lstrip("-").isdecimal():
        raise RecordingError(f"found {details!r}, expected a change with a whole number for {name}")
    return int(found)


def to_text(change: dict[str, Any]) -> str:
    """A change as text."""
    return json.dumps(change, default=_stand_in)


def from_text(text: str) -> dict[str, Any]:
    """The change of a text: `what` it is, when, and what belongs to it.

    Raises:
        RecordingError: it is none.
    """
    try:
        found = json.loads(text, object_hook=_put_in)
    except (ValueError, TypeError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("what"), str):
        raise RecordingError(f"found {text!r}, expected a change of the world in JSON")
    number_of(found, "time_ns")
    return found


def _stand_in(value: bytes) -> dict[str, str]:
    return {BYTES: base64.b64encode(value).decode()}


def _put_in(value: dict[str, Any]) -> Any:
    return base64.b64decode(value[BYTES]) if value.keys() == {BYTES} else value
