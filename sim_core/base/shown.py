"""What a terminal gets to see: characters that would steer it are written as escapes.

Names, addresses and texts of a world, and what its templates and controllers print, may hold anything. Raw, a
few bytes give the terminal a title, clear it, fill the clipboard, or write over the lines above; others turn
the direction of writing, so that a line reads as another one. Where a line leaves for the terminal or the log
they become `\\u001b`, as JSON writes them. Line ends and tabs stay.
"""

from __future__ import annotations

import re
import sys
from typing import Any

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
"""Control characters (C0, DEL, C1 of ECMA-48), directions (UAX 9), other line ends, half characters."""
COLOUR = re.compile("\x1b\\[[0-9;:]*m")
"""Select Graphic Rendition (ECMA-48, 8.3.117)."""
PLAIN = "\x1b[0m"


def shown(text: str) -> str:
    """A text without anything that steers a terminal; `Own` as it is."""
    if isinstance(text, Own):
        return text
    return STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class Own(str):
    """A text that steers the terminal on purpose, such as one in a colour; what it quotes is `shown`."""

    __slots__ = ()

    def __str__(self) -> str:
        """Itself: so `print` hands it on as what it is."""
        return self


def shown_in_a_line(text: str) -> str:
    """The same of what is one line of several: a name with ends of lines in it begins none of ours."""
    return shown(text).replace("\n", "\\n")


def shown_with_colours(text: str) -> Own:
    """A line of a controller: its colours stay, and end with it; all else is as in `shown`."""
    colours = COLOUR.findall(text)
    parts = [shown(part) for part in COLOUR.split(text)]
    line = "".join(f"{part}{colour}" for part, colour in zip(parts, [*colours, ""], strict=True))
    return Own(line + PLAIN if colours and not line.endswith(PLAIN) else line)


class Terminal:
    """A stream on which each text is `shown`, unless it is `Own`; in all else it is the stream.

    Attributes:
        raw: the stream, for who draws on it, such as a progress bar.
    """

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write a text; the number of its characters."""
        self.raw.write(shown(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write several."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def raw(stream: Any) -> Any:
    """The stream under a `Terminal`, or itself."""
    return stream.raw if isinstance(stream, Terminal) else stream


def to_stderr(line: str) -> None:
    """Say a line on standard error."""
    print(shown(line), file=sys.stderr, flush=True)
