"""Text for terminals: control characters are written as escapes.

Names, addresses and texts of a world, and the output of templates and controllers, may contain any
characters. Unescaped, a few bytes can set the terminal's title, clear it, fill the clipboard or overwrite
lines; others reverse the writing direction, so that a line reads differently. Where a line is sent to the
terminal or the log they become `\\u001b`, as in JSON. Line ends and tabs remain.
"""

from __future__ import annotations

import re
import sys
from typing import Any

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
"""Control characters (C0, DEL, C1 of ECMA-48), directions (UAX 9), other line ends, surrogates."""
COLOUR = re.compile("\x1b\\[[0-9;:]*m")
"""Select Graphic Rendition (ECMA-48, 8.3.117)."""
PLAIN = "\x1b[0m"


def shown(text: str) -> str:
    """Return a text with control characters escaped; `StyledText` unchanged."""
    if isinstance(text, StyledText):
        return text
    return STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class StyledText(str):
    """Text with intended control characters, such as colours; quoted parts in it are `shown`."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return itself, so that `print` keeps the type."""
        return self


def shown_in_a_line(text: str) -> str:
    """Return a text as in `shown`, with line ends escaped too, so that a name cannot start a new line."""
    return shown(text).replace("\n", "\\n")


def shown_with_colours(text: str) -> StyledText:
    """Return a line of a controller with its colours, which are reset at its end; otherwise as in `shown`."""
    colours = COLOUR.findall(text)
    parts = [shown(part) for part in COLOUR.split(text)]
    line = "".join(f"{part}{colour}" for part, colour in zip(parts, [*colours, ""], strict=True))
    return StyledText(line + PLAIN if colours and not line.endswith(PLAIN) else line)


class Terminal:
    """Stream that writes texts as `shown`, unless they are `StyledText`; otherwise the wrapped stream.

    Attributes:
        raw: the wrapped stream, for progress bars and the like.
    """

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write a text; return its number of characters."""
        self.raw.write(shown(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def raw(stream: Any) -> Any:
    """Return the stream wrapped by a `Terminal`, or the stream itself."""
    return stream.raw if isinstance(stream, Terminal) else stream


def to_stderr(line: str) -> None:
    """Print a line to standard error."""
    print(shown(line), file=sys.stderr, flush=True)
