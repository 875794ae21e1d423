"""`odesim test`: runs tests of worlds with pytest, and grades submissions."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from ros_bridge.base.exit_codes import ERROR, INTERRUPTED
from sim_core.base.errors import ConfigError

PLUGIN = "ros_bridge.testing.plugin"
SOME_FAILED = 1
EXIT_CODES = {0: 0, 1: SOME_FAILED, 2: INTERRUPTED}
"""Exit codes by those of pytest; all others are errors."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    about = "a file of tests, FILE::TEST, or a folder: all test_*.py in it; see docs/grading.md"
    parser.add_argument("tests", metavar="FILE|FOLDER", nargs="+", help=about)
    about = "test each folder in DIR, with its controllers in the place of those beside the world"
    parser.add_argument("--submissions", metavar="DIR", help=about)
    parser.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML")
    about = "write a table of the results, .csv, with a row for each submission"
    parser.add_argument("--grades", metavar="FILE", help=about)
    about = "write the same as a page, .html, with explanations and films of failed runs"
    parser.add_argument("--page", metavar="FILE", help=about)
    about = "processes that test at the same time; needs pytest-xdist; default: %(default)s"
    parser.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help=about)
    about = "keep no bag and no film of failed runs in odesim-failures/"
    parser.add_argument("--no-failures", action="store_true", help=about)
    parser.add_argument("-k", dest="chosen", default="", metavar="EXPRESSION", help="tests, as pytest's -k")


def test_worlds(arguments: argparse.Namespace) -> int:
    """Run tests.

    Returns:
        Exit code: 0 all passed; 1 some failed; 130 interrupted.

    Raises:
        ConfigError: an argument is invalid.
        ModuleNotFoundError: pytest, or for several processes pytest-xdist, is not installed.
    """
    import pytest

    if arguments.jobs < 1:
        raise ConfigError(f"--jobs: found {arguments.jobs}, expected a whole number above 0")
    for test in arguments.tests:
        if not Path(test.partition("::")[0]).exists():
            raise ConfigError(f"{test}: not found, expected a file of tests or a folder")
    words = [
        "-p",
        PLUGIN,
        "-p",
        "no:launch_testing",
        "-p",
        "no:launch_ros",
        "--tb",
        "short",
        *arguments.tests,
    ]
    for option, value in (
        ("--submissions", arguments.submissions),
        ("--junit-xml", arguments.junit),
        ("--grades", arguments.grades),
        ("--page", arguments.page),
        ("-k", arguments.chosen),
    ):
        words += [option, value] if value else []
    if arguments.jobs > 1:
        if find_spec("xdist") is None:
            raise ModuleNotFoundError("No module named 'xdist'", name="xdist")
        words += ["-n", str(arguments.jobs)]
    words += ["--trust"] if arguments.trust else []
    words += ["--no-failures"] if arguments.no_failures else []
    sys.argv[1:] = []  # this command's variables are not for programs started by tests
    return EXIT_CODES.get(int(pytest.main(words)), ERROR)
