"""Resources of the machine: processors, shared libraries and memory.

The C library has up to eight heaps per processor; memory that is freed in one stays with the threads that use
it, and the library keeps freed memory. This is specific to glibc: with another library these functions do
nothing. Functions that need Linux have a substitute on macOS.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

M_ARENA_MAX = -8
"""Option of mallopt(3)."""
HEAPS = 2
OBJECTS_PER_COLLECTION = 50_000
"""New objects after which Python's cyclic garbage collector looks at the newest ones (its default: 700)."""
PR_SET_PDEATHSIG = 1
"""Of prctl(2), which Linux alone has."""


def limit_heaps() -> None:
    """Limit glibc to two heaps for all threads; call it at process start, before threads are started."""
    choose = getattr(ctypes.CDLL(None), "mallopt", None)
    if choose is not None and "MALLOC_ARENA_MAX" not in os.environ:
        choose(M_ARENA_MAX, HEAPS)


def collect_rarely() -> None:
    """Run the cyclic garbage collector rarely; call it at process start.

    Modules and worlds are many objects that stay alive: with the default, searching them takes 7 % of the
    start.
    """
    gc.set_threshold(OBJECTS_PER_COLLECTION)


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


def is_ended_with(parent: int) -> bool:
    """Have the kernel kill this process as soon as the one that started it ends, however that ends.

    macOS does not do that: there a process ends when it finds its pipe closed.

    Args:
        parent: process id of who started this one.

    Returns:
        False: it has ended already.
    """
    control = getattr(ctypes.CDLL(None), "prctl", None)
    if control is not None:
        control(PR_SET_PDEATHSIG, signal.SIGKILL)
    return os.getppid() == parent


def shared_memory(name: str) -> int:
    """Return the descriptor of memory that processes can share; the caller sets its size and closes it.

    Args:
        name: that debuggers show. macOS has none for it: it is a file without a name there.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def loaded_libraries(name: str) -> list[Path]:
    """Return the files of loaded shared libraries with this in their name; none on systems other than
    Linux."""
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    except OSError:
        return []
    files = dict.fromkeys(Path(line.split()[-1]) for line in maps.splitlines() if name in line)
    return [file for file in files if name in file.name]
