"""Sim time as text."""

from __future__ import annotations

NS_PER_MS = 1_000_000


def time_text(time_ns: int) -> str:
    """Format a time as `H:MM:SS:mmm`, as Webots shows it, rounded towards zero."""
    sign = "-" if time_ns < 0 else ""
    seconds, milliseconds = divmod(abs(time_ns) // NS_PER_MS, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02}:{seconds:02}:{milliseconds:03}"
