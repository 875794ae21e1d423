"""Findings: what was noticed in a run, when, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, NamedTuple

from sim_core.base.clock import to_seconds


class Kind(Enum):
    """What a finding is about; the first of a run's findings in this order is its most probable cause."""

    CONTROLLER = "a controller ended with an error, or could not be started"
    DIVERGED = "the physics is no longer finite"
    WAITING = "the simulation waited for a controller until the end"
    INTERVENTION = "the world was changed in another way than by devices"
    TOPIC = "a topic that nobody hears, or that nobody speaks on"
    REFUSED = "a command was refused"
    ENDED = "a controller ended by itself"
    IDLE = "no command has moved a motor"
    TIPPED = "a robot has tipped over"
    STUCK = "a robot stands still, although its motors are to turn"
    CONTACT = "a robot touched something"
    LATE = "messages were late"
    SLIP = "a wheel slips"
    LIMIT = "a motor is at its limit"
    CLAMPED = "a command was past a limit"
    SAID = "the last line of a controller's output"
    FAILED = "a test failed"
    MOTION = "how far a robot moved"


NO_CAUSE = (Kind.SAID, Kind.FAILED, Kind.MOTION)
"""Kinds that describe the result of a run, not its cause."""


class Finding(NamedTuple):
    """Something noticed in a run.

    Attributes:
        time_ns: when it happened or began: nanoseconds since the start of the run; sim time as long as that
            does not start again.
        kind: what it is about.
        text: in words.
    """

    time_ns: int
    kind: Kind
    text: str

    def __str__(self) -> str:
        return f"{to_seconds(self.time_ns):10.3f} s  {self.text}"


def cause_of(findings: Iterable[Finding]) -> Finding | None:
    """Return the most probable cause: the first of the kind that comes first; None: there is none."""
    order = list(Kind)
    causes = [each for each in findings if each.kind not in NO_CAUSE]
    return min(causes, key=lambda each: (order.index(each.kind), each.time_ns), default=None)


def as_lines(findings: Sequence[Finding]) -> list[str]:
    """Return the explanation of a run: the cause, and then all findings in the order of time."""
    cause = cause_of(findings)
    first = "cause: none found" if cause is None else f"cause: {cause.text}, at {_seconds(cause)}"
    return [first, *map(str, in_order(findings))]


def as_table(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the explanation for programs: the cause, and all findings in the order of time."""
    cause = cause_of(findings)
    return {
        "cause": None if cause is None else _entry(cause),
        "findings": [_entry(each) for each in in_order(findings)],
    }


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings in the order of time."""
    return sorted(findings, key=lambda each: each.time_ns)


def _entry(finding: Finding) -> dict[str, Any]:
    time = to_seconds(finding.time_ns)
    return {"time": time, "kind": finding.kind.name.lower(), "text": finding.text}


def _seconds(finding: Finding) -> str:
    return f"{to_seconds(finding.time_ns):.9g} s"
