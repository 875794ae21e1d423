"""Run a command that the kernel kills when the process that started it ends, however it ends.

    python3 -I -S end_with_parent.py PARENT COMMAND [ARGUMENT…]

PARENT is the process id of the caller; if it has ended already, the command is not started. This file is run
by its path and imports nothing of odesim, so that it takes only some 10 ms.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h; survives exec
COMMAND_NOT_STARTED = 127
"""Exit code of shells for a command that cannot be started."""


def main() -> int:
    """Replace this process by the command; return only if that fails."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    control = getattr(ctypes.CDLL(None), "prctl", None)
    if control is not None:  # Linux only; elsewhere the command continues
        control(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before prctl was called
        return COMMAND_NOT_STARTED
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
    return COMMAND_NOT_STARTED


if __name__ == "__main__":
    sys.exit(main())
