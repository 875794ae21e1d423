"""Browsers come, fall asleep and leave for ten minutes: does memory stay flat, does the simulation mind?

    python test/siege/browsers.py [--minutes 10] [--browsers 3] [--world NAME]

A simulation in real time and its viewer, with all overlays on; headless Chromium (Debian's) that opens the
window, looks for a while, is frozen as a browser freezes a tab in the background, wakes up, and leaves or is
killed, each at its own pace. Before and after that a minute without browsers. Printed are

- memory: what the simulation and the viewer have of their own, at the end of each minute,
- speed: simulated seconds per second, as the simulation says once a second: median and the worst 5 %,
- work: CPU milliseconds of the simulation per simulated second,
- waited: how much of the time the simulation was ready to run and another process had the processor.

The browsers draw without a graphics card here, which takes all the processors there are: so they have a
low priority and share one processor with this program, and the viewer has the priority that
`odesim run --viewer` gives it.
The verdict: memory grows by less than 5 MB, or 3 %, from the middle to the end of the browsers' time; the
speed with browsers is within 2 % of that without, not counting what it waited longer; work grows by less than
a fifth.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a program, it finds the source tree
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "support"))

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import rclpy
from chromium import CHROMIUM, DRIVER, chromium
from diagnostic_msgs.msg import DiagnosticArray
from domains import free_domain
from processes import memory_of
from rclpy.node import Node
from selenium.common.exceptions import WebDriverException
from soak import END_LIMIT, start
from viewer_page import ViewerPage
from waiting import wait_until

from ros_bridge.overlays import OVERLAYS
from ros_bridge.viewer.process import NICENESS

QUIET = 60.0
"""Seconds without browsers, before and after."""
WINDOW = (700, 600)
PERIOD = 2.0
TICKS = os.sysconf("SC_CLK_TCK")


class Sample(NamedTuple):
    """What was seen at one moment."""

    at: float
    simulation: float
    """MB."""
    viewer: float
    """MB."""
    speed: float
    cpu: float
    """s that the simulation has used."""
    time: float
    """Simulated s."""
    waited: float
    """s for which the simulation waited for a processor."""


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, in s."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def waited_seconds(pid: int) -> float:
    """How long the first thread of a process, the one that steps, waited for a processor, in s."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


class Visitor(threading.Thread):
    """A browser that comes, looks, sleeps, wakes up and leaves, again and again."""

    def __init__(self, url: str, number: int, folder: Path, end: threading.Event) -> None:
        super().__init__(name=f"browser {number}", daemon=True)
        self.visits = self.naps = 0
        self.errors: list[str] = []
        self._url, self._folder, self._end = url, folder / str(number), end
        self._random = random.Random(number)

    def run(self) -> None:
        """Until the end."""
        while not self._end.is_set():
            try:
                self._come_and_go()
            except (WebDriverException, OSError) as error:
                self.errors.append(str(error).splitlines()[0])

    def _come_and_go(self) -> None:
        with chromium(self._folder, *WINDOW) as browser:
            while not self._end.is_set():
                browser.get(self._url)
                self.visits += 1
                self._wait(8.0, 25.0)
                browser.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "frozen"})
                self.naps += 1
                self._wait(5.0, 30.0)
                browser.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "active"})
                self._wait(5.0, 10.0)
                if self._random.random() < 0.5:  # as if it crashed
                    return
                browser.get("about:blank")
                self._wait(1.0, 5.0)

    def _wait(self, least: float, most: float) -> None:
        self._end.wait(self._random.uniform(least, most))


def switch_overlays_on(url: str, folder: Path) -> None:
    """All browsers share the switches: one visit sets them for the whole time."""
    with chromium(folder / "first", 1280, 800) as browser:
        page = ViewerPage(browser)
        page.load(url)
        page.open("Overlays")
        for name in OVERLAYS:
            page.switch(name.replace("_", " ").capitalize())
            time.sleep(0.2)
        time.sleep(2.0)


def look(node: Node, status: dict[str, str], pids: tuple[int, int], seconds: float) -> list[Sample]:
    """A sample of the simulation and the viewer every two seconds."""
    samples: list[Sample] = []
    simulation, viewer = pids
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        while time.monotonic() < now + PERIOD:
            rclpy.spin_once(node, timeout_sec=0.2)
        speed, sim_time = (float(status.get(name, "nan")) for name in ("speed", "sim_time"))
        memory, cpu, waited = memory_of(simulation)[0], cpu_seconds(simulation), waited_seconds(simulation)
        samples.append(Sample(now, memory, memory_of(viewer)[0], speed, cpu, sim_time, waited))
    return samples


def rate(samples: list[Sample], field: str, per: str) -> float:
    """By how much a field grows for each unit of another."""
    first, last = samples[0], samples[-1]
    return (getattr(last, field) - getattr(first, field)) / (getattr(last, per) - getattr(first, per))


def work(samples: list[Sample]) -> float:
    """CPU ms per simulated second."""
    return 1000.0 * rate(samples, "cpu", "time")


