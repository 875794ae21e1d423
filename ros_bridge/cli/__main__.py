"""The command `odesim`: see `odesim --help`.

Everything but the parser is imported where it is used, so that `odesim --help` is there at once.
"""

from __future__ import annotations

import os
import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))  # an exception in an import becomes another one

import argparse
import sys
from collections.abc import Callable, Sequence
from errno import EMFILE

from ros_bridge.base.exit_codes import ERROR, INTERRUPTED
from ros_bridge.base.installed_ros import ROS_ARGS
from ros_bridge.base.terminal import disable_ros_colours, escaped_output, painted
from ros_bridge.cli import cli_commands as commands
from ros_bridge.cli.arguments import make_parser
from ros_bridge.cli.completion import answer_shell
from sim_core.base.errors import OdesimError, in_one_line
from sim_core.base.machine import is_out_of_memory, limit_heaps
from sim_core.base.missing_packages import missing_package

HANDLE_SIGNALS = (
    commands.run_world,
    commands.view_world,
    commands.use_topic,
    commands.make_movie,
    commands.animate_world,
    commands.record_topics,
)
"""Commands that say themselves what Ctrl-C does, as soon as there is something to end."""
TELL_ALL_IS_WELL = (commands.check_worlds, commands.replay_bag)
"""Commands that must not end with 0 when they were interrupted: that would say that all is well."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: arguments without the program's name; None: those of this process.

    Returns:
        Exit code: 0; 2 after an error, printed as one line per problem; 1 and 130 as --help says.

    Raises:
        SystemExit: from argparse, with 0 after --help, with 2 for wrong arguments.
    """
    if argv is None:
        limit_heaps()
        give_output_a_place()
    with escaped_output():
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    """As `main`, with an output that texts of worlds cannot steer."""
    words = list(sys.argv[1:] if argv is None else argv)
    split = words.index(ROS_ARGS) if ROS_ARGS in words else len(words)
    parser = make_parser()
    answer_shell(parser)
    disable_ros_colours()
    arguments = parser.parse_args(words[:split])
    arguments.ros_args = words[split:]
    command: Callable[[argparse.Namespace], int] = arguments.command
    if argv is None:
        handle_interrupts(at_once=command in HANDLE_SIGNALS)
    try:
        code = command(arguments)
        if argv is None and command in HANDLE_SIGNALS:
            from ros_bridge.base.shutdown import end_process

            end_process(code)
        sys.stdout.flush()  # here, where a reader that has gone is no error
        return code
    except OdesimError as error:
        print(painted(str(error), "red", sys.stderr), file=sys.stderr)
        return ERROR
    except ModuleNotFoundError as error:
        missing = missing_package(error)
        if missing is None:
            raise
        print(missing, file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        code = INTERRUPTED if command in TELL_ALL_IS_WELL else 0
        if argv is None:  # else Python, where it was raised in code made of text, ends by the signal
            from ros_bridge.base.shutdown import end_process

            end_process(code)
        return code
    except BrokenPipeError:  # the reader of our output, say `head`, has seen enough
        drop_output()
        return 0
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        print(f"found too little memory: {in_one_line(error)}", file=sys.stderr)
        return ERROR
    except OSError as error:  # the disk is full, the terminal is gone: what no command could foresee
        place = error.filename or ("the process" if error.errno == EMFILE else "the output")
        if place == "the output":
            drop_output()
        print(f"{place}: {error.strerror or in_one_line(error)}", file=sys.stderr)
        return ERROR
    finally:
        if argv is None:  # the process ends now: a second Ctrl-C must not disturb that
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)


def handle_interrupts(at_once: bool) -> None:
    """Say what Ctrl-C does until a command says otherwise.

    Args:
        at_once: end the process, in silence: for commands that handle signals themselves as soon as there is
            something to end. An exception would not do: rclpy makes another one of it while it is imported.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in the background of a shell script
        signal.signal(signal.SIGINT, (lambda *_: os._exit(0)) if at_once else signal.default_int_handler)


def drop_output() -> None:
    """Let go what could not be printed: Python would try again when it ends, and end with another code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def give_output_a_place() -> None:
    """Give those who print somewhere to print to where the shell has closed it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # else the next file that is opened would get this number
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


if __name__ == "__main__":
    sys.exit(main())
