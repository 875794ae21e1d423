"""Asks whether what came from elsewhere may start its programs; `sim_core/base/trust.py` says what that is.

At a terminal the user is asked once, elsewhere `--trust` says it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ros_bridge.base.terminal import answers_yes, can_ask
from ros_bridge.parameters.options import RunOptions
from sim_core.base.trust import (
    Doubt,
    demand,
    doubts_about_sdf,
    doubts_about_urdf,
    doubts_about_world,
    is_trusted,
    permission_of_world,
    trust,
)
from sim_core.scene.urdf.spawn import parse_argument


def as_trusted(options: RunOptions, says_so: bool) -> RunOptions:
    """Return the options of a run, which starts nothing of a world that is not trusted.

    Args:
        options: as they were asked for.
        says_so: the user has said that the world and the URDF files are trusted.

    Raises:
        ConfigError: the answer cannot be remembered.
    """
    snapshot = options.snapshot or ""
    ask(doubts_about_world(options.world, snapshot), says_so)
    ask(doubts_about_sdf(options.world), says_so)
    ask_about_urdf(options.urdf, says_so)
    if permission_of_world(options.world, snapshot) is None:
        return replace(options, controllers=False, plugins=False)
    return options


def ask_about_urdf(arguments: Sequence[str], says_so: bool) -> Sequence[str]:
    """Ask about the files of `--urdf` that bring programs; returns the arguments.

    Raises:
        ConfigError: as `parse_argument`, or the answer cannot be remembered.
    """
    for argument in arguments:
        ask(doubts_about_urdf(parse_argument(argument).file), says_so)
    return arguments


def ask(doubts: Iterable[Doubt], says_so: bool) -> None:
    """Trust the projects that the user trusts, by the option or at the terminal.

    Raises:
        ConfigError: the answer cannot be remembered.
    """
    for doubt in doubts:
        if not is_trusted(doubt.project) and (says_so or _agrees(doubt)):
            trust(doubt.project)


def ask_and_demand(doubts: Sequence[Doubt], says_so: bool) -> None:
    """The same; refuse to go on without trust.

    Raises:
        ConfigError: one is not trusted, or the answer cannot be remembered.
    """
    ask(doubts, says_so)
    demand(each for each in doubts if not is_trusted(each.project))


def _agrees(doubt: Doubt) -> bool:
    if not can_ask():
        return False
    print(f"{doubt.project}: {doubt.why}. Its controllers and plug-ins would run as you.", file=sys.stderr)
    return answers_yes("Trust it from now on?")
