"""Outcomes of requests; the one place where exceptions of requests become outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sim_core.base.errors import CommandError, in_one_line


class Done(NamedTuple):
    """The request was carried out; the answer, if any."""

    answer: Any = None


class Clamped(NamedTuple):
    """The request was carried out with a changed value; the text says which."""

    text: str


class Refused(NamedTuple):
    """The request changed nothing; the code is one of `errors.Code`, or a service's own."""

    code: int
    text: str


Outcome = Done | Clamped | Refused
DONE = Done()


def outcome_of(act: Callable[..., Any], *values: Any) -> Outcome:
    """Call `act` and return its outcome: an outcome that it returns, its answer, or Refused for any
    exception."""
    try:
        answer = act(*values)
    except Exception as error:
        return refusal(error)
    return answer if isinstance(answer, (Done, Clamped, Refused)) else Done(answer)


def refusal(error: Exception) -> Refused:
    """Return the outcome for an exception, with its text in one line."""
    return Refused(error.code if isinstance(error, CommandError) else CommandError.code, in_one_line(error))
