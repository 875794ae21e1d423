"""Exit codes of the command `odesim` other than 0."""

CONTROLLER_FAILED = 1
"""A run was completed, but a controller failed or could not be started."""
ERROR = 2
"""Wrong arguments, files or parameters, or what no command could foresee."""
TIMED_OUT = 124
"""`--timeout` ended a run; as coreutils' `timeout` says it."""
INTERRUPTED = 130
"""Exit code of shells for a program that was ended by Ctrl-C."""
