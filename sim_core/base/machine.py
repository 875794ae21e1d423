"""What the process takes of the machine: processors, shared libraries, and memory that it gives back.

The C library has up to eight heaps for each processor; what is freed in one stays with the threads that use
it. And it keeps what is freed. Both is glibc's: where there is another library, nothing is done about it. For
what Linux alone has there is something in its place on macOS.
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
"""Of mallopt(3)."""
HEAPS = 2
PR_SET_PDEATHSIG = 1
"""Of prctl(2), which Linux alone has."""


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
    """The descriptor of memory that processes can share: to be given a size, mapped, passed on and closed.

    Args:
        name: that debuggers show. macOS has none for it: it is a file without a name there.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def loaded_libraries(name: str) -> list[Path]:
    """The files of the shared libraries that have this in their name; none where that is not Linux."""
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    except OSError:
        return []
    files = dict.fromkeys(Path(line.split()[-1]) for line in maps.splitlines() if name in line)
    return [file for file in files if name in file.name]
