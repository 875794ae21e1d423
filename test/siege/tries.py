"""Tries by number, made by processes that may end, and what came of them."""

from __future__ import annotations

import json
import mmap
import os
import random
import resource
import selectors
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from mutation import changed_text
from tqdm import tqdm

from sim_core.base.errors import OdesimError, SceneErrors
from sim_core.scene.meshes.mesh_files import MeshFileError
from sim_core.scene.meshes.picture_files import PictureError

MEMORY = 4 << 30
SECONDS = 20
"""Of a processor, for one try: the machine may have other work."""
WAIT = 300
"""Seconds for one try in all: something waits for what will not come."""
LONGEST = 2000
"""Characters of a line that somebody may still read."""
OWN = (OdesimError, MeshFileError, PictureError)


@dataclass(frozen=True)
class Reader:
    """Something that reads a kind of file.

    Attributes:
        files: what the tries begin with: the name of the file, and what is in it.
        read: reads the file of that name in a folder.
        change: makes a broken one of what is in a file.
        also: put beside it, unchanged.
        share: how many tries of a round are its own: of what is read quickly there are more.
    """

    files: list[tuple[str, bytes]]
    read: Callable[[Path], object]
    change: Callable[[bytes, random.Random], bytes] = changed_text
    also: dict[str, bytes] = field(default_factory=dict)
    share: int = 1


class Siege:
    """The tries, by number, each the same whenever it is made."""

    def __init__(self, every: dict[str, Reader], seed: int) -> None:
        self.every, self.seed = every, seed
        turns = ((at / each.share, name) for name, each in every.items() for at in range(1, each.share + 1))
        self.round = [name for _, name in sorted(turns)]
        """Whose turn it is, again and again; each comes as evenly as it can."""
        self.listens = False
        """Standard error is a file: what is written there is no answer."""

    def reader_of(self, number: int) -> str:
        """Whose turn it is."""
        return self.round[number % len(self.round)]

    def attack(self, number: int, parent: Path) -> tuple[str, str]:
        """Do one; its reader, and what went wrong or a word that says how it ended."""
        chance = random.Random(f"{self.seed}/{number}")
        name = self.reader_of(number)
        reader = self.every[name]
        file, data = chance.choice(reader.files)
        said = os.lseek(2, 0, os.SEEK_END) if self.listens else 0
        data = reader.change(data, chance)
        folder = parent / name
        folder.mkdir(exist_ok=True)
        for other, content in reader.also.items():
            (folder / other).write_bytes(content)
        (folder / file).write_bytes(data)
        try:
            reader.read(folder / file)
        except OWN as error:
            lines = str(error).splitlines()
            several = isinstance(error, SceneErrors)
            if not all(line.strip() and len(line) < LONGEST for line in lines) or (len(lines) != 1) > several:
                return name, f"no line that one can read: {str(error)[:5000]!r}"
            if self.listens and os.lseek(2, 0, os.SEEK_END) > said:
                return name, f"besides its line it said: {os.pread(2, 5000, said).decode(errors='replace')}"
            return name, "refused"
        except Exception:
            return name, traceback.format_exc()
        if self.listens and os.lseek(2, 0, os.SEEK_END) > said:
            return name, f"it said: {os.pread(2, 5000, said).decode(errors='replace')}"
        return name, "read"


@dataclass
class Figures:
    """What came of a siege."""

    ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def take(self, number: int, name: str, end: str, seconds: float) -> None:
        """One try more."""
        kind = end if end in ("read", "refused") else "wrong"
        self.ends[name, kind] += 1
        self.slowest[name] = max(seconds, self.slowest.get(name, 0.0))
        if kind == "wrong":
            self.wrong.append(f"try {number}, {name}:\n{end}")
            tqdm.write(self.wrong[-1], file=sys.stderr)

    def table(self) -> Iterator[str]:
        """A line for each reader, and one for all."""
        yield f"{'reader':12}{'tries':>9}{'read':>9}{'refused':>9}{'wrong':>7}{'slowest s':>11}"
        for name, slowest in sorted(self.slowest.items()):
            read, refused, wrong = (self.ends[name, kind] for kind in ("read", "refused", "wrong"))
            yield f"{name:12}{read + refused + wrong:9}{read:9}{refused:9}{wrong:7}{slowest:11.2f}"
        yield f"{sum(self.ends.values())} tries in {self.seconds:.0f} s, {len(self.wrong)} went wrong"


class Worker:
    """Makes every so many-th try, in a process that may end.

    Attributes:
        lines: what it says, a line for each try; ends with the process.
    """

    def __init__(self, siege: Siege, folder: Path, first: int, stride: int) -> None:
        self._siege, self._folder, self._number, self._stride = siege, folder, first, stride
        self._shared = mmap.mmap(-1, 8)
        folder.mkdir()
        self._stderr = (folder / "stderr").open("w+b")
        """Made here: a process that begins while Ctrl-C removes the folders would not find its own."""

    def start(self, tries: int, until: float) -> None:
        """Have a process make the tries below a number that are left to it, up to a time."""
        self._shared[:] = struct.pack("<q", self._number)
        ours, theirs = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # Ctrl-C is for who started it
        self._child = os.fork()
        if not self._child:
            os.close(ours)
            try:
                self._try(tries, until, os.fdopen(theirs, "w"))
            finally:  # what it raises is no end of the siege's own folders
                sys.stderr.write(traceback.format_exc())
                os._exit(1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        os.close(theirs)
        self.lines = os.fdopen(ours)

    def end(self, figures: Figures) -> bool:
        """Its process has ended; whether it was not to."""
        self.lines.close()
        status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        if status:
            number = struct.unpack("<q", self._shared[:])[0]
            self._number = number + self._stride
            figures.take(
                number, self._siege.reader_of(number), f"the process ended with {status}", float(SECONDS)
            )
        return bool(status)

    def stop(self) -> None:
        """End its process at once."""
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)

    def _try(self, tries: int, until: float, out: Any) -> NoReturn:
        limit_memory()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        os.dup2(self._stderr.fileno(), 2)
        self._siege.listens = True
        for number in range(self._number, tries, self._stride):
            if time.monotonic() > until:
                break
            self._shared[:] = struct.pack("<q", number)
            signal.alarm(WAIT)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            began = time.process_time()
            name, end = self._siege.attack(number, self._folder)
            print(json.dumps([number, name, end, time.process_time() - began]), file=out, flush=True)
        os._exit(0)


def lay(siege: Siege, tries: int, seconds: float, workers: int) -> Figures:
    """Make so many tries, for so many seconds at most; at a terminal a line shows how far it is."""
    figures, began = Figures(), time.monotonic()
    until = began + seconds
    with tempfile.TemporaryDirectory() as name, selectors.DefaultSelector() as selector:
        for at in range(workers):
            worker = Worker(siege, Path(name) / str(at), at, workers)
            worker.start(tries, until)
            selector.register(worker.lines, selectors.EVENT_READ, worker)
        try:
            with tqdm(total=tries, unit="try", disable=None, leave=False) as bar:
                while selector.get_map():
                    for key, _ in selector.select():
                        worker = key.data
                        if line := worker.lines.readline():
                            figures.take(*json.loads(line))
                            bar.update()
                            continue
                        selector.unregister(key.fileobj)
                        if worker.end(figures):
                            worker.start(tries, until)
                            selector.register(worker.lines, selectors.EVENT_READ, worker)
        finally:  # stopped by Ctrl-C, it has processes that write into the folder
            for key in selector.get_map().values():
                key.data.stop()
    figures.seconds = time.monotonic() - began
    return figures


def limit_memory() -> None:
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
