"""XML comments that contain `--`, which Gazebo, RViz and urdfdom accept and XML forbids.

Imports only the standard library, so that small programs can use it.
"""

from __future__ import annotations

import re

_BEGINS = re.compile(r"<!--|<!\[CDATA\[|<\?")
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_SHOWN = re.compile(r"[^\r\n]")


def without_comments(text: str) -> str:
    """Return the text with comments replaced by blanks: everything else keeps its line and column.

    A comment that does not end is not changed: the parser reports it.
    """
    parts: list[str] = []
    done = 0
    begin = _BEGINS.search(text)
    while begin is not None:
        mark = begin[0]
        end = text.find(_ENDS[mark], begin.end())
        if end < 0:
            break
        if mark == "<!--":
            parts += text[done : begin.end()], _SHOWN.sub(" ", text[begin.end() : end])
            done = end
        begin = _BEGINS.search(text, end)
    return "".join((*parts, text[done:]))
