"""What other threads ask for while a simulation runs, handed to the one that steps it.

Whatever it raises ends no run: only a step may do that. This is the place where all that is asked for, on
topics, by services, parameters and controllers, is carried out; who asks may name it better before.

Sockets can be watched too, so that one thread waits for all there is, and nobody reads for it: handing a
message from one thread to another costs more than reading it.
"""

from __future__ import annotations

import queue
import select
import socket
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from sim_core.base.errors import Code, in_one_line
from sim_core.base.outcome import Outcome, Refused, outcome_of
from sim_core.base.shown import to_stderr
from sim_core.base.simple_queue import take

Callback = Callable[[], Any]
ANSWER_TIMEOUT = 10.0
"""Seconds of wall time that a caller waits for its request to be carried out."""
ENDING = Refused(Code.OPERATION_FAILED, "the simulation is ending")
SHORT = 0.001
"""Seconds of the steps in which epoll(7) counts."""


@dataclass(frozen=True)
class _Posted:
    """Something that somebody wants to know the outcome of."""

    act: Callback
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
    as soon as something is put in. Where sockets are watched, epoll(7) waits in its place, and is woken by a
    socket of our own, the bell, which is rung only while somebody sleeps.
    """

    def __init__(self, warn: Callable[[str], object] = to_stderr) -> None:
        """`warn` is told in one line what was refused and is said by nobody else."""
        self._warn = warn
        self._queue: queue.SimpleQueue[Callback] = queue.SimpleQueue()
        self.put: Callable[[Callback], None] = self._queue.put
        self.is_empty = self._queue.empty
        self._closed = False
        self._watched: dict[int, Callback] = {}
        self._sockets: select.epoll | None = None
        self._bell: tuple[socket.socket, socket.socket] | None = None
        self._sleeps = self._holds = False

    def post(self, act: Callback) -> Future[Outcome]:
        """Have something carried out between two steps; what came of it is known later."""
        future: Future[Outcome] = Future()
        self.put(_Posted(act, future))
        if self._closed:
            self.close()
        return future

    def watch(self, source: socket.socket, act: Callback) -> None:
        """Call this in `wait` and `look` as long as a socket can be read."""
        if self._sockets is None:
            self._sockets = select.epoll()
            self._bell = ear, _ = socket.socketpair()
            for each in self._bell:
                each.setblocking(False)
            self.put = self._put_and_ring
            self.watch(ear, partial(ear.recv, 4096))
        self._watched[source.fileno()] = act
        self._sockets.register(source, select.EPOLLIN)

    def ignore(self, source: socket.socket) -> None:
        """Watch a socket no more; before it is closed."""
        if self._sockets is not None and self._watched.pop(source.fileno(), None) is not None:
            self._sockets.unregister(source)

    def drain(self) -> None:
        """Carry out what has come, up to what holds the rest; nothing, if that was the last."""
        if self._holds:
            self._holds = False
            return
        while not self._holds and not self.is_empty():
            self._carry_out(self._queue.get_nowait())

    def hold(self) -> None:
        """What comes after the call of now is none of the next `drain`: a step is due first."""
        self._holds = True

    def poll(self) -> None:
        """See what has come on sockets, and carry it out; waits for nothing."""
        if self._sockets is not None:
            self._read(self._sockets, 0.0)

    def wait(self, seconds: float) -> None:
        """Sleep until something comes, at most so long; then carry it out."""
        if self._sockets is not None:
            self._wait_for_all(self._sockets, seconds)
            return
        try:
            action = take(self._queue, seconds)
        except queue.Empty:
            return
        self._carry_out(action)

    def _wait_for_all(self, sockets: select.epoll, seconds: float) -> None:
        self._sleeps = True  # from now on whoever puts something in rings
        if not self.is_empty():
            self._sleeps = False
            self.drain()
            seconds = 0.0
        elif seconds < SHORT:  # epoll counts in whole milliseconds
            select.select((sockets,), (), (), seconds)
            seconds = 0.0
        self._read(sockets, int(seconds / SHORT) * SHORT)
        self._sleeps = False

    def _read(self, sockets: select.epoll, seconds: float) -> None:
        for number, _ in sockets.poll(seconds):
            act = self._watched.get(number)  # one that was read before may have ended it
            if act is not None:
                self._carry_out(act)

    def _put_and_ring(self, action: Callback) -> None:
        self._queue.put(action)
        if self._sleeps and self._bell is not None:
            with suppress(OSError):  # it is full of rings, or the inbox is closed
                self._bell[1].send(b"!")

    def close(self) -> None:
        """Refuse all requests from now on."""
        self._closed = True
        if self._sockets is not None and self._bell is not None:
            self._sockets.close()
            self._sockets = None
            for each in self._bell:
                each.close()
        while True:
            try:
                action = self._queue.get_nowait()
            except queue.Empty:
                return
            if isinstance(action, _Posted) and action.future.set_running_or_notify_cancel():
                action.future.set_result(ENDING)

    def _carry_out(self, action: Callback) -> None:
        try:
            action()
        except Exception as error:  # whatever comes from outside, the world goes on
            called = getattr(action, "func", action)  # of a partial
            name = getattr(called, "__qualname__", type(called).__name__)
            self._warn(f"refused ({name}): {in_one_line(error)}")
