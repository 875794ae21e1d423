"""Started before a program, it takes away what Linux alone has, as a Python of macOS has not got it.

No file below /proc and /dev/shm opens; there is no prctl, memfd_create, affinity, nor glibc's malloc.
"""

import ctypes
import os
import sys
from typing import Any

MISSING_CALLS = ("memfd_create", "sched_getaffinity", "sched_setaffinity", "pidfd_open", "eventfd")
MISSING_FUNCTIONS = ("prctl", "mallopt", "malloc_trim")
MISSING_FOLDERS = ("/proc", "/dev/shm", "/sys")

for name in MISSING_CALLS:
    if hasattr(os, name):
        delattr(os, name)


class Library(ctypes.CDLL):
    """Without the functions of Linux and glibc."""

    def __getattr__(self, name: str) -> Any:
        if name in MISSING_FUNCTIONS:
            raise AttributeError(name)
        return super().__getattr__(name)


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """There are no such files."""
    if event not in ("open", "os.listdir", "os.scandir") or not isinstance(arguments[0], str):
        return
    if arguments[0].startswith(MISSING_FOLDERS):
        raise FileNotFoundError(2, "No such file or directory", arguments[0])


ctypes.CDLL = Library  # type: ignore[misc]
sys.addaudithook(refuse)
