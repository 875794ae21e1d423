"""The cursor: what counts as one value, and tokens in messages."""

import pytest

from sim_core.scene.wbt.cursor import Cursor, shown
from sim_core.scene.wbt.lexer import END, STRING, WORD, Lines, Token, tokenize


def cursor(text: str) -> Cursor:
    lines = Lines(text)
    return Cursor(tokenize(text, "f", lines)[0], "f", lines)


@pytest.mark.parametrize(
    "value",
    [
        "1 2 3",
        '"a" "b"',
        "TRUE",
        "NULL",
        "[ 1 [ 2 ] { } ]",
        "Box { size 1 2 3 }",
        "DEF A Box { }",
        "USE A",
        "IS x",
    ],
)
def test_one_value_is_skipped_and_no_more(value: str) -> None:
    at = cursor(f"{value} next")
    at.skip_value()
    assert at.token.text == "next" and at.problems == []


@pytest.mark.parametrize("bracket", ["}", "]"])
def test_a_closing_bracket_is_no_value(bracket: str) -> None:
    at = cursor(bracket)
    at.skip_value()
    assert at.token.kind == bracket


def test_def_names_in_what_is_skipped_are_remembered() -> None:
    at = cursor("DEF A X { a DEF B Y { } } end")
    at.skip_value()
    assert at.lost_defs == {"A", "B"}


def test_the_end_is_reported_once() -> None:
    at = cursor("")
    at.unexpected("more")
    at.unexpected("even more")
    assert [str(problem) for problem in at.problems] == ["f:1:1: the end of the file, expected more"]


def test_tokens_are_shown_short_and_on_one_line() -> None:
    assert shown(Token(WORD, "abc", 0)) == '"abc"'
    assert shown(Token(STRING, '"a\nb"', 0)) == '"a\\nb"'
    assert len(shown(Token(WORD, "x" * 500, 0))) < 50
    assert shown(Token(END, "", 0)) == "the end of the file"
