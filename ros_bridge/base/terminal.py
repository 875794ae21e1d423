"""Colours and questions in a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

from sim_core.base.shown import PLAIN, StyledText, Terminal, shown

CODES = {"bold": 1, "red": 31, "green": 32, "yellow": 33, "cyan": 36}
"""Select Graphic Rendition (ECMA-48, 8.3.117)."""
LOG_COLOURS = "RCUTILS_COLORIZED_OUTPUT"
"""Variable for ROS' log, which ignores NO_COLOR; 0 or 1."""


def has_colours(stream: IO[str], environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a stream is a terminal that shows colours; NO_COLOR (no-color.org), TERM=dumb: no."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def can_ask() -> bool:
    """Return whether a user can read and answer questions in a terminal; streams may be closed."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def answers_yes(question: str) -> bool:
    """Ask a question in the terminal; return whether the answer is yes."""
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def painted(text: str, colour: str, stream: IO[str] | None = None) -> str:
    """Return the text in a colour of `CODES` if the stream (default: standard output) shows colours."""
    if not has_colours(stream or sys.stdout):
        return shown(text)
    return StyledText(f"\x1b[{CODES[colour]}m{shown(text)}{PLAIN}")


@contextmanager
def escaped_output() -> Iterator[None]:
    """Escape control sequences in all output within the context, so that texts of a world cannot use them."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(Terminal, streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def disable_ros_colours() -> None:
    """Disable colours in ROS' log too if NO_COLOR is set; call it before its first line."""
    if os.environ.get("NO_COLOR"):
        os.environ.setdefault(LOG_COLOURS, "0")
