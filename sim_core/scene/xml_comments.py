"""Comments of XML, which Gazebo, RViz and urdfdom read with `--` in them, and XML itself forbids.

Imports nothing, so that small programs can use it.
"""

from __future__ import annotations

import re

_BEGINS = re.compile(r"<!--|<!\[CDATA\[|<\?")
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_SHOWN = re.compile(r"[^\r\n]")


def without_comments(text: str) -> str:
    """The text with blanks for what stands in comments: everything else keeps its line and column.

    What never ends is left as it is, for the parser to say so.
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
