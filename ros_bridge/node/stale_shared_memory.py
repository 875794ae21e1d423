"""Removes what killed processes have left of Fast DDS in shared memory.

With ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST rmw_fastrtps uses shared memory, whatever transports it is told.
Each participant has a segment of 0.5 MB, `fastdds_<16 hex digits>`, and holds a lock on the file of that name
and `_el` for as long as it lives. Who can get the lock knows that the segment belongs to nobody, and so does
`fastdds shm clean`. A file is locked just after it was made: young ones are left alone. Names are random and
not used again. Ports, which are, Fast DDS mends by itself.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
YOUNG = 60.0
"""Seconds of wall time in which a process surely has locked what it made."""
_LOCK = re.compile(r"(fastdds_[0-9a-f]{16})_el")


def remove_stale(folder: Path = SHARED_MEMORY, young: float = YOUNG) -> int:
    """Remove the segments of this user that no process owns any more.

    Args:
        folder: where the files are.
        young: in seconds; what was made since stays.

    Returns:
        How many segments were removed.
    """
    removed = 0
    with suppress(OSError):  # no such folder
        for name in os.listdir(folder):
            found = _LOCK.fullmatch(name)
            if found:
                with suppress(OSError):  # another one was quicker, or it is locked
                    _remove(folder / found[1], folder / name, young)
                    removed += 1
    return removed


def _remove(segment: Path, lock: Path, young: float) -> None:
    """Remove one segment with its lock.

    Raises:
        OSError: it is in use, young, another user's, or gone.
    """
    descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid():
            raise PermissionError(lock)
        if time.time() - about.st_mtime < young:
            raise BlockingIOError(lock)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        segment.unlink(missing_ok=True)
        lock.unlink()
    finally:
        os.close(descriptor)
