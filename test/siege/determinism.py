"""Every shipped world under all that may not change it: its hashes are equal, to the last bit.

    python test/siege/determinism.py [WORLD…] [--seconds 1.28] [--ways WAY…]

Each world is moved by fixed commands in a process of its own, with 1, 2 and 4 threads for whatever
computes, beside another world in the same process, on a machine whose processors are all busy, and once more
from the middle, from a snapshot that another process has saved. Then by a node on ROS: fast, in real time,
recorded, with a viewer in a browser, where there is one. It prints a line for each world: `=` where what
moves, what is measured and what is published is as in the first column, `!` where it is not.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a program, it finds the source tree
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "support"))

from chromium import CHROMIUM, FLAGS
from domains import free_domain
from goldens import GoldenRun, feed
from rclpy.serialization import deserialize_message

from ros_bridge.interface.interface import build_topics
from ros_bridge.interface.session_topics import SessionTopics
from ros_bridge.node.run import run as run_node
from ros_bridge.node.sim_node import SimNode
from ros_bridge.parameters.options import RunOptions
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.fingerprint import Fingerprint, hash_of_bag
from ros_bridge.topics.names import POSES
from sim_core.base.alarm import Alarm
from sim_core.base.errors import hint
from sim_core.base.shipped import shipped_worlds
from sim_core.session.pipeline import Command, Pipeline, decoded
from sim_core.session.run_commands import Quit, SetMode
from sim_core.session.session import Follower, Session
from sim_core.session.simulation import Simulation

ROOT = Path(__file__).resolve().parents[2]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "LP_NUM_THREADS")
"""How many threads numeric libraries, and Mesa's software renderer, start."""
COMPANION = "wall_avoiders"
LOOK = 16
"""Steps between two looks at all bodies and joints."""
LIMIT = 300.0
"""Seconds of wall time for each world."""
TOGETHER = 12
"""Worlds that a process measures, one after the other."""
ANSWER = "hashes: "
IN_PROCESS = ("1 thread", "2 threads", "4 threads", "beside", "load", "file")
ON_ROS = ("fast", "real time", "recorded", "viewer")
Hashes = dict[str, str]


def flat(value: Any) -> Any:
    """The same with its tables as lists, which `feed` takes."""
    if isinstance(value, dict):
        return [(key, flat(each)) for key, each in value.items()]
    if isinstance(value, (list, tuple)):
        return [flat(each) for each in value]
    return value


class Moves(Follower):
    """Hashes of all bodies and joints, every so many steps; what is measured is no part of it."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self.observes = Alarm(0)
        self._parts: dict[str, Any] = {}
        self._count = 0

    def after_step(self, now_ns: int) -> None:
        """Look, if it is time to."""
        self._count += 1
        if self._count % LOOK == 0:
            state = self.sim.physics.get_state()
            parts = getattr(state, "_fields", None) or [each.name for each in dataclasses.fields(state)]
            for part in parts:
                value = getattr(state, part)
                if part == "motors":  # without their angles when they were read last, which is who listens
                    value = [motor for motor, _ in value]
                hashed = self._parts.setdefault(part, hashlib.sha256())
                feed(hashed, (now_ns, flat(value)))

    def digests(self) -> Hashes:
        """Of all that was seen, by its parts."""
        return {f"state.{name}": hashed.hexdigest()[:16] for name, hashed in self._parts.items()}


class Measured(GoldenRun):
    """A golden run of a length of one's own, of which one half may be done again from a file."""

    def __init__(self, world: Path, end_ns: int) -> None:
        super().__init__(world)
        self.half_ns = end_ns // 2 // self.run.sim.step_ns * self.run.sim.step_ns
        self._events = sorted(self._commands(), key=lambda event: event[0])

    def halves(self, folder: Path, other: Measured | None = None) -> Hashes:
        """Both halves; in between it is saved to a file. `other`: makes a step after each of its own."""
        if other is not None:
            other.run.session.begin()
        moves = Moves(self.run.sim)
        others = [moves] if other is None else [moves, Beside(other)]
        self.run.session.set_followers(*self.run.session._followers, *others)
        self.run.session.begin()
        found = {"first half": self._play(0, self.half_ns)}
        self.run.sim.snapshot().save(folder / "half.snapshot")
        found["second half"] = self._play(self.half_ns, 2 * self.half_ns)
        found["topics"] = self._fingerprint.hexdigest()[:16]
        return found | moves.digests()

    def from_file(self, folder: Path) -> Hashes:
        """The second half, from the file that another process has saved."""
        run = self.run
        run.close()
        sim = Simulation.from_snapshot(folder / "half.snapshot")
        make = partial(build_topics, sim, run._present.now.bridge)
        run.session = Session(sim)
        run._session_topics = SessionTopics(run.session, make(), make, Fingerprint().make_port)
        run.session.set_followers(run._session_topics)
        run.session.begin()
        return {"second half": self._play(self.half_ns, 2 * self.half_ns)}


