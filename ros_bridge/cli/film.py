"""`odesim movie` and `odesim animate`: record a run from its start to its end."""

from __future__ import annotations

import argparse

from ros_bridge.cli.cli_commands import options_of, run_options
from ros_bridge.cli.trust import as_trusted
from ros_bridge.node.run import run
from ros_bridge.parameters.options import RecordingOptions


def film(arguments: argparse.Namespace, kind: str) -> int:
    """Run a world as `odesim run`, and record it.

    Args:
        arguments: arguments of the command line.
        kind: "movie" or "animation".

    Returns:
        Exit code: 0, or 2 after an error, which has been printed as one line.
    """
    how = options_of(RecordingOptions, arguments)
    options = run_options(arguments, **{kind: how}, speed=None, hurry=True, progress=True)
    return run(as_trusted(options, arguments.trust))
