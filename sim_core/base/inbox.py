"""What other threads ask for while a simulation runs, handed to the one that steps it.

Whatever it raises ends no run: only a step may do that. This is the place where all that is asked for, on
topics, by services, parameters and controllers, is carried out; who asks may name it better before.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable
from typing import Any

from sim_core.base.errors import Code, in_one_line
from sim_core.base.outcome import DONE, Outcome, Refused, outcome_of
from sim_core.base.simple_queue import take

Action = Callable[[], Any]
ANSWER_TIMEOUT = 10.0
"""Seconds of wall time that a caller waits for its request to be carried out."""


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


class _Request:
    """Something that somebody waits for, with its outcome."""

    def __init__(self, action: Action) -> None:
        self._action = action
        self._done = threading.Event()
        self._outcome: Outcome = DONE

    def __call__(self) -> None:
        """Carry it out, on the simulation's thread."""
        self.answer(outcome_of(self._action))

    def answer(self, outcome: Outcome) -> None:
        """It has come to this."""
        self._outcome = outcome
        self._done.set()

    def wait(self, limit: float) -> Outcome:
        """Wait for the outcome, so many seconds."""
        if self._done.wait(limit):
            return self._outcome
        return Refused(Code.OPERATION_FAILED, f"the simulation was busy for {limit:g} s")


ENDING = Refused(Code.OPERATION_FAILED, "the simulation is ending")


class Inbox:
    """Calls put in by any thread (and by signal handlers), carried out between steps by one.

    A `queue.SimpleQueue` is list and event in one: asking whether it is empty costs 30 ns, and `get` wakes up
    as soon as something is put in.
    """

    def __init__(self, warn: Callable[[str], object] = _to_stderr) -> None:
        """`warn` is told in one line what was refused and is said by nobody else."""
        self._warn = warn
        self._queue: queue.SimpleQueue[Action] = queue.SimpleQueue()
        self.put = self._queue.put
        self.is_empty = self._queue.empty
        self._closed = False

    def ask(self, action: Action, limit: float = ANSWER_TIMEOUT) -> Outcome:
        """Have an action carried out between two steps, and its outcome; for other threads only."""
        request = _Request(action)
        self.put(request)
        if self._closed:
            request.answer(ENDING)
        return request.wait(limit)

    def drain(self) -> None:
        """Carry out what has come."""
        while not self.is_empty():
            self._carry_out(self._queue.get_nowait())

    def wait(self, seconds: float) -> None:
        """Sleep until something comes, at most so long; then carry it out."""
        try:
            action = take(self._queue, seconds)
        except queue.Empty:
            return
        self._carry_out(action)

    def close(self) -> None:
        """Refuse all requests from now on."""
        self._closed = True
        while not self.is_empty():
            action = self._queue.get_nowait()
            if isinstance(action, _Request):
                action.answer(ENDING)

    def _carry_out(self, action: Action) -> None:
        try:
            action()
        except Exception as error:  # whatever comes from outside, the world goes on
            called = getattr(action, "func", action)  # of a partial
            name = getattr(called, "__qualname__", type(called).__name__)
            self._warn(f"refused ({name}): {in_one_line(error)}")
