"""A free ROS domain for this process: runs of a batch and of tests do not hear each other."""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path
from typing import BinaryIO

from sim_core.base.errors import ConfigError

LAST_DOMAIN = 101
"""Above it the ports of DDS are those that the system gives to others."""
_domain: tuple[int, BinaryIO] | None = None


def take_domain(first: int | None = None) -> int:
    """Return the first ROS domain that no process of odesim has taken; this process keeps it until its end.

    Args:
        first: where to begin; None: behind ROS_DOMAIN_ID.

    Raises:
        ConfigError: all are taken.
    """
    global _domain
    if _domain is not None:
        return _domain[0]
    if first is None:
        first = int(os.environ.get("ROS_DOMAIN_ID") or 0) + 1
    for number in range(first, LAST_DOMAIN + 1):
        file = (Path(tempfile.gettempdir()) / f"odesim-{os.getuid()}-domain-{number}").open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        _domain = (number, file)
        return number
    raise ConfigError(f"domain: found all from {first} to {LAST_DOMAIN} taken, expected a free one")
