"""Text files of a scene; raises one problem that describes what is wrong with a file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sim_core.base.errors import SceneError, SceneErrors


def read_text(path: str | Path, expected: str) -> str:
    """Return the text of a file in UTF-8.

    Args:
        path: of the file.
        expected: what the file should be, such as `a world file (.wbt)`.

    Raises:
        SceneErrors: the file cannot be read, is empty, or is not text.
    """
    file = str(path)
    try:
        kind = os.stat(path).st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):  # reading it may never end
            raise _problem(file, "a device or a pipe", expected)
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise _problem(file, "no such file", expected) from None
    except IsADirectoryError:
        raise _problem(file, "a folder", expected) from None
    except (OSError, ValueError) as error:
        raise _problem(file, f"cannot be read: {getattr(error, 'strerror', None) or error}", "") from None
    if not data.strip():
        raise _problem(file, "an empty file", expected)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        head = data[: error.start]
        line = head.count(b"\n") + 1
        column = error.start - (head.rfind(b"\n") + 1) + 1
        found = f"byte 0x{data[error.start]:02x}, which is not UTF-8"
        raise _problem(file, found, "text in UTF-8", line, column) from None


def _problem(file: str, found: str, expected: str, line: int = 0, column: int = 0) -> SceneErrors:
    return SceneErrors([SceneError(file, line, column, found, expected)])
