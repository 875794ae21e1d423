"""Completion of commands, options and worlds by the shell, through argcomplete."""

from __future__ import annotations

import argparse
import os
from typing import Any

from sim_core.base.shipped import WORLD_ENDINGS, shipped_worlds

ASKED = "_ARGCOMPLETE"
"""Set by the shell when it wants to know what might come next."""
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


def answer_shell(parser: argparse.ArgumentParser) -> None:
    """Tell the shell what might come next, and end, if it has asked."""
    if ASKED not in os.environ:
        return
    from argcomplete import autocomplete

    for action in actions_of(parser):
        if action.metavar == "WORLD":
            action.completer = worlds  # type: ignore[attr-defined]  # as argcomplete wants it
    autocomplete(parser)


def actions_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The arguments of a parser and of its commands."""
    found = []
    for action in parser._actions:
        found.append(action)
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                found += actions_of(below)
    return found


def worlds(prefix: str, **_: Any) -> list[str]:
    """Names of the worlds that come along, and files of worlds, that begin so."""
    from argcomplete.completers import FilesCompleter

    names = [name for name in shipped_worlds() if name.startswith(prefix)]
    return names + list(FilesCompleter([ending[1:] for ending in WORLD_ENDINGS])(prefix))


def shell_code(shell: str) -> str:
    """What a shell is to be told once: for its start file."""
    from argcomplete import shellcode

    return (ZSH if shell == "zsh" else "") + str(shellcode(["odesim"], shell="bash"))
