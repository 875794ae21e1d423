"""Keys of browsers: the motion they command, their codes, and when they count as released."""

import pytest

from ros_bridge.viewer.key_script import FIELD, pad_html, script_html
from ros_bridge.viewer.keyboard import SILENCE_LIMIT, HeldKeys
from ros_bridge.viewer.keys import KeyReport, codes_of, motion_of, read_keys


@pytest.mark.parametrize(
    ("keys", "motion"),
    [
        ((), (0.0, 0.0)),
        (("ArrowUp",), (1.0, 0.0)),
        (("s",), (-1.0, 0.0)),
        (("W", "Shift"), (1.0, 0.0)),
        (("ArrowUp", "a"), (1.0, 1.0)),
        (("ArrowLeft", "ArrowRight", "w"), (1.0, 0.0)),
        (("ArrowUp", "w"), (1.0, 0.0)),
        (("ArrowUp", "Space"), (0.0, 0.0)),
    ],
)
def test_what_keys_drive(keys, motion):
    assert motion_of(keys) == motion


def test_codes_are_those_of_webots():
    """Arrows 314 to 317, letters as capitals, modifiers added to the others, each key once."""
    assert codes_of(["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"]) == [314, 315, 316, 317]
    assert codes_of(["a", "1", "Space", "Dead", "é"]) == [ord("A"), ord("1"), 32]
    assert codes_of(["Control", "x", "Shift"]) == [ord("X") + 0x20000 + 0x10000]
    assert codes_of(["Shift"]) == []
    assert codes_of(["a", "A"]) == [65]


def test_only_what_the_script_says_is_read():
    assert read_keys(FIELD) == KeyReport("nobody", 0, ())
    assert read_keys("odesim-keys x1 12 ArrowUp w") == KeyReport("x1", 12, ("ArrowUp", "w"))
    assert read_keys("odesim-keys x1 3 w mouse=1,0,0,0.25,0.5") == KeyReport(
        "x1", 3, ("w",), (1, 0, 0, 0.25, 0.5)
    )
    assert read_keys("odesim-keys x1 3 mouse=0,0,0,0.25,0.5,1,-2,0.1").mouse[5:] == (1, -2, 0.1)
    for wrong in ("mouse=", "mouse=1,0,0,nan,0", "mouse=1,0,0,0,0,1", "mouse=1,2", "mouse=a,b,c,d,e"):
        assert read_keys(f"odesim-keys x1 3 {wrong}") == KeyReport("x1", 3, ())
    for other in ("", "odesim-keys", "odesim-keys x", "odesim-keys x -1", "odesim-keys x ²", "hello x 1 w"):
        assert read_keys(other) is None


def test_keys_are_released_by_silence_and_old_news_counts_for_nothing():
    now = 0.0
    held = HeldKeys(lambda: now)
    held.store_report(KeyReport("a", 5, ("w",)))
    held.store_report(KeyReport("b", 1, ("ArrowLeft", "w")))
    assert held.keys() == ("w", "ArrowLeft")
    held.store_report(KeyReport("a", 7, ()))
    held.store_report(KeyReport("a", 6, ("s",)))  # an older report that arrives later
    assert held.keys() == ("ArrowLeft", "w")
    now = 0.9 * SILENCE_LIMIT
    assert held.keys() == ("ArrowLeft", "w")
    now = 1.1 * SILENCE_LIMIT
    assert held.keys() == ()
    held.store_report(KeyReport("b", 2, ("w",)))
    assert held.keys() == ("w",)


def test_the_html_has_no_loose_quotes():
    html = script_html("drive")
    handler = html.split('onerror="')[1].split('"')[0]
    assert handler.endswith("})()")
    assert 'data-taken="drive"' in html
    assert pad_html().count("data-odesim-key=") == 4
