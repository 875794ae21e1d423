"""Kills at random moments: a run loses nothing that it has recorded, and leaves nothing behind.

    python test/siege/killer.py [--kills 200] [--seed 0] [--world NAME] [--seconds S]

Each time `odesim run --record --viewer` is started, and `odesim record` beside it. In random order and at
random moments its processes (a controller, what draws pictures, the viewer), the recorder and the simulation
itself are killed with SIGKILL; half of the times the simulation is told to end by a signal instead. Who
was killed does not matter to the others, unless it was the simulation: then its processes must be gone. Both
bags must open, and after a new start of them all, which end as they should, no more of the ROS domain may be
left in /dev/shm than one run has, however many were killed: a port of Fast DDS, 52 kB, stays until somebody
has its number again. It goes on until each of them was killed so often.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a program, it finds the source tree
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "support"))

from domains import FIRST_PORT, PORTS, free_domain
from processes import below, command_of, is_there

from ros_bridge.recorder.bag import Bag
from sim_core.base.errors import OdesimError

ROOT = Path(__file__).resolve().parents[2]
ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What a simulation ends by itself at."""
LIMIT = 120.0
GONE = 5.0
"""Seconds that the processes of a simulation have to end after it was killed."""
BEGUN = 50_000
"""Bytes of a file of a bag that holds messages."""
SHARED = Path("/dev/shm")


SIMULATION, RECORDER, VIEWER, PICTURES, CONTROLLER = KINDS = (
    *("the simulation", "the recorder", "the viewer", "what draws pictures", "a controller"),
)
PORTS_OF_A_RUN = 2 * len(KINDS)
"""A participant hears discovery at one, and topics at another."""


@dataclass
class Figures:
    """What came of the kills."""

    kills: Counter[str] = field(default_factory=Counter)
    signals: int = 0
    """Ends of the simulation that it was asked for."""
    runs: int = 0
    messages: int = 0
    empty: int = 0
    """Bags that were killed before their first message."""
    ports: int = 0
    """That killed processes have left in shared memory at the end."""
    wrong: list[str] = field(default_factory=list)

    def note(self, line: str) -> None:
        """Something that went wrong."""
        self.wrong.append(line)
        print(line, file=sys.stderr, flush=True)

    def lines(self) -> list[str]:
        """For people."""
        each = ", ".join(f"{self.kills[name]} of {name}" for name in KINDS)
        bags = f"{2 * self.runs} bags with {self.messages} messages, {self.empty} killed before their first"
        return [
            f"{self.runs} runs, {self.kills.total()} kills: {each}; {self.signals} signals to the simulation",
            f"{bags}; {self.ports} ports in {SHARED}",
            f"{len(self.wrong)} went wrong",
        ]


def kind_of(process: int) -> str:
    """Of one of a simulation's processes."""
    command = command_of(process)
    if "sensing.render.process" in command:
        return PICTURES
    if "ros_bridge.cli view" in command:
        return VIEWER
    return CONTROLLER if "controllers" in command else ""


def start(folder: Path, name: str, *words: str) -> subprocess.Popen[bytes]:
    """`odesim` with these words, and a log of that name."""
    with (folder / name).open("wb") as out:
        return subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "ros_bridge.cli", *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )


