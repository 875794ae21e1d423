"""The way of commands to the world: one record for each action, and one pipeline for all.

    codec: decode, check ► lock-step hold ► journal ► power ► expand ► faults ► apply
                               a replay enters here ─┘

Every sender (a topic, service, parameter, or the socket of the `controller` module) makes a `Command`: the
sender and a tuple of frozen records of plain values. Between two steps the session's thread submits it and
gets the outcome at once; from another thread, or within a step, it is posted and answered later. A refused
command changes nothing, whatever was raised, and returns `Refused` with one line.

The journal notes a command before it is carried out, and afterwards its outcome if that differs from the
request. Faults act where a declared command enters its device (`devices/commands.py`), so that a twist is
subject to the faults of each wheel, and a replay to the same faults as the run. Queries are not commands, nor
is what players, motors and batteries do within a step.
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
class Action(ABC):
    """Request to change the world or the run: a frozen record of plain values."""

    @property
    def is_journaled(self) -> bool:
        """True if a replay needs it; False if it does not change the world or notes itself in the journal."""
        return True

    @property
    def needs_power_of(self) -> str:
        """Name of the robot whose battery must not be empty; "" if none."""
        return ""

    def changes(self, session: Session) -> tuple[Stateful, ...] | None:
        """Return all objects whose state the action may change; None: any."""
        return None

    def carry_out(self, session: Session) -> Outcome:
        """Carry out the action, between two steps.

        Raises:
            OdesimError: it is refused and has changed nothing.
        """
        message = self._act(session)
        if message is None:
            return DONE
        return Clamped(message) if isinstance(message, str) else message

    @abstractmethod
    def _act(self, session: Session) -> Outcome | str | None:
        """Carry out the action as `carry_out` does; return a line if a value was clamped."""


class Command(NamedTuple):
    """One or several actions with their sender.

    Attributes:
        sender: a topic, the robot of a controller, or another name of the sender.
        actions: carried out together: all of them or none.
        form: the original message of the topic, if the journal keeps that instead of the actions.
    """

    sender: str
    actions: tuple[Action, ...]
    form: Any = None


def decoded(sender: str, decode: Callable[[Any], tuple[Action, ...]], form: Any) -> Command | Refused:
    """Decode a message to a command with its original form for the journal; return Refused if that fails."""
    try:
        return Command(sender, decode(form), form)
    except Exception as error:
        return refusal(error)


class Pipeline:
    """Carries out commands in the session's thread, between two steps."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def submit(self, command: Command | Refused) -> Outcome:
        """Carry out a command and note it in the journal; a message that could not be decoded is returned as
        it is."""
        if isinstance(command, Refused):
            return command
        journal = self._session.journal
        is_journaled = journal.is_on and all(each.is_journaled for each in command.actions)
        if is_journaled:
            journal.command(command)
        outcome = self.replay(command)
        if is_journaled and outcome is not DONE and not isinstance(outcome, Done):
            journal.outcome(command, outcome)
        return outcome

    def post(self, command: Command | Refused) -> Future[Outcome]:
        """Queue a command from any thread, also within a step; it is carried out between two steps."""
        return self._session.inbox.post(partial(self.submit, command))

    def replay(self, command: Command) -> Outcome:
        """Carry out a command of a recording, or one that is not to be noted."""
        return outcome_of(self._carry_out, command.actions)

    def _carry_out(self, actions: tuple[Action, ...]) -> Outcome:
        robots = self._session.sim.robots
        for action in actions:
            robot = robots.get(action.needs_power_of)
            if robot is not None and not robot.is_on:
                raise CommandError(f"the battery of {robot.name} is empty")
        if len(actions) == 1:
            return actions[0].carry_out(self._session)
        put_back = self._guard(actions)
        outcome: Outcome = DONE
        try:
            for action in actions:
                found = action.carry_out(self._session)
                if outcome is DONE:
                    outcome = found
        except Exception:
            put_back()
            raise
        return outcome

    def _guard(self, actions: tuple[Action, ...]) -> Callable[[], None]:
        """Return a function that restores the present state, to the last bit, if one of several actions is
        refused."""
        sim = self._session.sim
        owners: set[Stateful] = set()
        for action in actions:
            changed = action.changes(self._session)
            if changed is None:
                return partial(sim.restore, sim.snapshot())
            owners.update(changed)
        states = [(owner, owner.state.copy()) for owner in owners]
        put_actuators_back = sim.world.scheduler.guard()

        def put_back() -> None:
            for owner, state in states:
                owner.state = state
            for owner, _ in states:
                owner.restored()
            put_actuators_back()

        return put_back
