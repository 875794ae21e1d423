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
COMMAND, OUTCOME = "command", "outcome"
WISHES: dict[str, type[Any]] = {
    each.__name__: each
    for module in (controller_commands, robot_commands, run_commands, world_commands)
    for each in module.WISHES
}
"""The records that a command consists of, by their names."""


def told_command(command: Command) -> dict[str, Any]:
    """What a command wishes, for `to_text`."""
    wishes = [{"do": type(each).__name__, **asdict(each)} for each in command.wishes]
    return {"from": command.sender, "wishes": wishes}


def command_of(details: Mapping[str, Any]) -> Command:
    """The command that was told so.

    Raises:
        RecordingError: no such wish is known.
    """
    wishes = []
    for told in details["wishes"]:
        values = {name: value for name, value in told.items() if name != "do"}
        try:
            wishes.append(WISHES[told["do"]](**values))
        except (KeyError, TypeError):
            raise RecordingError(f"found the command {told}, expected one that this odesim knows") from None
    return Command(details["from"], tuple(wishes))


def to_text(change: dict[str, Any]) -> str:
    """A change as text."""
    return json.dumps(change, default=_stand_in)


def from_text(text: str) -> dict[str, Any]:
    """The change of a text."""
    found: dict[str, Any] = json.loads(text, object_hook=_put_in)
    return found


def _stand_in(value: bytes) -> dict[str, str]:
    return {BYTES: base64.b64encode(value).decode()}


def _put_in(value: dict[str, Any]) -> Any:
    return base64.b64decode(value[BYTES]) if value.keys() == {BYTES} else value