class Beside(Follower):
    """Steps another world of this process each time."""

    def __init__(self, other: Measured) -> None:
        self.other = other
        self.observes = Alarm(0)

    def after_step(self, now_ns: int) -> None:
        """One step of the other."""
        session = self.other.run.session
        session.advance(session.sim.time_ns + session.sim.step_ns)


class Driver(Follower):
    """Gives a node the commands of a golden run."""

    def __init__(self, node: SimNode, events: list[tuple[int, str, bytes]]) -> None:
        self._session, self._inputs = node.session, node._session_topics.inputs
        self._events = list(events)
        self.acts = Alarm(0)

    def before_step(self, now_ns: int) -> None:
        """Those that are due."""
        while self._events and self._events[0][0] <= now_ns:
            _, topic, data = self._events.pop(0)
            item = self._inputs[topic]
            command = decoded(topic, item.decode, deserialize_message(data, item.message_type))
            if isinstance(command, Command):
                self._session.pipeline.replay(command)


def when_viewed(ros: Any, pipeline: Pipeline) -> None:
    """Let a node that is paused go on as soon as it is seen in a browser; end it if that does not come."""
    end = time.monotonic() + LIMIT
    while not (is_viewed := ros.count_subscribers(POSES)) and time.monotonic() < end:
        time.sleep(0.02)
    pipeline.post(Command("when_viewed", (SetMode("fast") if is_viewed else Quit(exit_code=1),)))


def driven(
    events: list[tuple[int, str, bytes]], seen: list[Moves], is_viewed: bool, ros: Any, *begin: Any
) -> SimNode:
    """A node that is driven by commands, and whose moves are looked at; it waits for its viewer."""
    node = SimNode(ros, *begin)
    if is_viewed:
        threading.Thread(target=when_viewed, args=(ros, node.session.pipeline), daemon=True).start()
    seen.append(Moves(node.sim))
    node.session.set_followers(*node.session._followers, Driver(node, events), seen[0])
    return node


def measure(how: str, world: Path, end_ns: int, folder: Path) -> Hashes:
    """The hashes of a world; in the process of a child."""
    measured = Measured(world, end_ns)
    try:
        if how == "file":
            return measured.from_file(folder)
        if how not in ON_ROS:
            other = Measured(shipped_worlds()[COMPANION], end_ns) if how == "beside" else None
            return measured.halves(folder, other)
        events, end_ns = measured._events, 2 * measured.half_ns
    finally:
        measured.run.close()
    seen: list[Moves] = []
    bag = folder / "bag"
    options = RunOptions(
        str(world),
        mode={"real time": "realtime", "viewer": "paused"}.get(how, "fast"),
        duration=end_ns / 1e9,
        controllers=False,
        record=str(bag) if how == "recorded" else None,
    )
    code = run_node(options, partial(driven, events, seen, how == "viewer"))  # type: ignore[arg-type]
    found = {"exit code": str(code)} | (seen[0].digests() if seen else {})
    if how == "recorded":
        with Bag(bag) as opened:
            found["topics"] = hash_of_bag(opened)[:16]
    return found


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that compute without end."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


