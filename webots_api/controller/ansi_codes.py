"""Escape sequences for coloured output (ECMA-48)."""

from __future__ import annotations


class AnsiCodes:
    """Escape sequences to print."""

    RESET = "\033[0m"
    BOLD = "\033[1m"
    UNDERLINE = "\033[4m"
    BLACK_BACKGROUND = "\033[40m"
    BLUE_BACKGROUND = "\033[44m"
    CYAN_BACKGROUND = "\033[46m"
    GREEN_BACKGROUND = "\033[42m"
    MAGENTA_BACKGROUND = "\033[45m"
    RED_BACKGROUND = "\033[41m"
    WHITE_BACKGROUND = "\033[47m"
    YELLOW_BACKGROUND = "\033[43m"
    BLACK_FOREGROUND = "\033[30m"
    BLUE_FOREGROUND = "\033[34m"
    CYAN_FOREGROUND = "\033[36m"
    GREEN_FOREGROUND = "\033[32m"
    MAGENTA_FOREGROUND = "\033[35m"
    RED_FOREGROUND = "\033[31m"
    WHITE_FOREGROUND = "\033[37m"
    YELLOW_FOREGROUND = "\033[33m"
    CLEAR_SCREEN = "\033[2J\033[0;0H"
