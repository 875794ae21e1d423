"""Python programs that begin with odesim imported already: forks of one process that did that once.

Half of the suite's time went into imports, the same ones each time. A fork differs from a process started
anew in what is decided at the start of Python: the seed of hashes, what modules read of the environment when
they are imported, and the words that `ps` shows. Where a test is about one of these it starts one anew.
"""

from __future__ import annotations

import atexit
import faulthandler
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import get_context, reduction
from pathlib import Path
from typing import Any

AT_START = ("PYTHONHASHSEED", "NUMBA", "RMW", "LD_PRELOAD")
"""Variables of the environment, by how they begin, that count when modules are imported."""
TESTS = str(Path(__file__).resolve().parents[1])

_context = get_context("forkserver")
_context.set_forkserver_preload(["ros_bridge.cli.cli", "ros_bridge.node.run"])
_begun_with = {name: value for name, value in os.environ.items() if name.startswith(AT_START)}


def can_fork(command: Sequence[str]) -> bool:
    """Whether a command is a module or a line of Python, and begins in the environment of the tests."""
    now = {name: value for name, value in os.environ.items() if name.startswith(AT_START)}
    return command[0] == sys.executable and now == _begun_with and not {"-m", "-c"}.isdisjoint(command)


class Forked:
    """A Python program, as `subprocess.Popen` has it.

    Attributes:
        args: its command line: the interpreter, options, then `-m MODULE …` or `-c CODE …`.
        returncode: None while it runs; below 0: the signal that ended it.
        stdin: takes text.
        stdout: gives text.
        stderr: gives text; None: it comes on stdout.
    """

    def __init__(self, args: Sequence[str], cwd: Path, environment: Mapping[str, str], apart: bool) -> None:
        """Start it; `apart`: errors and output on a pipe each."""
        self.args = list(args)
        self.returncode: int | None = None
        told, ours = os.pipe()
        output, said = os.pipe()
        errors, wrong = os.pipe() if apart else (None, said)
        handles = tuple(map(_Handle, (told, said, wrong)))
        given = (self.args, str(cwd), dict(environment), handles)
        self._process = _context.Process(target=_begin, args=given)
        self._process.start()
        for handle in {told, said, wrong}:
            os.close(handle)
        self.stdin, self.stdout = open(ours, "w"), open(output)  # noqa: SIM115
        self.stderr = None if errors is None else open(errors)  # noqa: SIM115
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """Exit code, or None."""
        if self.returncode is None:
            self.returncode = self._process.exitcode
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Exit code; raises `subprocess.TimeoutExpired`."""
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        """If it still runs."""
        if self.poll() is None and self.pid is not None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """As Popen does."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """As Popen does."""
        self.send_signal(signal.SIGKILL)


class _Handle:
    """A file descriptor that goes along to a process."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> Any:
        return _arrive, (reduction.DupFd(self.number),)


def _arrive(handle: Any) -> int:
    return int(handle.detach())


def _begin(args: list[str], cwd: str, environment: dict[str, str], handles: Sequence[int]) -> None:
    """Within the fork: be the program."""
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
    for handle in set(handles):
        os.close(handle)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, buffering=1)  # noqa: SIM115
    for name in ("stdin", "stdout", "stderr"):  # final names for a type checker
        setattr(sys, f"__{name}__", getattr(sys, name))
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    first = dict.fromkeys([cwd, *environment.get("PYTHONPATH", "").split(os.pathsep)])
    others = [each for each in sys.path if each and each not in first and not each.startswith(TESTS)]
    sys.path[:] = [*filter(None, first), *others]
    faulthandler.enable(sys.stderr)
    at = next(index for index, word in enumerate(args) if word in ("-m", "-c"))
    sys.argv = ["-c", *args[at + 2 :]]
    try:
        if args[at] == "-m":
            runpy.run_module(args[at + 1], run_name="__main__", alter_sys=True)
        else:
            exec(compile(args[at + 1], "<string>", "exec"), {"__name__": "__main__"})
    finally:
        sys.stdout.flush()
        atexit._run_exitfuncs()
