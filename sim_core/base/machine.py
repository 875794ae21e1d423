"""Resources of the machine: processors, shared libraries and memory.

The C library has up to eight heaps per processor; memory that is freed in one stays with the threads that use
it, and the library keeps freed memory. This is specific to glibc: with another library these functions do
nothing.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

M_ARENA_MAX = -8
"""Option of mallopt(3)."""
HEAPS = 2


def limit_heaps() -> None:
    """Limit glibc to two heaps for all threads; call it at process start, before threads are started."""
    choose = getattr(ctypes.CDLL(None), "mallopt", None)
    if choose is not None and "MALLOC_ARENA_MAX" not in os.environ:
        choose(M_ARENA_MAX, HEAPS)


@contextmanager
def without_collection() -> Iterator[None]:
    """Disable the cyclic garbage collector in a block; also a decorator.

    Almost all objects that are read and built stay alive, so the collector would find nothing, in up to half
    of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def release_memory() -> None:
    """Return freed memory of a large object to the system; the C library would keep it for the next one.

    This takes some milliseconds, so call it only after longer operations.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error means that no memory is left, also for the stack of a thread."""
    return isinstance(error, MemoryError) or "can't start new thread" in str(error)


def processors() -> int:
    """Return how many processors this process may use; if unknown, the number of processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def loaded_libraries(name: str) -> list[Path]:
    """Return the files of loaded shared libraries with this in their name; none on systems other than
    Linux."""
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    except OSError:
        return []
    files = dict.fromkeys(Path(line.split()[-1]) for line in maps.splitlines() if name in line)
    return [file for file in files if name in file.name]
