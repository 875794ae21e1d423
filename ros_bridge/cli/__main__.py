"""The command `odesim`: see `odesim --help`.

All modules but the parser are imported where they are used, so that `odesim --help` starts quickly.
"""

from __future__ import annotations

import os
import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))  # an exception during an import becomes another one

import argparse
import sys
from collections.abc import Callable, Sequence
from errno import EMFILE

from ros_bridge.base.exit_codes import ERROR, INTERRUPTED
from ros_bridge.base.installed_ros import ROS_ARGS
from ros_bridge.base.terminal import disable_ros_colours, escaped_output, painted
from ros_bridge.cli import cli_commands as commands
from ros_bridge.cli.arguments import make_parser
from ros_bridge.cli.completion import print_completions
from sim_core.base.errors import OdesimError, in_one_line
from sim_core.base.machine import collect_rarely, is_out_of_memory, limit_heaps
from sim_core.base.missing_packages import missing_package

HANDLE_SIGNALS = (
    commands.run_world,
    commands.view_world,
    commands.use_topic,
    commands.make_movie,
    commands.animate_world,
    commands.record_topics,
)
"""Commands that set their own handlers for Ctrl-C once there is something to end."""
END_AT_ONCE = (*HANDLE_SIGNALS, commands.check_worlds, commands.show_info, commands.convert_world)
"""Commands after which the process ends without taking the interpreter down, which takes 0.2 s; they leave
nothing to be closed."""
FAIL_IF_INTERRUPTED = (commands.check_worlds, commands.replay_bag)
"""Commands that must not return 0 after an interruption, because 0 would mean that everything is correct."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: arguments without the program name; None: those of this process.

    Returns:
        Exit code: 0; 2 after an error, printed as one line per problem; 1 and 130 as --help says.

    Raises:
        SystemExit: by argparse, with 0 after --help and 2 after invalid arguments.
    """
    if argv is None:
        limit_heaps()
        collect_rarely()
        replace_closed_output()
    with escaped_output():
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    """Run a command, as `main`; control characters in texts of worlds are escaped in the output."""
    words = list(sys.argv[1:] if argv is None else argv)
    split = words.index(ROS_ARGS) if ROS_ARGS in words else len(words)
    parser = make_parser()
    print_completions(parser)
    disable_ros_colours()
    arguments = parser.parse_args(words[:split])
    arguments.ros_args = words[split:]
    command: Callable[[argparse.Namespace], int] = arguments.command
    if argv is None:
        handle_interrupts(at_once=command in HANDLE_SIGNALS)
    try:
        code = command(arguments)
        if argv is None and command in END_AT_ONCE:
            from ros_bridge.base.shutdown import end_process

            end_process(code)
        sys.stdout.flush()  # here, where a closed pipe is no error
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
        code = INTERRUPTED if command in FAIL_IF_INTERRUPTED else 0
        if (
            argv is None
        ):  # otherwise Python ends by the signal if the exception was raised in code compiled from text
            from ros_bridge.base.shutdown import end_process

            end_process(code)
        return code
    except BrokenPipeError:  # the reader of the output, such as `head`, has closed the pipe
        drop_output()
        return 0
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        print(f"found too little memory: {in_one_line(error)}", file=sys.stderr)
        return ERROR
    except OSError as error:  # the disk is full or the terminal was closed
        place = error.filename or ("the process" if error.errno == EMFILE else "the output")
        if place == "the output":
            drop_output()
        print(f"{place}: {error.strerror or in_one_line(error)}", file=sys.stderr)
        return ERROR
    finally:
        if argv is None:  # the process ends: ignore a second Ctrl-C
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)


def handle_interrupts(at_once: bool) -> None:
    """Set handlers for Ctrl-C, which a command may replace.

    Args:
        at_once: end the process silently, for commands that set their own handlers once there is something
            to end. An exception would not work: rclpy turns it into another one while it is imported.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in the background of a shell script
        signal.signal(signal.SIGINT, (lambda *_: os._exit(0)) if at_once else signal.default_int_handler)


def drop_output() -> None:
    """Discard output that could not be printed; Python would try again at exit and change the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def replace_closed_output() -> None:
    """Open /dev/null as output where the shell has closed it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # otherwise the next opened file would get this descriptor
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


if __name__ == "__main__":
    sys.exit(main())
