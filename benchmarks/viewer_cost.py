"""What a viewer costs the simulation.

    python benchmarks/viewer_cost.py [--worlds office 10 100 1000] [--mode fast] [--rounds 5] [--seconds 5]

A number is a world of so many boxes that move (`viewer_load.py`). One simulation runs throughout. In each
round it runs alone, then beside a viewer without a browser, then with a browser that shows the world; each
time for so many seconds. A thread in its process looks a thousand times a second where its main thread is:

- the time that the main thread spends in what only viewers need (scene, surroundings, poses and time for
  them), in ms per second of wall time: 10 are 1 %;
- the processor time of its other threads (those of DDS and of services), in the same unit.

The browser is another process, and draws one picture per second, so that drawing without a graphics card
does not take the processor from the simulation.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "support")]

from chromium import chromium
from domains import free_domain
from viewer_page import DRAW_SELDOM, ViewerPage

from benchmarks.viewer_load import MESHES, SIZE, command, world_text

STATES = ("alone", "viewer", "browser")
SIMULATE = "--simulate"
PERIOD = 0.001
"""Seconds between two looks; a kernel that holds the interpreter delays one, which then counts for longer."""
REPORTS = 100
"""Looks between two reports."""


class Costs(NamedTuple):
    """What has been spent, in s; or what is spent in a second of wall time, in ms."""

    viewing: float
    others: float


def simulate(arguments: list[str]) -> int:
    """Run `odesim run`, and print wall time and `Costs` ten times a second."""
    from ros_bridge.cli.__main__ import main

    sys.setswitchinterval(PERIOD / 4.0)
    threading.Thread(target=look, args=(threading.get_ident(),), daemon=True).start()
    return main(["run", *arguments])


def look(main_thread: int) -> None:
    """Look where the main thread is, without end."""
    from ros_bridge.composites.scene_topics import SceneTopics

    watched = {SceneTopics.publish.__code__, SceneTopics.publish_poses.__code__}
    clock = time.pthread_getcpuclockid(main_thread)
    viewing, before = 0.0, time.monotonic()
    for number in itertools.count(1):
        time.sleep(PERIOD)
        now, frame = time.monotonic(), sys._current_frames()[main_thread]
        viewing += (now - before) * any(each.f_code in watched for each, _ in traceback.walk_stack(frame))
        before = now
        if number % REPORTS == 0:
            others = time.process_time() - time.clock_gettime(clock) - time.thread_time()
            print(json.dumps((now, viewing, others)), flush=True)


class Simulation:
    """A simulation in its own process that reports what it spends."""

    def __init__(self, *words: str) -> None:
        line = [sys.executable, __file__, SIMULATE, *words]
        self._process = subprocess.Popen(
            line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._latest: list[float] | None = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("["):
                self._latest = json.loads(line)

    def now(self) -> list[float]:
        """Return wall time and `Costs` until now."""
        self._latest = None
        while (found := self._latest) is None:
            if self._process.poll() is not None:
                raise SystemExit(f"the simulation has ended with {self._process.returncode}")
            time.sleep(0.01)
        return found

    def measure(self, seconds: float) -> Costs:
        """Measure over so many seconds of wall time."""
        begin = self.now()
        time.sleep(seconds)
        wall, viewing, others = (b - a for a, b in zip(begin, self.now(), strict=True))
        return Costs(1e3 * viewing / wall, 1e3 * others / wall)

    def close(self) -> None:
        """End it."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(60.0)


@contextmanager
def shown(page: ViewerPage) -> Iterator[None]:
    """Show the world in a browser, by a viewer of its own."""
    with command("view", "--port", "0") as viewer:
        address = re.search(r"http://\S+", viewer.stdout.readline())
        assert address is not None
        page.load(address[0])
        page.until(lambda: page.js(MESHES) and not page.text("odesim-loading"), "the world")
        yield
        page.browser.get("about:blank")


def measure(world: str, mode: str, rounds: int, seconds: float) -> dict[str, list[Costs]]:
    """Measure all states of one world in turn."""
    found: dict[str, list[Costs]] = {state: [] for state in STATES}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, free_domain() as domain:
        os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
        if world.isdecimal():
            file = Path(name) / "boxes.wbt"
            file.write_text(world_text(int(world)), encoding="utf-8")
            world = str(file)
        simulation = Simulation(world, "--mode", mode, "--no-viewer")
        try:
            with chromium(Path(name), *SIZE) as browser:
                browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": DRAW_SELDOM})
                page = ViewerPage(browser)
                simulation.measure(seconds)  # kernels are compiled, caches are filled
                for _ in range(rounds):
                    found["alone"].append(simulation.measure(seconds))
                    with command("view", "--port", "0") as viewer:
                        viewer.stdout.readline()
                        time.sleep(1.0)
                        found["viewer"].append(simulation.measure(seconds))
                    with shown(page):
                        time.sleep(1.0)
                        found["browser"].append(simulation.measure(seconds))
        finally:
            simulation.close()
    return found


def main() -> int:
    """Measure and print a table of medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", nargs="+", default=["office", "10", "100", "1000"], metavar="WORLD")
    parser.add_argument("--mode", default="fast", choices=("fast", "realtime"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
    print("| world | with | for viewers, ms/s | other threads, ms/s |")
    print("|---|---|---|---|")
    for world in arguments.worlds:
        found = measure(world, arguments.mode, arguments.rounds, arguments.seconds)
        for state, rounds in found.items():
            viewing, others = (median(each) for each in zip(*rounds, strict=True))
            print(f"| {world} | {state} | {viewing:.2f} | {others:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(simulate(sys.argv[2:]) if sys.argv[1:2] == [SIMULATE] else main())
