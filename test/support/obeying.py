"""Commands that come on topics, carried out without a node."""

from typing import Any

from sim_core.base.errors import CommandError
from sim_core.base.outcome import Clamped, Refused
from sim_core.session.pipeline import Action, Command, decoded
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation


def obey(sim: Simulation, topic: Any, message: Any) -> str | None:
    """Carry out a message of a topic (an Input or a Subscription); the line if something was clamped.

    Raises:
        CommandError: it was refused.
    """
    return outcome(sim, decoded("a topic", topic.decode, message))


def perform(sim: Simulation, *actions: Action) -> str | None:
    """As `obey`, of actions."""
    return outcome(sim, Command("a test", actions))


def outcome(sim: Simulation, command: Command | Refused) -> str | None:
    """As `obey`, of a command."""
    found = Session(sim).pipeline.submit(command)
    if isinstance(found, Refused):
        raise CommandError(found.text, found.code)
    return found.text if isinstance(found, Clamped) else None
