"""A timeout holds after earlier reads of the queue."""

from __future__ import annotations

import queue
import threading

import pytest

from sim_core.base.simple_queue import get_within


def test_a_short_wait_ends_after_something_was_taken() -> None:
    source: queue.SimpleQueue[int] = queue.SimpleQueue()
    empty = 0

    def wait_again_and_again() -> None:
        nonlocal empty
        for number in range(5000):  # SimpleQueue.get alone hangs within some hundred on CPython 3.11
            source.put(number)
            assert source.get_nowait() == number
            try:
                get_within(source, 1e-6)
            except queue.Empty:
                empty += 1

    thread = threading.Thread(target=wait_again_and_again, daemon=True)
    thread.start()
    thread.join(60.0)
    assert not thread.is_alive() and empty == 5000


def test_items_are_returned_in_order() -> None:
    source: queue.SimpleQueue[int] = queue.SimpleQueue()
    later = threading.Timer(0.05, lambda: source.put(3))
    source.put(1)
    source.put(2)
    later.start()
    assert [get_within(source, 10.0) for _ in range(3)] == [1, 2, 3]
    with pytest.raises(queue.Empty):
        get_within(source, 0.01)
