"""Kills at random moments: a run loses nothing that it has recorded, and leaves nothing behind.

    python test/siege/killer.py [--kills 200] [--seed 0] [--world NAME]

Each time `odesim run --record` is started and one of its processes (the simulation, a controller, what draws
pictures) is killed with SIGKILL, or the simulation is told to end by a signal. If it was the simulation, its
processes must be gone; else it must end by itself as it should. Its bag must open, and after a
new start nothing of its ROS domain may be left in /dev/shm.
"""

from __future__ import annotations

import argparse
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
LIMIT = 60.0
GONE = 5.0
"""Seconds that the processes of a simulation have to end after it was killed."""
BEGUN = 50_000
"""Bytes of a file of a bag that holds messages."""
SHARED = Path("/dev/shm")


@dataclass
class Figures:
    """What came of the kills."""

    kills: Counter[str] = field(default_factory=Counter)
    messages: int = 0
    empty: int = 0
    """Bags that were killed before their first message."""
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For people."""
        each = ", ".join(f"{number} of {name}" for name, number in sorted(self.kills.items()))
        bags = f"all bags open, with {self.messages} messages, {self.empty} killed before their first"
        return [f"{self.kills.total()} kills: {each}", bags, f"{len(self.wrong)} went wrong"]


def kind_of(command: str) -> str:
    """Of one of a simulation's processes."""
    return "pictures" if "sensing.render.process" in command else "a controller"


def one(folder: Path, world: str, chance: random.Random, figures: Figures) -> None:
    """Start a run, and kill something of it."""
    bag = folder / "bag"
    log = folder / "log"
    options = ["--mode", "realtime", "--duration", "3", "--record", str(bag)]
    with log.open("wb") as out:
        run = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "ros_bridge.cli", "run", world, *options],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    end = time.monotonic() + LIMIT
    while not _records(bag) and run.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(chance.uniform(0.0, 2.5))
    family = below(run.pid)
    victim = chance.choice([run.pid, run.pid, *family])
    number = chance.choice((signal.SIGKILL, *ASKED)) if victim == run.pid else signal.SIGKILL
    name = "the simulation" if victim == run.pid else kind_of(command_of(victim))
    figures.kills[f"{name} ({number.name})"] += 1
    with suppress(ProcessLookupError):  # it has just ended by itself
        os.kill(victim, number)
    try:
        code = run.wait(LIMIT)
    except subprocess.TimeoutExpired:
        figures.wrong.append(f"it did not end after {number.name} to {name}")
        run.kill()
        return
    _judge(bag, log, name, number, code, family, figures)


def _records(bag: Path) -> bool:
    """Whether messages have been written."""
    return any(file.stat().st_size > BEGUN for file in bag.glob("*.mcap"))


def in_shared_memory() -> set[Path]:
    """The ports of Fast DDS, of all domains."""
    return set(SHARED.glob("*fastdds_port*")) if SHARED.is_dir() else set()


def left_behind(domain: int, before: set[Path]) -> list[str]:
    """What is in the shared memory of a domain's ports (RTPS, 9.6.2.3), and of no process that lives."""
    found = set()
    for path in in_shared_memory() - before:
        port = int(re.findall(r"port(\d+)", path.name)[0])
        if (port - FIRST_PORT) // PORTS == domain:
            found.add(str(path))
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            text = maps.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found = {path for path in found if path not in text}
    return sorted(found)


def _judge(
    bag: Path, log: Path, name: str, number: signal.Signals, code: int, family: list[int], figures: Figures
) -> None:
    said = log.read_text(encoding="utf-8", errors="replace")
    expected = (-number,) if number is signal.SIGKILL and name == "the simulation" else (0, 1)
    if code not in expected or "Traceback" in said:
        figures.wrong.append(f"{number.name} to {name}: it ended with {code}\n{said[-3000:]}")
    until = time.monotonic() + GONE
    while (left := [each for each in family if is_there(each)]) and time.monotonic() < until:
        time.sleep(0.05)
    if left:
        figures.wrong.append(f"{number.name} to {name}: still there: {[command_of(each) for each in left]}")
    try:
        with Bag(bag) as opened:
            count = sum(1 for _ in opened.in_file_order())
    except OdesimError as error:
        figures.wrong.append(f"{number.name} to {name}: {error}")
        return
    figures.messages += count
    figures.empty += not count


def run(kills: int, seed: int, world: str) -> Figures:
    """Kill so often."""
    chance, figures = random.Random(seed), Figures()
    with free_domain() as domain:
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        before = in_shared_memory()
        for _ in range(kills):
            with tempfile.TemporaryDirectory() as name:
                one(Path(name), world, chance, figures)
        command = [sys.executable, "-m", "ros_bridge.cli", "run", world, "--duration", "0.5"]
        subprocess.run(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=True
        )
        if left := left_behind(domain, before):
            figures.wrong.append(f"left in {SHARED}: {', '.join(left)}")
    return figures


def main() -> int:
    """Kill, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--world", default="devices/camera")
    arguments = parser.parse_args()
    figures = run(arguments.kills, arguments.seed, arguments.world)
    print(*figures.wrong, sep="\n\n", file=sys.stderr)
    print(*figures.lines(), sep="\n")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
