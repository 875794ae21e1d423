"""Comments in xacro files and the files that they include, which may contain `--`.

Imports no other module of the scene, so that a small program can use it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from sim_core.scene.xml_comments import without_comments


def blank_comments(xacro: Any) -> None:
    """Make the module `xacro` read comments as blanks, for the rest of the process."""
    original = xacro.parse

    def parse(text: Any, filename: str | None = None) -> Any:
        if text is None and filename is not None:
            with suppress(OSError), open(Path(xacro.root_dir, filename), encoding="utf-8") as file:
                text = file.read()
        return original(without_comments(text) if isinstance(text, str) else text, filename)

    xacro.parse = parse
