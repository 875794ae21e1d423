"""What came of something that was asked from outside: the one place where it meets what it raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sim_core.base.errors import CommandError, in_one_line


class Done(NamedTuple):
    """It was carried out; the answer, where there is one."""

    answer: Any = None


class Clamped(NamedTuple):
    """It was carried out, but not quite as it was asked for: a line says what was done instead."""

    text: str


class Refused(NamedTuple):
    """It changed nothing; the code is one of `errors.Code`, or of a service's own."""

    code: int
    text: str


Outcome = Done | Clamped | Refused
DONE = Done()


def outcome_of(act: Callable[..., Any], *values: Any) -> Outcome:
    """Do it; what it returns is its outcome, or the answer. Whatever it raises, the world goes on."""
    try:
        answer = act(*values)
    except Exception as error:
        return refusal(error)
    return answer if isinstance(answer, (Done, Clamped, Refused)) else Done(answer)


def refusal(error: Exception) -> Refused:
    """Why something was refused, in one line."""
    return Refused(error.code if isinstance(error, CommandError) else CommandError.code, in_one_line(error))
