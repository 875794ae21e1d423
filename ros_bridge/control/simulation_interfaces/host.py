"""What the simulation node lets these services do, and how they refuse; all of it between two steps."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

from sim_core.scene import Scene
from sim_core.session.simulation import Simulation


class Host(NamedTuple):
    """The simulation node, as far as these services need it."""

    sim: Simulation
    mode: Callable[[], str]
    """`paused`, or how it runs."""
    set_mode: Callable[[str], Any]
    resume: Callable[[], Any]
    steps_left: Callable[[], int]
    """Steps that are still to be made in the mode `paused`."""
    set_steps: Callable[[int], None]
    reset: Callable[[Callable[[], None] | None, int], Any]
    """Back to time 0; for a part of the world by a call in place of `Simulation.reset`, with its scope."""
    read: Callable[[str, bool], Scene]
    """A world from its file; True: what is missing is skipped."""
    load: Callable[[str, Scene], Any]
    """Go on with this world."""
    note: Callable[..., None]
    """Tells a recording of a change that is made now: what, and details that JSON can hold."""
    quit: Callable[[], Any]
    say: Callable[[str], Any]
    """A line for the log."""


class Code(IntEnum):
    """Of Result.msg."""

    FEATURE_UNSUPPORTED = 0
    OK = 1
    NOT_FOUND = 2
    INCORRECT_STATE = 3
    OPERATION_FAILED = 4


class Refusal(Exception):
    """A request that is not carried out.

    Attributes:
        code: of Result.msg, or of the service.
    """

    def __init__(self, code: int, text: str) -> None:
        self.code = int(code)
        super().__init__(one_line(text))


def world_resource(message: Any) -> Any:
    """The Resource in a WorldResource or a request for a world, which 2.0 calls or places otherwise."""
    for name in ("world_resource", "level_resource"):
        if hasattr(message, name):
            return getattr(message, name)
    return message


def flag(request: Any, name: str) -> bool:
    """A flag that says whether something is asked for; 2.0 has none and asks for all."""
    return bool(getattr(request, name, True))


def one_line(text: object) -> str:
    """Messages of several lines become one."""
    return "; ".join(line.strip() for line in str(text).splitlines() if line.strip())


def answer(result: Any, code: int, text: str = "") -> None:
    """Fill a Result."""
    result.result, result.error_message = int(code), text
