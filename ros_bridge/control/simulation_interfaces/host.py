"""What the simulation node lets these services do, and how they refuse; all of it between two steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sim_core.base.errors import CommandError
from sim_core.base.outcome import Refused
from sim_core.scene import Scene
from sim_core.session.pipeline import Command, Wish
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation


class Host(NamedTuple):
    """The simulation node, as far as these services need it."""

    session: Session
    mode: Callable[[], str]
    """`paused`, or how it runs."""
    set_mode: Callable[[str], Any]
    resume: Callable[[], Any]
    steps_left: Callable[[], int]
    """Steps that are still to be made in the mode `paused`."""
    set_steps: Callable[[int], None]
    reset: Callable[[], Any]
    """Back to the start, all of it."""
    restart_controllers: Callable[[], None]
    """Start those anew that cannot see that time is 0 again."""
    read: Callable[[str, bool], Scene]
    """A world from its file; True: what is missing is skipped."""
    load: Callable[[str, Scene], Any]
    """Go on with this world."""
    quit: Callable[[], Any]
    say: Callable[[str], Any]
    """A line for the log."""

    @property
    def sim(self) -> Simulation:
        """The simulation of now."""
        return self.session.sim

    def submit(self, *wishes: Wish) -> None:
        """Have the session carry out a command.

        Raises:
            CommandError: it was refused.
        """
        outcome = self.session.pipeline.submit(Command("simulation_interfaces", wishes))
        if isinstance(outcome, Refused):
            raise CommandError(outcome.text, outcome.code)


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
