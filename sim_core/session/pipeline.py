"""How wishes reach the world: one record for each, and one way for all of them.

    codec: decode, check ► lock-step hold ► journal ► power ► expand ► faults ► apply
                               a replay enters here ─┘

Whoever wishes something, on a topic, by a service, a parameter or the socket of `controller`, makes a
`Command` of it: who asks, and what, as frozen records of plain values that name what they mean. Between two
steps the session's thread submits it and has the outcome at once; from another thread, or within a step, it
is posted and answered later. What is refused changes nothing, whatever was raised, and comes back as
`Refused` with one line.

The journal notes what was asked before it is carried out, and afterwards what came of it where that is not
just what was asked. Faults strike where a declared command enters its device (`devices/commands.py`), so that
a twist meets those of each wheel, and a replay meets them as the run did. Queries are no commands, nor is
what players, motors and batteries do within a step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sim_core.base.errors import CommandError
from sim_core.base.outcome import DONE, Clamped, Done, Outcome, Refused, outcome_of, refusal
from sim_core.base.state import Stateful

if TYPE_CHECKING:
    from sim_core.session.session import Session


@dataclass(frozen=True, slots=True)
class Wish(ABC):
    """What is asked for: a frozen record of plain values."""

    @property
    def is_journaled(self) -> bool:
        """A replay needs it; False: it leaves the world as it is, or tells the journal itself."""
        return True

    @property
    def power_of(self) -> str:
        """The robot without whose battery it cannot be; empty: it needs none."""
        return ""

    def changes(self, session: Session) -> tuple[Stateful, ...] | None:
        """All whose state it may change; None: anything."""
        return None

    def carry_out(self, session: Session) -> Outcome:
        """Do it, between two steps.

        Raises:
            OdesimError: it is refused, and has changed nothing.
        """
        said = self._act(session)
        if said is None:
            return DONE
        return Clamped(said) if isinstance(said, str) else said

    @abstractmethod
    def _act(self, session: Session) -> Outcome | str | None:
        """As `carry_out`; a line if something was clamped."""


class Command(NamedTuple):
    """A wish that reaches the world.

    Attributes:
        sender: who asks: a topic, a robot for its controller, or another name that says it.
        wishes: what is asked for; they count as one.
        form: as it came, where a journal keeps that: a message of the topic.
    """

    sender: str
    wishes: tuple[Wish, ...]
    form: Any = None


def decoded(sender: str, decode: Callable[[Any], tuple[Wish, ...]], form: Any) -> Command | Refused:
    """The command that came in some form, which a journal keeps; or why it is none."""
    try:
        return Command(sender, decode(form), form)
    except Exception as error:
        return refusal(error)


class Pipeline:
    """Carries out commands, in the session's thread and between two steps."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def submit(self, command: Command | Refused) -> Outcome:
        """Carry a command out, and tell the journal of it; what could not be decoded is its own outcome."""
        if isinstance(command, Refused):
            return command
        journal = self._session.journal
        is_journaled = journal.is_on and all(each.is_journaled for each in command.wishes)
        if is_journaled:
            journal.command(command)
        outcome = self.replay(command)
        if is_journaled and outcome is not DONE and not isinstance(outcome, Done):
            journal.outcome(command, outcome)
        return outcome

    def post(self, command: Command | Refused) -> Future[Outcome]:
        """Have a command carried out between two steps, from any thread and within a step."""
        return self._session.inbox.post(partial(self.submit, command))

    def replay(self, command: Command) -> Outcome:
        """Carry out a command that a journal told, or that need not be noted."""
        return outcome_of(self._carry_out, command.wishes)

    def _carry_out(self, wishes: tuple[Wish, ...]) -> Outcome:
        robots = self._session.sim.robots
        for wish in wishes:
            robot = robots.get(wish.power_of)
            if robot is not None and not robot.is_on:
                raise CommandError(f"the battery of {robot.name} is empty")
        if len(wishes) == 1:
            return wishes[0].carry_out(self._session)
        put_back = self._guard(wishes)
        outcome: Outcome = DONE
        try:
            for wish in wishes:
                found = wish.carry_out(self._session)
                if outcome is DONE:
                    outcome = found
        except Exception:
            put_back()
            raise
        return outcome

    def _guard(self, wishes: tuple[Wish, ...]) -> Callable[[], None]:
        """What puts all back as it is now, to the last bit, if one of several wishes is refused."""
        sim = self._session.sim
        owners: set[Stateful] = {sim.world.scheduler}
        for wish in wishes:
            changed = wish.changes(self._session)
            if changed is None:
                return partial(sim.restore, sim.snapshot())
            owners.update(changed)
        states = [(owner, owner.state.copy()) for owner in owners]

        def put_back() -> None:
            for owner, state in states:
                owner.state = state
            for owner, _ in states:
                owner.restored()

        return put_back
