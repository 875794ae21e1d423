"""Exit codes of the command `odesim` other than 0."""

CONTROLLER_FAILED = 1
"""A run was completed, but a controller failed or could not be started."""
ERROR = 2
"""Wrong arguments, files or parameters, or an unexpected error."""
INTERRUPTED = 130
"""Exit code of shells for a program that was ended by Ctrl-C."""
