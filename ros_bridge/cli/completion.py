"""Completion of commands, options and worlds in the shell, with argcomplete."""

from __future__ import annotations

import argparse
import os
from typing import Any

from sim_core.base.shipped import WORLD_ENDINGS, shipped_worlds

COMPLETION_VARIABLE = "_ARGCOMPLETE"
"""Environment variable set by the shell when it requests completions."""
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


def print_completions(parser: argparse.ArgumentParser) -> None:
    """Print completions and exit if the shell has requested them."""
    if COMPLETION_VARIABLE not in os.environ:
        return
    from argcomplete import autocomplete

    for action in actions_of(parser):
        if action.metavar == "WORLD":
            action.completer = worlds  # type: ignore[attr-defined]  # as argcomplete wants it
    autocomplete(parser)


def actions_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Iterate over the arguments of a parser and its subcommands."""
    found = []
    for action in parser._actions:
        found.append(action)
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                found += actions_of(below)
    return found


def worlds(prefix: str, **_: Any) -> list[str]:
    """Return names of shipped worlds and world files that start with a prefix."""
    from argcomplete.completers import FilesCompleter

    names = [name for name in shipped_worlds() if name.startswith(prefix)]
    return names + list(FilesCompleter([ending[1:] for ending in WORLD_ENDINGS])(prefix))


def shell_code(shell: str) -> str:
    """Return the code for the start file of a shell."""
    from argcomplete import shellcode

    return (ZSH if shell == "zsh" else "") + str(shellcode(["odesim"], shell="bash"))
