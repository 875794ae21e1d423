"""Exit codes of the command `odesim` other than 0."""

ERROR = 2
"""Wrong arguments, files or parameters, or what no command could foresee."""
INTERRUPTED = 130
"""As shells say it of a program that Ctrl-C ended."""
