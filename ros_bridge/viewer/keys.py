"""Convert key names of browsers to robot motion and to the codes of Webots' Keyboard."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

MARK = "odesim-keys"
"""First word of the messages of the script in `key_script.py`."""
MOUSE = "mouse="
"""Begin of the word with the mouse: three buttons, its place in the picture, the point below it, if any."""

CODES = {
    "End": 312,
    "Home": 313,
    "ArrowLeft": 314,
    "ArrowUp": 315,
    "ArrowRight": 316,
    "ArrowDown": 317,
    "PageUp": 366,
    "PageDown": 367,
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "Space": 32,
}
"""Codes of wb_keyboard_get_key (Webots reference, Keyboard); a character has the code of its capital."""
MODIFIERS = {"Shift": 0x10000, "Control": 0x20000, "Alt": 0x40000}
"""Added to the codes of all other keys."""

FORWARD = {"ArrowUp": 1.0, "w": 1.0, "ArrowDown": -1.0, "s": -1.0}
LEFT = {"ArrowLeft": 1.0, "a": 1.0, "ArrowRight": -1.0, "d": -1.0}
STOP = "Space"


class KeyReport(NamedTuple):
    """Report of a browser: the keys that are held now.

    Attributes:
        browser: random identifier of the browser.
        number: serial number of the report.
        keys: `KeyboardEvent.key`; a space is `Space`.
        mouse: left, middle and right button, 0 or 1; u and v, from 0 to 1; if something is below the pointer,
            x, y, z of that point in the world, m. None: not reported.
    """

    browser: str
    number: int
    keys: tuple[str, ...]
    mouse: tuple[float, ...] | None = None


def read_keys(text: str) -> KeyReport | None:
    """Parse the text written by the script in the browser; return None for anything else."""
    words = text.split(" ")
    if len(words) < 3 or words[0] != MARK or not words[2].isascii() or not words[2].isdigit():
        return None
    keys = tuple(word for word in words[3:] if word and not word.startswith(MOUSE))
    mouse = next((word for word in words[3:] if word.startswith(MOUSE)), None)
    return KeyReport(words[1], int(words[2]), keys, None if mouse is None else _numbers(mouse))


def _numbers(word: str) -> tuple[float, ...] | None:
    """Return the mouse of a report; None: it is not five or eight numbers."""
    try:
        numbers = tuple(map(float, word.removeprefix(MOUSE).split(",")))
    except ValueError:
        return None
    return numbers if len(numbers) in (5, 8) and all(map(math.isfinite, numbers)) else None


def codes_of(keys: Iterable[str]) -> list[int]:
    """Return the codes of all keys except modifiers, in the order pressed, with the modifiers added."""
    keys = list(keys)
    added = sum(code for name, code in MODIFIERS.items() if name in keys)
    found = [CODES.get(key) or (ord(key.upper()) if len(key) == 1 and key.isascii() else 0) for key in keys]
    return [code + added for code in dict.fromkeys(found) if code]


def motion_of(keys: Iterable[str]) -> tuple[float, float]:
    """Return the speed ahead and to the left, each from -1 to 1; opposite keys cancel out."""
    names = [key.lower() if len(key) == 1 else key for key in keys]
    if STOP in names:
        return 0.0, 0.0
    forward, left = (sum(table.get(name, 0.0) for name in names) for table in (FORWARD, LEFT))
    return _limited(forward), _limited(left)


def _limited(value: float) -> float:
    return min(max(value, -1.0), 1.0)
