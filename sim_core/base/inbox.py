"""What other threads ask for while a simulation runs, handed to the one that steps it.

Whatever it raises ends no run: only a step may do that. This is the place where all that is asked for, on
topics, by services, parameters and controllers, is carried out; who asks may name it better before.
"""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from sim_core.base.errors import Code, in_one_line
from sim_core.base.outcome import Outcome, Refused, outcome_of
from sim_core.base.simple_queue import take

Action = Callable[[], Any]
ANSWER_TIMEOUT = 10.0
"""Seconds of wall time that a caller waits for its request to be carried out."""
ENDING = Refused(Code.OPERATION_FAILED, "the simulation is ending")


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class _Posted:
    """Something that somebody wants to know the outcome of."""

    act: Action
    future: Future[Outcome]

    def __call__(self) -> None:
        """Carry it out, on the simulation's thread, unless nobody waits any more."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_result(outcome_of(self.act))


def awaited(future: Future[Outcome], limit: float = ANSWER_TIMEOUT) -> Outcome:
    """What came of something posted; for other threads only. What takes too long to begin is not done."""
    try:
        return future.result(limit)
    except TimeoutError:
        future.cancel()
        return Refused(Code.OPERATION_FAILED, f"the simulation was busy for {limit:g} s")


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

    def post(self, act: Action) -> Future[Outcome]:
        """Have something carried out between two steps; what came of it is known later."""
        future: Future[Outcome] = Future()
        self.put(_Posted(act, future))
        if self._closed:
            self.close()
        return future

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
        while True:
            try:
                action = self._queue.get_nowait()
            except queue.Empty:
                return
            if isinstance(action, _Posted) and action.future.set_running_or_notify_cancel():
                action.future.set_result(ENDING)

    def _carry_out(self, action: Action) -> None:
        try:
            action()
        except Exception as error:  # whatever comes from outside, the world goes on
            called = getattr(action, "func", action)  # of a partial
            name = getattr(called, "__qualname__", type(called).__name__)
            self._warn(f"refused ({name}): {in_one_line(error)}")
