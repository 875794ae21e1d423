import socket
import threading
import time
from functools import partial

import pytest

from sim_core.base.errors import LONGEST, Code, ConfigError, in_one_line
from sim_core.base.inbox import Inbox, awaited
from sim_core.base.outcome import Done, Refused


def ask_elsewhere(inbox: Inbox, action: object) -> tuple[threading.Thread, list]:  # type: ignore[type-arg]
    answers: list = []  # type: ignore[type-arg]
    thread = threading.Thread(target=lambda: answers.append(awaited(inbox.post(action))))  # type: ignore[arg-type]
    thread.start()
    return thread, answers


def test_calls_are_carried_out_in_order_when_it_is_emptied() -> None:
    inbox, done = Inbox(), []
    for number in range(3):
        inbox.put(lambda number=number: done.append(number))
    assert done == []
    inbox.drain()
    assert done == [0, 1, 2]
    assert inbox.is_empty()


def test_calls_after_one_that_holds_wait_for_the_next_drain() -> None:
    inbox, done = Inbox(), []

    def step() -> None:
        done.append("step")
        inbox.hold()

    for carry_out in (inbox.drain, partial(inbox.wait, 10.0)):
        done.clear()
        inbox.put(step)
        inbox.put(partial(done.append, "quit"))
        carry_out()
        inbox.drain()
        assert done == ["step"]
        inbox.drain()
        assert done == ["step", "quit"] and inbox.is_empty()


def test_a_wait_ends_with_the_first_call() -> None:
    inbox = Inbox()
    threading.Timer(0.05, lambda: inbox.put(lambda: None)).start()
    begin = time.monotonic()
    inbox.wait(10.0)
    assert time.monotonic() - begin < 5.0


def test_a_request_is_answered_by_the_thread_that_empties_the_inbox() -> None:
    inbox = Inbox()
    thread, answers = ask_elsewhere(inbox, threading.get_ident)
    inbox.wait(10.0)
    thread.join(10.0)
    assert answers == [Done(threading.get_ident())]


def test_a_request_that_fails_is_answered_with_the_reason() -> None:
    def fail() -> None:
        raise ConfigError("no")

    inbox = Inbox()
    thread, answers = ask_elsewhere(inbox, fail)
    inbox.wait(10.0)
    thread.join(10.0)
    assert answers == [Refused(Code.OPERATION_FAILED, "no")]


def test_a_call_that_did_not_start_in_time_is_cancelled() -> None:
    inbox, done = Inbox(), []
    outcome = awaited(inbox.post(lambda: done.append(1)), 0.0)
    assert outcome == Refused(Code.OPERATION_FAILED, "the simulation was busy for 0 s")
    inbox.drain()
    assert done == []


def test_requests_are_refused_once_it_is_closed() -> None:
    inbox = Inbox()
    inbox.close()
    thread, answers = ask_elsewhere(inbox, lambda: None)
    thread.join(10.0)
    assert answers == [Refused(Code.OPERATION_FAILED, "the simulation is ending")]


ERRORS = [KeyError("x"), MemoryError(), RecursionError("deep"), OSError(36, "long"), ValueError(10_000 * "x")]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_exception_is_one_line_and_the_next_call_is_carried_out(error: Exception) -> None:
    def fail() -> None:
        raise error

    said: list[str] = []
    done: list[int] = []
    inbox = Inbox(said.append)
    thread, answers = ask_elsewhere(inbox, fail)
    inbox.wait(10.0)
    thread.join(10.0)
    assert answers[0].text == in_one_line(error) and said == []
    assert len(in_one_line(error)) < LONGEST + 50
    for action in (fail, partial(fail), lambda: done.append(1)):
        inbox.put(action)
    inbox.drain()
    assert done == [1] and len(said) == 2
    assert all(in_one_line(error) in line and "fail" in line and "\n" not in line for line in said)


def test_an_interrupt_is_not_caught() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    inbox = Inbox()
    inbox.put(interrupt)
    with pytest.raises(KeyboardInterrupt):
        inbox.drain()


def test_a_wait_covers_calls_and_sockets() -> None:
    inbox, came = Inbox(), []
    ours, theirs = socket.socketpair()
    inbox.watch(ours, lambda: came.append(ours.recv(10)))
    theirs.send(b"first")
    inbox.wait(10.0)
    threading.Timer(0.05, lambda: inbox.put(lambda: came.append(b"call"))).start()
    end = time.monotonic() + 10.0
    while len(came) < 2 and time.monotonic() < end:
        inbox.wait(10.0)
        inbox.drain()
    theirs.send(b"second")
    inbox.poll()
    inbox.ignore(ours)
    theirs.send(b"unheard")
    inbox.poll()
    inbox.wait(0.0001)
    assert came == [b"first", b"call", b"second"]
    inbox.close()
    inbox.put(lambda: None)  # without effect, because nobody waits any more
    ours.close()
    theirs.close()
