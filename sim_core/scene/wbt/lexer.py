"""Lexer of VRML97 text as Webots writes it, independent of node types.

Blanks, commas and comments (`#` to the end of the line) are skipped. Words follow the rule for identifiers of
VRML97 (ISO/IEC 14772-1, A.3), numbers may be decimal with exponent or hexadecimal.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

from sim_core.base.errors import SceneError

WORD, NUMBER, NUMBERS, STRING = "word", "number", "numbers", "string"
ROUTE, BAD, END = "route", "bad", "end"
"""Kinds of token; a bracket is its own kind, a ROUTE statement is one token, and so are all decimal
numbers between two square brackets if they are many. BAD marks text that has already been reported."""


class Token(NamedTuple):
    """One token: kind, text as written, offset of its first character."""

    kind: str
    text: str
    offset: int


class Numbers(Token):
    """A token of many decimal numbers; meshes have a million of them."""

    def texts(self) -> list[str]:
        """Return each number as written."""
        return self.text.replace(",", " ").split()

    @cached_property
    def floats(self) -> list[float]:
        """Values of the numbers; some may be infinite."""
        return list(map(float, self.texts()))

    def are_good(self) -> bool:
        """Return whether each is a number."""
        try:
            return bool(self.floats)
        except ValueError:
            return False

    @cached_property
    def whole(self) -> list[int] | None:
        """Values of the numbers if all are written as whole numbers, else None."""
        try:
            return list(map(int, self.texts()))
        except ValueError:
            return None

    def single(self) -> list[Token]:
        """Return one token for each number."""
        return [
            Token(NUMBER, each[0], self.offset + each.start())
            for each in _SEPARATE_NUMBERS.finditer(self.text)
        ]


_SEPARATE_NUMBERS = re.compile(r"[^ \t\r\n,]+")
_MANY = 64
"""Number of characters between two brackets from which on numbers are one token."""
_TOKEN = re.compile(
    r"""(?:[ \t\r\n,]+|\#[^\r\n]*)*+(?:
    \[(?P<numbers>[-+0-9.eE\ \t\r\n,]{MANY,}+)\]
  | (?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      (?=[\s,\#"\[\]{}]|\Z))
  | (?P<route>ROUTE[ \t\r\n]+[^\s"\[\]{}]+[ \t\r\n]+TO[ \t\r\n]+[^\s"\[\]{}]+)
  | (?P<word>[^\x00-\x20"\#'+,.\[\\\]{}\x7f0-9-][^\x00-\x20"\#',.\[\\\]{}\x7f]*(?=[\s,\#"\[\]{}]|\Z))
  | (?P<bracket>[\[\]{}])
  | (?P<string>"(?:[^"\\]|\\.)*+")
  | (?P<bad>"|[^\ \t\r\n,\#"\[\]{}]+)
  | (?P<end>\Z))
    """.replace("MANY", str(_MANY)),
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\(["\\])')
_NEWLINE = re.compile(r"\r\n|\r|\n")


class Lines:
    """Converts offsets to lines and columns, both counted from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0] + [match.end() for match in _NEWLINE.finditer(text)]

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def tokenize(text: str, file: str, lines: Lines, start: int = 0) -> tuple[list[Token], list[SceneError]]:
    """Return all tokens from an offset on, closed by an END token, and the text that could not be read."""
    tokens: list[Token] = []
    problems: list[SceneError] = []
    make = tuple.__new__  # same as Token(...), but without a Python call: meshes have a million tokens
    for match in _TOKEN.finditer(text, start):
        kind = str(match.lastgroup)
        if kind == END:
            break
        offset, end = match.span(kind)
        found = text[offset:end]
        if kind == NUMBER:
            tokens.append(make(Token, (kind, found, offset)))
            continue
        if kind == NUMBERS:
            many = Numbers(kind, found, offset)
            inner: list[Token] = [many]
            if not many.are_good():
                inner, bad = tokenize(text[:end], file, lines, offset)
                inner.pop()  # the END token
                problems += bad
            tokens += (Token("[", "[", offset - 1), *inner, Token("]", "]", end))
            continue
        if kind == "bad" and found != '"':
            problems.append(_bad(found, file, *lines.line_and_column(offset)))
        tokens.append(Token(found if kind == "bracket" else kind, found, offset))
        if found == '"':
            return _cut_at_open_string(tokens, problems, file, lines), problems
    tokens.append(Token(END, "end of file", len(text)))
    return tokens, problems


def unquoted(text: str) -> str:
    r"""Return the value of a string token: `\"` and `\\` mean `"` and `\`, other backslashes themselves."""
    body = text[1:-1]
    return _ESCAPE.sub(r"\1", body) if "\\" in body else body


def quoted(value: str) -> str:
    """Return a string in the form of a file."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _cut_at_open_string(
    tokens: list[Token], problems: list[SceneError], file: str, lines: Lines
) -> list[Token]:
    """Return the tokens above the line with the missing quote: where a string first extends over lines, or
    the last.

    After a missing quote strings and other text are exchanged; reports of it would hide the one error.
    """
    broken = next((token for token in tokens if token.kind == STRING and "\n" in token.text), tokens[-1])
    line, column = lines.line_and_column(broken.offset)
    first = broken.offset - column + 1
    problems[:] = [problem for problem in problems if problem.line < line]
    problems.append(SceneError(file, line, column, "a string that is never closed", 'a closing "'))
    kept = [token for token in tokens if token.offset < first]
    return [*kept, Token(BAD, '"', first), Token(END, "end of file", first)]


def _bad(found: str, file: str, line: int, column: int) -> SceneError:
    if "\0" in found:
        return SceneError(file, line, column, "a NUL character", "text")
    if len(found) > 40:
        found = found[:37] + "..."
    return SceneError(file, line, column, f"unreadable {found!r}", "a number, a name or a string")
