"""World files to scenes."""

from __future__ import annotations

from pathlib import Path

from sim_core.errors import SceneError, SceneErrors
from sim_core.scene.parser import parse_scene
from sim_core.scene.scene import Scene


def load_scene(path: str | Path) -> Scene:
    """Read a world file.

    Raises:
        SceneErrors: the file cannot be read, or with every problem found in it.
    """
    file = str(path)
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise _problem(file, "no such file", "a world file (.wbt)") from None
    except IsADirectoryError:
        raise _problem(file, "a folder", "a world file (.wbt)") from None
    except (OSError, ValueError) as error:
        raise _problem(file, f"cannot be read: {getattr(error, 'strerror', None) or error}", "") from None
    if not data.strip():
        raise _problem(file, "an empty file", "a world file (.wbt)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        head = data[: error.start]
        line = head.count(b"\n") + 1
        column = error.start - (head.rfind(b"\n") + 1) + 1
        found = f"byte 0x{data[error.start]:02x}, which is not UTF-8"
        raise _problem(file, found, "text in UTF-8", line, column) from None
    return parse_scene(text, file)


def _problem(file: str, found: str, expected: str, line: int = 0, column: int = 0) -> SceneErrors:
    return SceneErrors([SceneError(file, line, column, found, expected)])
