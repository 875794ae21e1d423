"""Differences between versions of the standard's messages."""

from __future__ import annotations

from typing import Any

from ros_bridge.topics.conversions import messages_of

PACKAGE = "simulation_interfaces"


def is_served() -> bool:
    """Return whether the package is installed in a supported version, 2.0 or later."""
    return hasattr(messages_of(PACKAGE), "WorldResource")


def world_resource(message: Any) -> Any:
    """Return the Resource in a WorldResource or a request for a world, whose name differs in 2.0."""
    for name in ("world_resource", "level_resource"):
        if hasattr(message, name):
            return getattr(message, name)
    return message


def flag(request: Any, name: str) -> bool:
    """Return a flag of a request; version 2.0 has none, which means true."""
    return bool(getattr(request, name, True))


def answer(result: Any, code: int, text: str = "") -> None:
    """Fill a Result."""
    result.result, result.error_message = int(code), text
