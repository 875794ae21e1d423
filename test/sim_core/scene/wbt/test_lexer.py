"""The lexer: kinds of token, places, strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.scene.wbt.cursor import Cursor
from sim_core.scene.wbt.lexer import (
    BAD,
    END,
    NUMBER,
    NUMBERS,
    STRING,
    WORD,
    Lines,
    quoted,
    tokenize,
    unquoted,
)


def kinds(text: str) -> list[tuple[str, str]]:
    tokens, _ = tokenize(text, "f", Lines(text))
    assert tokens[-1].kind == END
    return [(token.kind, token.text) for token in tokens[:-1]]


@pytest.mark.parametrize("text", ["0", "-1", "+2", "1.", ".5", "-.5e-3", "1E+10", "0xFF", "-0x1f", "007"])
def test_numbers(text: str) -> None:
    assert kinds(text) == [(NUMBER, text)]


@pytest.mark.parametrize("text", ["Robot", "_x", "left-wheel", "TRUE", "roue_é", "a0", "E-puck"])
def test_words(text: str) -> None:
    assert kinds(text) == [(WORD, text)]


@pytest.mark.parametrize("text", ["1x", "--1", "1e", "0x", "-inf", "a.b", "3d", "'", "\x01", "1.2.3"])
def test_what_is_neither_is_reported_once(text: str) -> None:
    tokens, problems = tokenize(text, "f", Lines(text))
    assert [token.kind for token in tokens] == [BAD, END]
    assert len(problems) == 1 and str(problems[0]).startswith("f:1:1: ")


def test_tokens_need_no_blanks_around_brackets_strings_and_comments() -> None:
    assert kinds('A{b[1,2]c"x"d#e{\n}') == [
        (WORD, "A"), ("{", "{"), (WORD, "b"), ("[", "["), (NUMBER, "1"), (NUMBER, "2"), ("]", "]"),
        (WORD, "c"), (STRING, '"x"'), (WORD, "d"), ("}", "}"),
    ]  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_places_count_lines_and_columns_from_one(newline: str) -> None:
    text = f"a{newline}  bc d{newline}{newline}e"
    lines = Lines(text)
    tokens, _ = tokenize(text, "f", lines)
    assert [lines.line_and_column(token.offset) for token in tokens[:-1]] == [(1, 1), (2, 3), (2, 6), (4, 1)]


@given(st.text())
def test_any_string_survives_quoting(value: str) -> None:
    text = quoted(value)
    assert kinds(text) == [(STRING, text)]
    assert unquoted(text) == value


def test_a_missing_quote_is_reported_once_at_the_first_string_over_several_lines() -> None:
    text = 'a "one"\nb "two\nc "three"\nd 1x "four"\n'
    tokens, problems = tokenize(text, "f", Lines(text))
    assert [str(problem) for problem in problems] == [
        'f:2:3: a string that is never closed, expected a closing "'
    ]
    assert [token.text for token in tokens[:2]] == ["a", '"one"'] and tokens[2].kind == BAD


def test_other_backslashes_stand_for_themselves() -> None:
    assert unquoted(r'"C:\new \"x\" \\"') == 'C:\\new "x" \\'


@given(st.text(alphabet='ab01.-+eExX"\\#{}[], \n\t\0é'))
def test_any_text_becomes_tokens_in_order(text: str) -> None:
    tokens, _ = tokenize(text, "f", Lines(text))
    offsets = [token.offset for token in tokens]
    assert offsets == sorted(offsets) and tokens[-1].kind == END
    for token in tokens[:-1]:
        if token.text == '"':  # stands for all that follows a missing quote
            continue
        assert text[token.offset : token.offset + len(token.text)] == token.text


def test_many_numbers_are_one_token_until_they_are_split() -> None:
    """Its parts are those that the same numbers have where they are few: kinds, texts, places."""
    text = "[ " + ", ".join(["1", "-2.5e-3\n", ".5", "+7."] * 20) + " ]"
    tokens, problems = tokenize(text, "f", Lines(text))
    assert [each.kind for each in tokens] == ["[", NUMBERS, "]", END] and not problems
    cursor = Cursor(tokens, "f", Lines(text))
    cursor.open_bracket()
    few = text.replace("]", "x ]")  # not only numbers any more
    singly = [each for each in tokenize(few, "f", Lines(few))[0] if each.text != "x"]
    assert cursor.tokens[:-2] == singly[:-2]


@pytest.mark.parametrize("wrong", ["1.2.3", "--1", "1e", "."])
def test_among_many_numbers_one_that_is_none_has_its_place(wrong: str) -> None:
    text = "[ " + "1 " * 50 + wrong + " 2" * 50 + " ]"
    tokens, problems = tokenize(text, "f", Lines(text))
    (problem,) = problems
    assert (problem.line, problem.column) == (1, 103) and wrong in problem.found
    assert [each.kind for each in tokens].count(NUMBER) == 100
