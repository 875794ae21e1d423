"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Write a file beside its place and put it there at the end; a file that is there stays until then.

    Yields:
        Where to write to, a file of the same ending in the same folder. If an exception leaves the block, say
        for a full disk, nothing of it stays.

    Raises:
        OSError: it cannot be put in its place.
    """
    goal = Path(path).resolve()  # a link stays a link
    part = goal.with_name(f".{os.getpid()}.{goal.name}")
    try:
        yield part
        if goal.is_file():
            shutil.copymode(goal, part)
        part.replace(goal)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
