"""Cursor: a position in a list of tokens, with functions to move, skip and report."""

from __future__ import annotations

from sim_core.base.errors import SceneError
from sim_core.scene.wbt.lexer import BAD, END, NUMBER, STRING, WORD, Lines, Numbers, Token

MAX_PROBLEMS = 100
"""Number of problems after which the parser stops reading a file."""


class TooManyProblemsError(Exception):
    """Stops the parser after too many problems; never leaves this package."""


class Cursor:
    """Current token and the problems reported so far.

    Attributes:
        brackets: brackets that are open here, outermost first.
        unclosed: number of missing `}` in the file, without those that have been reported; if negative,
            number of missing `{`.
        unopened: the same for `[`.
        lost_defs: DEF names of nodes that could not be read; a USE of them is not reported.
    """

    def __init__(self, tokens: list[Token], file: str, lines: Lines) -> None:
        self.tokens = tokens
        self.file = file
        self.lines = lines
        self.at = 0
        self.problems: list[SceneError] = []
        self.brackets: list[Token] = []
        self.lost_defs: set[str] = set()
        kinds = [token.kind for token in tokens]
        self.unclosed = kinds.count("{") - kinds.count("}")
        self.unopened = kinds.count("]") - kinds.count("[")
        self._end_reported = len(tokens) > 1 and tokens[-2].text == '"'

    @property
    def token(self) -> Token:
        """Current token; at the end the END token."""
        return self.tokens[self.at]

    def next(self) -> Token:
        """Return the current token and move past it; END is never passed."""
        token = self.tokens[self.at]
        if token.kind != END:
            self.at += 1
        return token

    def follows(self, kind: str) -> bool:
        """Return whether the token after the current one is of a kind."""
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].kind == kind

    def line_and_column(self, token: Token) -> tuple[int, int]:
        """Return line and column of a token."""
        return self.lines.line_and_column(token.offset)

    def error(self, token: Token, found: str, expected: str = "", hint: str = "") -> None:
        """Report a problem; END is reported only once, BAD tokens were reported by the lexer."""
        if token.kind == BAD or (token.kind == END and self._end_reported):
            return
        self._end_reported |= token.kind == END
        self.problems.append(SceneError(self.file, *self.line_and_column(token), found, expected, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            raise TooManyProblemsError

    def unexpected(self, expected: str, hint: str = "") -> None:
        """Report the current token as unexpected."""
        self.error(self.token, shown(self.token), expected, hint)

    def open_bracket(self, whole: bool = False) -> Token:
        """Pass an opening bracket; a token of many numbers after it is split, unless `whole`."""
        token = self.next()
        self.brackets.append(token)
        if not whole:
            self.split()
        return token

    def split(self) -> None:
        """Replace the current token by one for each number, if it is many numbers."""
        many = self.token
        if isinstance(many, Numbers):
            self.tokens = [*self.tokens[: self.at], *many.single(), *self.tokens[self.at + 1 :]]

    def open_node(self, head: Token) -> None:
        """Pass the `{` after a node type, or report that it is missing."""
        if self.token.kind == "{":
            self.open_bracket()
            return
        self.unexpected(f'"{{" after {head.text}')
        self.brackets.append(Token("{", "{", head.offset))
        self.unclosed += 1

    def open_list(self, whole: bool = False) -> bool:
        """Pass a `[`, or report that it is missing if its `]` exists; return False if no list begins here.

        `whole` is as in `open`.
        """
        if self.token.kind == "[":
            self.open_bracket(whole)
            return True
        if self.unopened <= 0 or not self._a_list_ends_ahead():
            return False
        self.unexpected('a "[", for the list has a "]"')
        self.brackets.append(Token("[", "[", self.token.offset))
        self.unopened -= 1
        return True

    def _a_list_ends_ahead(self) -> bool:
        """Return whether there are only values and nodes between the cursor and a `]`."""
        at, depth = self.at, 0
        while at < len(self.tokens) - 1:
            token = self.tokens[at]
            at += 1
            if token.kind in ("{", "}"):
                depth += 1 if token.kind == "{" else -1
                if depth < 0:
                    return False
            elif depth == 0 and token.kind in ("]", "["):
                return token.kind == "]"
            elif depth == 0 and token.kind == WORD:
                if token.text in ("DEF", "USE"):
                    at += 1
                elif self.tokens[at].kind != "{" and token.text not in ("TRUE", "FALSE"):
                    return False
        return False

    def close_bracket(self) -> None:
        """Pass the closing bracket of the innermost open one; if it is missing, report where that was
        opened."""
        opening = self.brackets.pop()
        expected = "}" if opening.kind == "{" else "]"
        if self.token.kind == expected:
            self.next()
            return
        line, column = self.line_and_column(opening)
        self.unclosed -= expected == "}"
        self.unexpected(f'"{expected}" for the "{opening.kind}" opened at {line}:{column}')

    def skip_block(self) -> None:
        """Pass a bracket with its contents."""
        opening = self.token
        depth = 0
        while True:
            token = self.next()
            if token.kind in ("{", "["):
                depth += 1
            elif token.kind in ("}", "]"):
                depth -= 1
            elif token.kind == WORD and token.text == "DEF" and self.token.kind == WORD:
                self.lost_defs.add(self.token.text)
            elif token.kind == END:
                line, column = self.line_and_column(opening)
                closing = "}" if opening.kind == "{" else "]"
                self.error(
                    token, shown(token), f'"{closing}" for the "{opening.kind}" opened at {line}:{column}'
                )
                return
            if depth == 0:
                return

    def skip_definition(self) -> None:
        """Pass `PROTO Name [ … ] { … }`, or `EXTERNPROTO Name [ … ] "url" …`."""
        self.next()
        if self.token.kind == WORD:
            self.next()
        if self.token.kind == "[":
            self.skip_block()
        if self.token.kind == "{":
            self.skip_block()
        while self.token.kind == STRING:
            self.next()
        if self.token.kind == "[":  # a list of URLs
            self.skip_block()

    def skip_anything(self) -> None:
        """Pass one element of any kind, so that reading can continue after it."""
        if self.token.kind in ("]", "}"):
            self.next()
        else:
            self.skip_value()

    def skip_value(self) -> None:
        """Pass anything that looks like one value; a closing bracket stays."""
        token = self.token
        if token.kind in ("{", "["):
            self.skip_block()
        elif token.kind == WORD:
            self.next()
            if token.text in ("DEF", "USE", "IS") and self.token.kind == WORD:
                if token.text == "DEF":
                    self.lost_defs.add(self.token.text)
                self.next()
                if token.text == "DEF" and self.token.kind == WORD and self.follows("{"):
                    self.next()
            if self.token.kind == "{":
                self.skip_block()
        elif token.kind == STRING:
            while self.token.kind == STRING:
                self.next()
        elif token.kind in (NUMBER, BAD):
            while self.token.kind in (NUMBER, BAD):
                self.next()


def shown(token: Token) -> str:
    """Return a token in the form for messages."""
    if token.kind == END:
        return "the end of the file"
    text = token.text if len(token.text) <= 40 else token.text[:37] + "..."
    text = text.replace("\r", "").replace("\n", "\\n")
    return text if token.kind == STRING else f'"{text}"'
