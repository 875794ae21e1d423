"""Checks of command values; each error names the command, what was found and what was expected."""

from __future__ import annotations

import math

from sim_core.base.errors import CommandError


def check_finite(what: str, value: float) -> float:
    """Return a command's value as a float if it is a finite number.

    Raises:
        CommandError: names the command and what was found.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise CommandError(f"{what}: found {value!r}, expected a number") from None
    if not math.isfinite(number):
        raise CommandError(f"{what}: found {number}, expected a finite number")
    return number


def check_not_negative(what: str, value: float) -> float:
    """Return a command's value as a float if it is a finite number of at least 0.

    Raises:
        CommandError: names the command and what was found.
    """
    number = check_finite(what, value)
    if number < 0.0:
        raise CommandError(f"{what}: found {number:g}, expected 0 or more")
    return number


def clamped(what: str, value: float, limit: float, unit: str) -> tuple[float, str | None]:
    """Return a value clamped to ±limit, and a message if it was beyond the limit, else None."""
    if abs(value) <= limit:
        return value, None
    text = f"{what} {value:g} {unit} is past the limit {limit:g} {unit}, clamped"
    return math.copysign(limit, value), text
