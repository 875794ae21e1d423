"""Compiled work on rows of arrays in several threads.

Kernels release the interpreter's lock (see `compiled.py`), so that threads of one process run them in
parallel. Each row is computed by itself and written by one thread alone: the result is the same, to the last
bit, for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sim_core.base.arrays import IntArray
from sim_core.base.machine import processors

LEAST = 2000
"""Rows from which a thread pays off: some 0.3 µs each, against some 50 µs to wake it."""
_pools: dict[int, ThreadPoolExecutor] = {}


def in_parts(work: Callable[[IntArray], object], rows: IntArray, threads: int) -> None:
    """Call `work` with all rows, part by part: each part in a thread, the first one in this thread."""
    count = min(threads, len(rows) // LEAST)
    if count < 2:
        work(rows)
        return
    first, *others = np.array_split(rows, count)
    pool = _pool()
    waiting = [pool.submit(work, part) for part in others]
    work(first)
    for each in waiting:
        each.result()


def _pool() -> ThreadPoolExecutor:
    """Return the threads of this process; a forked process has none of its parent's."""
    pool = _pools.get(os.getpid())
    if pool is None:
        _pools.clear()
        pool = _pools[os.getpid()] = ThreadPoolExecutor(processors(), "odesim-rows")
    return pool
