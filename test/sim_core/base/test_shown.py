"""Nothing that is printed steers a terminal, but what we write on purpose."""

from __future__ import annotations

import contextlib
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.base.errors import CommandError, in_one_line
from sim_core.base.shown import PLAIN, StyledText, Terminal, shown, shown_with_colours

RED = "\x1b[31m"


def steers(text: str) -> bool:
    """Whether a text holds a control character, a direction, half a character or another end of a line."""
    kept = text.replace("\n", "").replace("\t", "")
    return any(
        unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(each) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        or each in "\u200e\u200f\u061c"
        for each in kept
    )


@given(st.text(st.characters() | st.sampled_from("\x1b\x07\x9b\x7f\r\u202e\ud800\n\t")))
def test_what_steers_is_an_escape_and_all_else_stays(text: str) -> None:
    made = shown(text)
    assert not steers(made)
    if not steers(text) and "\ufeff" not in text:
        assert made == text
    assert shown(made) == made
    with pytest.raises(CommandError) as error:
        raise CommandError(text)
    assert not steers(str(error.value)) and not steers(in_one_line(ValueError(text)))


def test_escapes_are_those_of_json() -> None:
    assert shown("a\x1b]0;title\x07b\u202e\nc\td") == "a\\u001b]0;title\\u0007b\\u202e\nc\td"


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("plain", "plain"),
        (f"{RED}red{PLAIN}", f"{RED}red{PLAIN}"),
        (f"{RED}red", f"{RED}red{PLAIN}"),
        ("\x1b[1;38;5;9mbold\x1b[0m plain", f"\x1b[1;38;5;9mbold\x1b[0m plain{PLAIN}"),
        ("\x1b[2J\x1b]52;c;aGk=\x07", "\\u001b[2J\\u001b]52;c;aGk=\\u0007"),
        (f"\x1b{RED}\x1b[0", f"\\u001b{RED}\\u001b[0{PLAIN}"),
        ("over\rwritten", "over\\u000dwritten"),
    ],
)
def test_of_a_controller_the_colours_stay_and_end_with_the_line(line: str, seen: str) -> None:
    assert shown_with_colours(line) == seen


def test_a_terminal_shows_what_is_printed() -> None:
    stream = io.StringIO()
    terminal = Terminal(stream)
    with contextlib.redirect_stdout(terminal):
        print("a\x1b[2J", StyledText(f"{RED}b{PLAIN}"), f"{StyledText(RED)}c", sep="|")
    terminal.writelines(["d\x07", "\n"])
    assert stream.getvalue() == f"a\\u001b[2J|{RED}b{PLAIN}|\\u001b[31mc\nd\\u0007\n"
    assert terminal.raw is stream and terminal.getvalue() == stream.getvalue()