def show(name: str, minute: int, samples: list[Sample]) -> None:
    """The row of a minute."""
    speeds = sorted(sample.speed for sample in samples)
    median, worst = statistics.median(speeds), speeds[len(speeds) // 20]
    print(
        f"{name:>9} {minute:6} {samples[-1].simulation:10.1f} {samples[-1].viewer:10.1f} {median:8.3f} "
        f"{worst:8.3f} {work(samples):8.1f} {100 * rate(samples, 'waited', 'at'):8.1f}",
        flush=True,
    )


def grown(samples: list[Sample], field: str) -> tuple[float, float]:
    """MB in the middle of the time and at the end: medians of a fifth of it."""
    values = [getattr(sample, field) for sample in samples]
    fifth = max(1, len(values) // 5)
    start = len(values) // 2 - fifth // 2
    return statistics.median(values[start : start + fifth // 2 * 2 + 1]), statistics.median(values[-fifth:])


def verdict(before: list[Sample], during: list[Sample], after: list[Sample]) -> bool:
    """Print what it comes to; True if all is well."""
    good = True
    for field in ("simulation", "viewer"):
        middle, end = grown(during, field)
        flat = end - middle < max(5.0, 0.03 * middle)
        good &= flat
        said = "flat" if flat else "GROWS"
        print(f"memory of the {field}: {middle:.1f} → {end:.1f} MB in the second half: {said}")
    alone = before, after
    quiet, busy = sum(rate(each, "time", "at") for each in alone) / 2.0, rate(during, "time", "at")
    lost = max(0.0, rate(during, "waited", "at") - sum(rate(each, "waited", "at") for each in alone) / 2.0)
    kept = busy + lost > 0.98 * quiet
    said = "kept" if kept else "CHANGED"
    print(f"speed: {quiet:.3f} without browsers, {busy:.3f} with, {lost:.3f} more waited: {said}")
    usual = sum(map(work, alone)) / 2.0
    same = work(during) < 1.2 * usual
    said = "kept" if same else "MORE"
    print(f"work: {usual:.1f} ms per simulated second without, {work(during):.1f} with: {said}")
    return good and kept and same


def soak(minutes: int, browsers: int, world: str) -> bool:
    """Run it all; True if memory and speed are as they should be."""
    with free_domain() as domain, tempfile.TemporaryDirectory() as name:
        rclpy.init(domain_id=domain)
        folder, node, status = Path(name), Node("soak"), dict[str, str]()

        def hear(message: Any) -> None:
            status.update({row.key: row.value for row in message.status[0].values})

        node.create_subscription(DiagnosticArray, "/odesim/status", hear, 10)
        simulation = start(folder, domain, "run", world, "--no-controllers")
        viewer = start(folder, domain, "view", "--port", "0")
        try:
            os.setpriority(os.PRIO_PROCESS, viewer.pid, NICENESS)
            log = folder / "log"
            url = wait_until(lambda: re.search(r"http://\S+", log.read_text()), "the viewer's address")[0]
            wait_until(lambda: rclpy.spin_once(node, timeout_sec=0.5) or status, "word of the simulation")
            switch_overlays_on(url, folder)
            return watched(
                partial(look, node, status, (simulation.pid, viewer.pid)), url, folder, minutes, browsers
            )
        finally:
            for process in (viewer, simulation):
                process.terminate()
                process.wait(END_LIMIT)
            node.destroy_node()
            rclpy.try_shutdown()


def watched(
    watch: Callable[[float], list[Sample]], url: str, folder: Path, minutes: int, browsers: int
) -> bool:
    """Browsers come and go, and before and after there are none."""
    os.nice(5)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    watch(10.0)
    print("    phase minute simulation     viewer    speed worst 5%     work   waited")
    print("                         MB         MB                  ms/sim. s        %", flush=True)
    before = watch(QUIET)
    show("before", 1, before)
    stop = threading.Event()
    visitors = [Visitor(url, number, folder, stop) for number in range(browsers)]
    for visitor in visitors:
        visitor.start()
    watch(20.0)  # they start
    during: list[Sample] = []
    try:
        for minute in range(minutes):
            part = watch(60.0)
            during += part
            show("browsers", minute + 1, part)
    finally:
        stop.set()
        for visitor in visitors:
            visitor.join(END_LIMIT)
    watch(5.0)
    after = watch(QUIET)
    show("after", 1, after)
    for visitor in visitors:
        print(f"{visitor.name}: {visitor.visits} visits, {visitor.naps} naps {' '.join(visitor.errors)}")
    return verdict(before, during, after)


def main() -> int:
    """Exit code: 0 if memory and speed are as they should be, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--browsers", type=int, default=3)
    parser.add_argument("--world", default="devices/distance_sensor")
    arguments = parser.parse_args()
    if not (CHROMIUM and DRIVER):
        sys.exit("needs chromium and chromedriver (Debian: chromium, chromium-driver)")
    return 0 if soak(arguments.minutes, arguments.browsers, arguments.world) else 1


if __name__ == "__main__":
    sys.exit(main())
