"""What the process takes of the machine: processors, shared libraries, and memory that it gives back.

The C library has up to eight heaps for each processor; what is freed in one stays with the threads that use
it. And it keeps what is freed. Both is glibc's: where there is another library, nothing here does anything.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

M_ARENA_MAX = -8
"""Of mallopt(3)."""
HEAPS = 2


def have_few_heaps() -> None:
    """Have all threads share two heaps; for the start of a process, before it has threads."""
    choose = getattr(ctypes.CDLL(None), "mallopt", None)
    if choose is not None and "MALLOC_ARENA_MAX" not in os.environ:
        choose(M_ARENA_MAX, HEAPS)


@contextmanager
def without_collection() -> Iterator[None]:
    """Do not search for garbage in circles meanwhile; also a decorator.

    Almost all that is read and built stays, so the search finds nothing, in up to half of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def give_back() -> None:
    """Give back what something large has left: the C library would keep it for the next one.

    Takes some milliseconds, so it belongs behind what took longer.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def is_too_little(error: BaseException) -> bool:
    """Whether something was raised because there is no memory left, be it for the stack of a thread."""
    return isinstance(error, MemoryError) or "can't start new thread" in str(error)


def processors() -> int:
    """How many this process may use; where the system does not say that, how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def loaded_libraries(name: str) -> list[Path]:
    """The files of the shared libraries that have this in their name; none where that is not Linux."""
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    except OSError:
        return []
    files = dict.fromkeys(Path(line.split()[-1]) for line in maps.splitlines() if name in line)
    return [file for file in files if name in file.name]
