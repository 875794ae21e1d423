"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Write a temporary file in the same folder and rename it at the end; until then an existing file
    remains.

    Yields:
        The temporary path, with the same ending. If an exception leaves the block, such as for a full disk,
        the temporary file is removed.

    Raises:
        OSError: the file cannot be renamed.
    """
    goal = Path(path).resolve()  # keep a link
    part = goal.with_name(f".{os.getpid()}.{goal.name}")
    try:
        yield part
        if goal.is_file():
            shutil.copymode(goal, part)
        part.replace(goal)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
