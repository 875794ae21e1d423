"""Input of the user as controllers receive it, and the events that follow from its changes."""

from __future__ import annotations

from typing import Any

KEYS, MOUSE, JOYSTICK = "keys", "mouse", "joystick"
"""Kinds of input, and their names in answers of the simulation."""
NO_EVENT, MOUSE_CLICK, MOUSE_MOVE, KEY = 0, 1, 2, 4
JOYSTICK_BUTTON, JOYSTICK_AXIS, JOYSTICK_POV = 8, 16, 32
DEVICES = {"keyboard": KEYS, "mouse": MOUSE, "joystick": JOYSTICK}
"""Kinds of input by the device that is enabled."""
KIND_OF_EVENT = {
    MOUSE_CLICK: MOUSE,
    MOUSE_MOVE: MOUSE,
    KEY: KEYS,
    JOYSTICK_BUTTON: JOYSTICK,
    JOYSTICK_AXIS: JOYSTICK,
    JOYSTICK_POV: JOYSTICK,
}
NO_INPUT: dict[str, Any] = {KEYS: [], MOUSE: None, JOYSTICK: None}
"""Input before any was received.

The mouse is [left, middle, right, u, v, x, y, z]: buttons 0 or 1, u and v from 0 to 1 in the picture from its
upper left corner, x, y and z in m in the world; None: unknown. The joystick has lists: `buttons` (indices of
those that are pressed), `axes` and `povs`; and the number of buttons, `button_count`.
"""
_PARTS = {"buttons": JOYSTICK_BUTTON, "axes": JOYSTICK_AXIS, "povs": JOYSTICK_POV}


def events_of(kind: str, before: Any, after: Any) -> int:
    """Return the events of a change of input, as the sum of their numbers."""
    if before == after:
        return NO_EVENT
    if kind == KEYS:
        return KEY
    if kind == MOUSE:
        before = before or [0] * len(after)
        is_click = any(now and not was for was, now in zip(before[:3], after[:3], strict=True))
        return MOUSE_CLICK * is_click + MOUSE_MOVE * (before[3:5] != after[3:5])
    before = before or {part: [] for part in _PARTS}
    return sum(event for part, event in _PARTS.items() if before[part] != after[part])


def first_event(events: int) -> int:
    """Return the event of the lowest number."""
    return events & -events
