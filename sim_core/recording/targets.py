"""Files that are about to be written: refused before any work is done."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sim_core.base.errors import ConfigError, hint


def checked_target(file: str | Path, endings: Sequence[str]) -> Path:
    """The file, if one of these endings is on it and it can be written.

    Raises:
        ConfigError: it has another ending, or cannot be written; a file that is there stays as it is.
    """
    path = Path(file)
    ending = path.suffix.lower()
    if ending not in endings:
        expected = " or ".join([", ".join(endings[:-1]), endings[-1]] if len(endings) > 1 else endings)
        raise ConfigError(f"{file}: found the ending {ending!r}, expected {expected}{hint(ending, endings)}")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise ConfigError(f"{file}: there is no folder {folder}")
    if path.is_dir():
        raise ConfigError(f"{file}: found a folder, expected a file")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ConfigError(f"{file}: cannot be written: Permission denied")
    return path
