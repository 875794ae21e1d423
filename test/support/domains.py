"""Free ROS domains: tests that run side by side, in one run or in several, do not hear each other."""

import fcntl
import itertools
import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LAST = 60
"""Behind it there are some for the workers of sweeps; above 101 the ports may be given to others."""
FIRST_PORT, PORTS = 7400, 250
"""Of domain 0, and in each domain (RTPS, 9.6.2.3)."""


@contextmanager
def free_domain() -> Iterator[int]:
    """The number of a ROS domain that nobody on this machine has; it is ours until the end.

    Whoever has one holds a lock on its file, as the workers of a sweep do (`ros_bridge.base.ros_domain`); who
    does not know of that has its ports open.
    """
    start = random.SystemRandom().randrange(LAST)
    for attempt in itertools.count():
        number = 1 + (start + attempt) % LAST
        path = Path(tempfile.gettempdir()) / f"odesim-{os.getuid()}-domain-{number}"
        with path.open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            if number not in _domains_in_use():
                yield number
                return


def _domains_in_use() -> set[int]:
    """The domains in whose ports a socket of UDP is open."""
    found = set()
    for table in (Path("/proc/net/udp"), Path("/proc/net/udp6")):
        if table.is_file():
            rows = [line.split() for line in table.read_text().splitlines()[1:]]
            found |= {(int(row[1].rpartition(":")[2], 16) - FIRST_PORT) // PORTS for row in rows}
    return found