def one(folder: Path, world: str, chance: random.Random, figures: Figures, kills: bool = True) -> None:
    """Start a run and a recorder, and kill their processes one after the other, or let all end by itself."""
    options = ["--mode", "realtime", "--duration", "600", "--viewer", "--record", str(folder / "bag")]
    run = start(folder, "log", "run", world, *options)
    recorder = start(folder, "log of the recorder", "record", str(folder / "record"))
    family: dict[int, str] = {}

    def look() -> None:
        family.update((each, kind_of(each)) for each in below(run.pid))

    end = time.monotonic() + LIMIT
    while time.monotonic() < end and run.poll() is None:
        look()
        if _records(folder / "bag") and _records(folder / "record") and {*KINDS[2:]} <= {*family.values()}:
            break
        time.sleep(0.02)
    codes: dict[str, tuple[int, ...]] = {SIMULATION: (0, 1), RECORDER: (0, 1)}
    for name in chance.sample(KINDS, len(KINDS)) if kills else ():
        time.sleep(chance.expovariate(2.0))
        look()
        own = {SIMULATION: run.pid, RECORDER: recorder.pid}
        victims = [own[name]] if name in own else [each for each in family if family[each] == name]
        number = chance.choice((*[signal.SIGKILL] * 3, *ASKED)) if name == SIMULATION else signal.SIGKILL
        alive = [each for each in victims if is_there(each)]
        if not alive:
            continue  # what was killed before has ended it, as it should
        with suppress(ProcessLookupError):
            os.kill(chance.choice(alive), number)
        if number is signal.SIGKILL:
            figures.kills[name] += 1
            codes[name] = (-number,)
        else:
            figures.signals += 1
    for process in (recorder, *(() if kills else (run,))):
        if process.poll() is None:
            process.terminate()
    figures.runs += 1
    for process, name, log, bag in (
        (run, SIMULATION, "log", "bag"),
        (recorder, RECORDER, "log of the recorder", "record"),
    ):
        try:
            code = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            figures.note(f"{name} did not end")
            process.kill()
            process.wait()
            continue
        said = (folder / log).read_text(encoding="utf-8", errors="replace")
        if code not in codes[name] or "Traceback" in said:
            figures.note(f"{name} ended with {code}, expected one of {codes[name]}\n{said[-3000:]}")
        _judge(folder / bag, name, figures)
    until = time.monotonic() + GONE
    while (left := [each for each in family if is_there(each)]) and time.monotonic() < until:
        time.sleep(0.05)
    if left:
        figures.note(f"still there: {[command_of(each) for each in left]}")
        for each in left:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)


def _records(bag: Path) -> bool:
    """Whether messages have been written."""
    return any(file.stat().st_size > BEGUN for file in bag.glob("*.mcap"))


def in_shared_memory() -> set[Path]:
    """The ports of Fast DDS, of all domains."""
    return set(SHARED.glob("*fastdds_port*")) if SHARED.is_dir() else set()


def ports_left(domain: int, before: set[Path]) -> set[int]:
    """A domain's ports (RTPS, 9.6.2.3) that are in shared memory, and of no process that lives."""
    found = {}
    for path in in_shared_memory() - before:
        port = int(re.findall(r"port(\d+)", path.name)[0])
        if (port - FIRST_PORT) // PORTS == domain:
            found[str(path)] = port
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            text = maps.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found = {path: port for path, port in found.items() if path not in text}
    return set(found.values())


def _judge(bag: Path, name: str, figures: Figures) -> None:
    """A bag must open, and hold what was recorded."""
    try:
        with Bag(bag) as opened:
            count = sum(1 for _ in opened.in_file_order())
    except OdesimError as error:
        figures.note(f"the bag of {name}: {error}")
        return
    figures.messages += count
    figures.empty += not count


def run(kills: int, seconds: float, seed: int, world: str) -> Figures:
    """Kill each of them so often, unless the time is over."""
    chance, figures = random.Random(seed), Figures()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has it ignored, and what we start would, too
    until = time.monotonic() + seconds
    with free_domain() as domain:
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        before = in_shared_memory()
        while min(figures.kills[name] for name in KINDS) < kills:
            with tempfile.TemporaryDirectory() as name:
                one(Path(name), world, chance, figures)
            if time.monotonic() > until:
                break
        with tempfile.TemporaryDirectory() as name:
            one(Path(name), world, chance, figures, kills=False)
        figures.ports = len(ports_left(domain, before))
        if figures.ports > PORTS_OF_A_RUN:
            figures.note(f"{figures.ports} ports left in {SHARED}, expected {PORTS_OF_A_RUN} at most")
    return figures


def main() -> int:
    """Kill, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200, help="of each")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no other run after this")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--world", default="devices/camera")
    arguments = parser.parse_args()
    figures = run(arguments.kills, arguments.seconds, arguments.seed, arguments.world)
    print(*figures.lines(), sep="\n")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
