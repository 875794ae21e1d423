"""HTML pages of results: one file without scripts that needs no network, for light and dark screens."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sim_core.base.atomic_file import atomic_file

STYLE = """
:root { color-scheme: light dark; --line: #8886; --good: #18794e; --bad: #c62828; --point: #1a66c2; }
@media (prefers-color-scheme: dark) { :root { --good: #5fce93; --bad: #ff8a80; --point: #7fb4ff; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } .wide { overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .25rem .7rem; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
.good { color: var(--good); } .bad { color: var(--bad); }
code, pre { font: 13px/1.5 ui-monospace, monospace; } pre { white-space: pre-wrap; margin: .3rem 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; } svg { width: 100%; height: auto; }
svg text { font-size: 11px; fill: currentColor; } svg .axis { stroke: currentColor; opacity: .5; }
svg .points { stroke: var(--point); stroke-width: 5; stroke-linecap: round; opacity: .6; }
svg .mean { stroke: var(--bad); stroke-width: 1.5; fill: none; }
"""


def write_page(file: Path, title: str, parts: Iterable[str]) -> None:
    """Write a page and replace an existing one at once.

    Args:
        file: to write.
        title: as text.
        parts: of its body, as HTML.

    Raises:
        OSError: it cannot be written.
    """
    body = "\n".join(parts)
    text = (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escaped(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n'
        f"<h1>{escaped(title)}</h1>\n{body}\n</html>\n"
    )
    with atomic_file(file) as part:
        part.write_text(text, encoding="utf-8")


def escaped(text: Any) -> str:
    """Return a text for HTML."""
    return html.escape(str(text))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are HTML, and those that are numbers stand at the right."""
    head = "".join(f"<th>{escaped(name)}</th>" for name in columns)
    lines = "\n".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f'<div class="wide"><table>\n<tr>{head}</tr>\n{lines}\n</table></div>'


def folded(summary: str, content: str) -> str:
    """Return HTML that a click on its summary, a text, shows."""
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def _cell(content: str) -> str:
    try:
        float(content)
    except ValueError:
        return f"<td>{content}</td>"
    return f'<td class="number">{content}</td>'
