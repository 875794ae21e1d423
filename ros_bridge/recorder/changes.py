"""How changes of the world that came by no topic stand in a recording: JSON; bytes in it in base 64."""

from __future__ import annotations

import base64
import json
from typing import Any

BYTES = "base64"


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