@contextlib.contextmanager
def viewer() -> Iterator[None]:
    """A viewer that waits for the simulation, and a browser that shows it."""
    words = ["-m", "ros_bridge.cli", "view"]
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        said = ""
        while not (found := re.search(r"http://127.0.0.1:\d+\S*", said)):
            said = process.stdout.readline()
            if not said:
                raise RuntimeError("the viewer has not begun")
        with tempfile.TemporaryDirectory() as folder:
            command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={folder}", found[0]]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
                try:
                    yield
                finally:
                    browser.terminate()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(LIMIT)


def child(how: str, names: list[str], end_ns: int, folder: Path) -> dict[str, Hashes]:
    """The hashes of worlds, measured in a process of its own; of what it did not come to, why."""
    threads = how.split()[0] if how.endswith("threads") else "1"
    command = [sys.executable, __file__, *names, "--child", how]
    command += ["--seconds", str(end_ns / 1e9), "--folder", str(folder)]
    around = {"load": partial(busy, 2 * (os.cpu_count() or 1)), "viewer": viewer}
    with around.get(how, contextlib.nullcontext)():
        done = subprocess.run(
            command,
            env={**os.environ, **dict.fromkeys(THREADS, threads)},
            capture_output=True,
            text=True,
            timeout=LIMIT * len(names),
            check=False,
        )
    found: dict[str, Hashes] = {}
    for line in done.stdout.splitlines():
        if line.startswith(ANSWER):
            found |= json.loads(line.removeprefix(ANSWER))
    why = done.stderr[-2000:] + done.stdout[-500:]
    return {name: {"failed": why} for name in names} | found


@dataclass
class Figures:
    """What came of it."""

    equal: dict[tuple[str, str], bool] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def take(self, name: str, how: str, found: Hashes, first: Hashes) -> None:
        """The hashes of one world under one thing, beside those of the first."""
        other = [what for what in found if found[what] != first.get(what, "0" if what == "exit code" else "")]
        bad = bool(other) or "failed" in found
        self.equal[name, how] = not bad
        if bad:
            self.wrong.append(f"{name}, {how}: {', '.join(other)} {found.get('failed', '')}")


def main() -> int:
    """Measure, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("worlds", nargs="*", metavar="WORLD", help="nothing: all that come along")
    parser.add_argument("--seconds", type=float, default=1.28, help="of sim time")
    every = [how for how in (*IN_PROCESS, *ON_ROS) if how != "viewer" or CHROMIUM]
    parser.add_argument("--ways", nargs="+", choices=every, default=every, help="nothing: all of them")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    known = shipped_worlds()
    for name in arguments.worlds:
        if name not in known:
            parser.error(f'found no world "{name}", expected one of `odesim list`{hint(name, known)}')
    end_ns = round(arguments.seconds * 1e9)
    if arguments.child:
        for name in arguments.worlds:
            folder = arguments.folder / name
            folder.mkdir(parents=True, exist_ok=True)
            found = measure(arguments.child, known[name], end_ns, folder)
            print(ANSWER + json.dumps({name: found}), flush=True)
        return 0
    ways = list(dict.fromkeys([IN_PROCESS[0], *arguments.ways]))  # what all are compared with comes first
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing that computes without end stays
    figures, began = Figures(), time.monotonic()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    os.environ["PYTHONPATH"] = str(ROOT)
    names = arguments.worlds or list(known)
    print(f"{'world':28}", *(f"{how:>10}" for how in ways))
    with free_domain() as domain:
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        for some in (names[at : at + TOGETHER] for at in range(0, len(names), TOGETHER)):
            with tempfile.TemporaryDirectory() as folder:
                places = {how: Path(folder, "saved" if how in (ways[0], "file") else how) for how in ways}
                found = {how: child(how, some, end_ns, places[how]) for how in ways}
            for name in some:
                for how in ways:
                    figures.take(name, how, found[how][name], found[ways[0]][name])
                marks = ("=" if figures.equal[name, how] else "!" for how in ways)
                print(f"{name:28}", *(f"{mark:>10}" for mark in marks), flush=True)
    print(*figures.wrong, sep="\n\n", file=sys.stderr)
    worlds = len({name for name, _ in figures.equal})
    took = time.monotonic() - began
    print(f"{worlds} worlds in {len(ways)} ways, {took:.0f} s: {len(figures.wrong)} differ")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
