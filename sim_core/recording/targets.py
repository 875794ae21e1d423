"""Checks of output files before any work is done."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from sim_core.base.errors import ConfigError, hint


def checked_target(file: str | Path, endings: Sequence[str]) -> Path:
    """Return the path of an output file, if it has one of these extensions and can be written.

    Raises:
        ConfigError: it has another extension, or cannot be written; an existing file is not changed.
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


def size_of(text: str) -> tuple[int, int]:
    """Return width and height in pixels; zeros for an empty text.

    Raises:
        ConfigError: it is not WIDTHxHEIGHT.
    """
    if not text:
        return 0, 0
    found = re.fullmatch(r"(\d{1,6})x(\d{1,6})", text)
    if found is None or not (int(found[1]) and int(found[2])):
        raise ConfigError(f'--size: found "{text}", expected WIDTHxHEIGHT, as in 1280x720')
    return int(found[1]), int(found[2])
