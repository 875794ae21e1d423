"""Printed text contains no terminal control characters except intended ones."""

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


def has_control_characters(text: str) -> bool:
    """Return whether a text contains a control character, a direction mark, a surrogate or another line
    end."""
    kept = text.replace("\n", "").replace("\t", "")
    return any(
        unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(each) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        or each in "\u200e\u200f\u061c"
        for each in kept
    )


@given(st.text(st.characters() | st.sampled_from("\x1b\x07\x9b\x7f\r\u202e\ud800\n\t")))
def test_control_characters_are_escaped_and_others_unchanged(text: str) -> None:
    made = shown(text)
    assert not has_control_characters(made)
    if not has_control_characters(text) and "\ufeff" not in text:
        assert made == text
    assert shown(made) == made
    with pytest.raises(CommandError) as error:
        raise CommandError(text)
    assert not has_control_characters(str(error.value)) and not has_control_characters(
        in_one_line(ValueError(text))
    )


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
def test_colours_of_a_controller_are_kept_and_reset_at_the_line_end(line: str, seen: str) -> None:
    assert shown_with_colours(line) == seen


def test_a_terminal_shows_what_is_printed() -> None:
    stream = io.StringIO()
    terminal = Terminal(stream)
    with contextlib.redirect_stdout(terminal):
        print("a\x1b[2J", StyledText(f"{RED}b{PLAIN}"), f"{StyledText(RED)}c", sep="|")
    terminal.writelines(["d\x07", "\n"])
    assert stream.getvalue() == f"a\\u001b[2J|{RED}b{PLAIN}|\\u001b[31mc\nd\\u0007\n"
    assert terminal.raw is stream and terminal.getvalue() == stream.getvalue()
