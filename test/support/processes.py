"""Processes of tests, their output read as it comes."""

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from preloaded import Forked, can_fork

ROOT = Path(__file__).resolve().parents[2]
ODESIM = (sys.executable, "-X", "faulthandler", "-m", "ros_bridge.cli")
"""The command `odesim`."""
LIMIT = 60.0


def cpu_time_of_children() -> float:
    """Seconds that the processor has spent on the children which have ended: other work does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def below(process: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    found = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(each) for each in file.read_text(encoding="ascii").split()]
        except OSError:  # it has ended
            continue
        for child in children:
            found += [child, *below(child)]
    return found


def is_there(process: int) -> bool:
    """Whether it lives: one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def memory_of(process: int) -> tuple[float, float]:
    """MB that a process has of its own, and MB of files (libraries, above all) that are there for it.

    Both 0 if it has ended; proc(5), RssAnon and RssFile.
    """
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0, 0.0
    own, files = (re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE) for name in ("RssAnon", "RssFile"))
    return (int(own[1]) / 1024.0, int(files[1]) / 1024.0) if own and files else (0.0, 0.0)


def command_of(process: int) -> str:
    """What it was started as."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


class ReadProcess:
    """A process whose output is read into `lines`; a fork with all imported, unless it must be `anew`."""

    def __init__(self, *command: str | Path, anew: bool = False) -> None:
        words = list(map(str, command))
        is_fork = can_fork(words) and not anew
        self.process = Forked(words, ROOT, os.environ, False) if is_fork else _started_anew(words)
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.lines.extend(line.rstrip("\n") for line in iter(self.process.stdout.readline, ""))

    def says(self, text: str) -> list[str]:
        """The lines that hold a text."""
        return [line for line in list(self.lines) if text in line]

    def until_it_says(self, text: str, seconds: float = LIMIT) -> None:
        """Wait for a line that holds a text; fails if it ends before, or says nothing of the kind."""
        limit = time.monotonic() + seconds
        while not self.says(text):
            assert self.process.poll() is None and time.monotonic() < limit, (text, self.lines)
            time.sleep(0.02)

    def send(self, number: int) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def wait(self, seconds: float = LIMIT) -> int:
        """Exit code; raises if it has not ended by then."""
        code = self.process.wait(seconds)
        self._reader.join(seconds)
        return code

    def end(self) -> None:
        """Kill it, and all below it, if it still runs."""
        pid = self.process.pid
        if self.process.poll() is None and pid is not None:
            for each in (*below(pid), pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            self.process.wait()


def finished(
    *command: str | Path, folder: Path = ROOT, seconds: float = 2.0 * LIMIT
) -> "subprocess.CompletedProcess[str]":
    """A command of odesim run to its end, a fork with all imported; raises `subprocess.TimeoutExpired`."""
    words, environment = list(map(str, command)), os.environ | {"PYTHONPATH": str(ROOT)}
    if not can_fork(words):
        return subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    process = Forked(words, folder, environment, apart=True)
    process.stdin.close()
    with ThreadPoolExecutor() as readers:
        said = [readers.submit(pipe.read) for pipe in (process.stdout, process.stderr) if pipe is not None]
        try:
            code = process.wait(seconds)
        finally:
            process.kill()
        return subprocess.CompletedProcess(words, code, *(each.result() for each in said))


def _started_anew(words: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        words,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


Kind = TypeVar("Kind", bound=ReadProcess)


def started(kind: Callable[..., Kind]) -> Iterator[Callable[..., Kind]]:
    """For fixtures: starts processes of a kind; what still runs at the end of the test is killed."""
    running: list[Kind] = []

    def start(*arguments: Any, **options: Any) -> Kind:
        running.append(kind(*arguments, **options))
        return running[-1]

    yield start
    for process in running:
        process.end()
