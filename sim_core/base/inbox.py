"""Calls from other threads to a running simulation, carried out by the thread that makes its steps.

No exception of a call ends the run: only a step may do that. All requests by topics, services, parameters and
controllers are carried out here; the sender may handle their exceptions first. Sockets can be watched
too, so that one thread waits for everything: passing a message from one thread to another costs more than
reading it.
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
from sim_core.base.simple_queue import get_within

Callback = Callable[[], Any]
ANSWER_TIMEOUT = 10.0
"""Seconds of wall time that a caller waits for its request to be carried out."""
ENDING = Refused(Code.OPERATION_FAILED, "the simulation is ending")
SHORT = 0.001
"""Seconds: resolution of the timeouts of epoll(7)."""


@dataclass(frozen=True)
class _Posted:
    """A posted call with the future of its outcome."""

    act: Callback
    future: Future[Outcome]

    def __call__(self) -> None:
        """Carry out the call in the simulation's thread, unless it was cancelled."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_result(outcome_of(self.act))


def awaited(future: Future[Outcome], limit: float = ANSWER_TIMEOUT) -> Outcome:
    """Wait for the outcome of a posted call, in another thread; a call that does not start in time is
    cancelled."""
    try:
        return future.result(limit)
    except TimeoutError:
        future.cancel()
        return Refused(Code.OPERATION_FAILED, f"the simulation was busy for {limit:g} s")


class Inbox:
    """Calls posted by any thread (or signal handler) and carried out between steps by one thread.

    A `queue.SimpleQueue` is both list and event: testing whether it is empty takes 30 ns, and `get` returns
    as soon as an item is put in. If sockets are watched, epoll(7) waits instead; it is woken by an own socket
    pair, the bell, which is used only while the thread waits.
    """

    def __init__(self, warn: Callable[[str], object] = to_stderr) -> None:
        """Create an empty inbox; `warn` receives a line for each refused call that nobody else reports."""
        self._warn = warn
        self._queue: queue.SimpleQueue[Callback] = queue.SimpleQueue()
        self.put: Callable[[Callback], None] = self._queue.put
        self.is_empty = self._queue.empty
        self._closed = False
        self._watched: dict[int, Callback] = {}
        self._sockets: select.epoll | None = None
        self._bell: tuple[socket.socket, socket.socket] | None = None
        self._is_waiting = self._holds = False

    def post(self, act: Callback) -> Future[Outcome]:
        """Post a call to be carried out between two steps; return the future of its outcome."""
        future: Future[Outcome] = Future()
        self.put(_Posted(act, future))
        if self._closed:
            self.close()
        return future

    def watch(self, source: socket.socket, act: Callback) -> None:
        """Call `act` in `wait` and `poll` as long as a socket has data."""
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
        """Stop watching a socket, before it is closed."""
        if self._sockets is not None and self._watched.pop(source.fileno(), None) is not None:
            self._sockets.unregister(source)

    def drain(self) -> None:
        """Carry out the posted calls, up to one that calls `hold`; the next `drain` then does nothing."""
        if self._holds:
            self._holds = False
            return
        while not self._holds and not self.is_empty():
            self._carry_out(self._queue.get_nowait())

    def hold(self) -> None:
        """Stop the present `drain` after this call, so that a step is made before the next one."""
        self._holds = True

    def poll(self) -> None:
        """Carry out the calls of watched sockets with data, without waiting."""
        if self._sockets is not None:
            self._read(self._sockets, 0.0)

    def wait(self, seconds: float) -> None:
        """Wait for a call, at most so long, and carry it out."""
        if self._sockets is not None:
            self._wait_for_all(self._sockets, seconds)
            return
        try:
            action = get_within(self._queue, seconds)
        except queue.Empty:
            return
        self._carry_out(action)

    def _wait_for_all(self, sockets: select.epoll, seconds: float) -> None:
        self._is_waiting = True  # from now on `put` rings the bell
        if not self.is_empty():
            self._is_waiting = False
            self.drain()
            seconds = 0.0
        elif seconds < SHORT:  # epoll has a resolution of milliseconds
            select.select((sockets,), (), (), seconds)
            seconds = 0.0
        self._read(sockets, int(seconds / SHORT) * SHORT)
        self._is_waiting = False

    def _read(self, sockets: select.epoll, seconds: float) -> None:
        for number, _ in sockets.poll(seconds):
            act = self._watched.get(number)  # None: removed by a call before this one
            if act is not None:
                self._carry_out(act)

    def _put_and_ring(self, action: Callback) -> None:
        self._queue.put(action)
        if self._is_waiting and self._bell is not None:
            with suppress(OSError):  # the buffer is full, or the inbox is closed
                self._bell[1].send(b"!")

    def close(self) -> None:
        """Refuse all calls from now on."""
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
        except Exception as error:  # requests from outside must not stop the simulation
            called = getattr(action, "func", action)  # the function of a partial
            name = getattr(called, "__qualname__", type(called).__name__)
            self._warn(f"refused ({name}): {in_one_line(error)}")
