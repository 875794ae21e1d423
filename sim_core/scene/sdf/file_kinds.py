"""Recognition of SDF files; the loader of all worlds imports it, so it does not import the reader."""

from __future__ import annotations

import re
from pathlib import Path

ENDINGS = (".sdf", ".world")
_HEAD = 65_536
"""Bytes."""
_ROBOT = re.compile(r"<robot\b")
_ROOT = re.compile(r"<(?:sdf|gazebo)\b[^>]*\bversion\s*=")


def is_sdf(path: str | Path, text: str) -> bool:
    """Return whether a file is SDF, from its name or its text."""
    name = Path(path).name.lower()
    return (
        name.endswith(ENDINGS)
        or ".sdf." in name
        or (text.lstrip()[:1] == "<" and _ROOT.search(text) is not None)
    )


def is_urdf(path: Path) -> bool:
    """Return whether a file is URDF, or xacro of it, from its text."""
    return path.suffix.lower() not in ENDINGS and _ROBOT.search(head_of(path)) is not None


def head_of(path: str | Path) -> str:
    """Return the beginning of a file, which shows its kind; empty: it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD).decode("utf-8-sig", "replace") if Path(path).is_file() else ""
    except (OSError, ValueError):
        return ""
