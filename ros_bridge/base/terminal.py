"""Colours, where somebody sits at a terminal who wants them."""

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
"""Says 0 or 1 to the log of ROS, which knows nothing of NO_COLOR."""


def has_colours(stream: IO[str], environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a stream is a terminal with colours: NO_COLOR (no-color.org) and TERM=dumb say no."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def can_ask() -> bool:
    """Whether somebody sits at a terminal who reads questions and answers them; a stream may be closed."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def answers_yes(question: str) -> bool:
    """Ask a question at the terminal; whether the answer is yes."""
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def painted(text: str, colour: str, stream: IO[str] | None = None) -> str:
    """The text in a colour of `CODES` if the stream, standard output where none is given, shows it."""
    if not has_colours(stream or sys.stdout):
        return shown(text)
    return StyledText(f"\x1b[{CODES[colour]}m{shown(text)}{PLAIN}")


@contextmanager
def escaped_output() -> Iterator[None]:
    """Within it all that is printed is `shown`: no text of a world steers the terminal."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(Terminal, streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def tell_ros() -> None:
    """Let the log of ROS, too, be without colours where NO_COLOR is set; before its first line."""
    if os.environ.get("NO_COLOR"):
        os.environ.setdefault(LOG_COLOURS, "0")
