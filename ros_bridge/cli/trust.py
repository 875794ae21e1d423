"""Asks whether files from elsewhere may start their programs; see `sim_core/base/trust.py`.

At a terminal the user is asked once for each project; without a terminal `--trust` allows it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ros_bridge.base.terminal import answers_yes, can_ask
from ros_bridge.parameters.options import RunOptions
from sim_core.base.trust import (
    TrustIssue,
    is_trusted,
    permission_of_world,
    require_trust,
    trust,
    trust_issues_of_sdf,
    trust_issues_of_urdf,
    trust_issues_of_world,
)
from sim_core.scene.urdf.spawn import parse_argument


def as_trusted(options: RunOptions, assume_yes: bool) -> RunOptions:
    """Return the options of a run with the permissions of its files; untrusted files start nothing.

    Args:
        options: options given by the user.
        assume_yes: whether the user has declared the world and the URDF files as trusted.

    Raises:
        ConfigError: the answer cannot be stored.
    """
    snapshot = options.snapshot or ""
    ask(trust_issues_of_world(options.world, snapshot), assume_yes)
    ask(trust_issues_of_sdf(options.world), assume_yes)
    ask_about_urdf(options.urdf, assume_yes)
    if permission_of_world(options.world, snapshot) is None:
        return replace(options, controllers=False, plugins=False)
    return options


def ask_about_urdf(arguments: Sequence[str], assume_yes: bool) -> Sequence[str]:
    """Ask about the files of `--urdf` that contain programs; return the arguments.

    Raises:
        ConfigError: see `parse_argument`; or the answer cannot be stored.
    """
    for argument in arguments:
        ask(trust_issues_of_urdf(parse_argument(argument).file), assume_yes)
    return arguments


def ask(issues: Iterable[TrustIssue], assume_yes: bool) -> None:
    """Store the projects that the user trusts, by the option or by an answer at the terminal.

    Raises:
        ConfigError: the answer cannot be stored.
    """
    for issue in issues:
        if not is_trusted(issue.project) and (assume_yes or _agrees(issue)):
            trust(issue.project)


def ask_and_require_trust(issues: Sequence[TrustIssue], assume_yes: bool) -> None:
    """Ask as `ask`, and raise an error if a project is not trusted.

    Raises:
        ConfigError: one is not trusted, or the answer cannot be stored.
    """
    ask(issues, assume_yes)
    require_trust(each for each in issues if not is_trusted(each.project))


def _agrees(issue: TrustIssue) -> bool:
    if not can_ask():
        return False
    print(f"{issue.project}: {issue.why}. Its controllers and plug-ins would run as you.", file=sys.stderr)
    return answers_yes("Trust it from now on?")
