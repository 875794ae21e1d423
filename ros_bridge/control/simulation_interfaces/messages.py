"""Messages of the standard, whose versions differ."""

from __future__ import annotations

from typing import Any

from ros_bridge.topics.conversions import messages_of

PACKAGE = "simulation_interfaces"


def is_served() -> bool:
    """Whether the package is installed, in a version that can be served: 2.0 or later."""
    return hasattr(messages_of(PACKAGE), "WorldResource")


def world_resource(message: Any) -> Any:
    """The Resource in a WorldResource or a request for a world, which 2.0 calls or places otherwise."""
    for name in ("world_resource", "level_resource"):
        if hasattr(message, name):
            return getattr(message, name)
    return message


def flag(request: Any, name: str) -> bool:
    """A flag that says whether something is asked for; 2.0 has none and asks for all."""
    return bool(getattr(request, name, True))


def answer(result: Any, code: int, text: str = "") -> None:
    """Fill a Result."""
    result.result, result.error_message = int(code), text
