"""Browsers come, fall asleep and leave for ten minutes: does memory stay flat, does the simulation mind?

    python -m benchmarks.viewer_soak                                  # 12 minutes
    python -m benchmarks.viewer_soak --minutes 1 --browsers 1

A simulation in real time and its viewer, with all overlays on; headless Chromium (Debian's) that opens the
window, looks for a while, is frozen as a browser freezes a tab in the background, wakes up, and leaves or is
killed, each at its own pace. Before and after that a minute without browsers. Printed are

- memory: what is resident of the simulation and of the viewer (VmRSS), at the end of each minute,
- speed: simulated seconds per second, as the simulation says once a second: median and the worst 5 %,
- work: CPU milliseconds of the simulation per simulated second,
- waited: how much of the time the simulation was ready to run and another process had the processor.

The browsers draw without a graphics card here, which takes all the processors there are: so they have a
low priority and share one processor, and the viewer has the priority that `odesim run --viewer` gives it.
The verdict: memory grows by less than 5 MB, or 3 %, from the middle to the end of the browsers' time; the
speed with browsers is within 2 % of that without, not counting what it waited longer; work grows by less than
a fifth.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
os.environ.setdefault("ROS_DOMAIN_ID", "86")

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from selenium import webdriver
from selenium.common.exceptions import WebDriverException

from benchmarks.running import running
from ros_bridge.overlays import OVERLAYS
from ros_bridge.viewer.process import NICENESS

HEARD = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
QUIET = 60.0
"""Seconds without browsers, before and after."""
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=700,600"),
    "--enable-unsafe-swiftshader",
)
START_LIMIT = 60.0
BROWSER_LIMIT = 120.0
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


class Observer(Node):
    """Hears how the simulation goes."""

    def __init__(self) -> None:
        super().__init__("soak")
        self.values: dict[str, str] = {}
        self.create_subscription(DiagnosticArray, "/odesim/status", self._hear, 10)

    def _hear(self, message: Any) -> None:
        self.values = {row.key: row.value for row in message.status[0].values}


def resident(pid: int) -> float:
    """MB of memory that a process has now."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024.0 if found else 0.0


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, in s."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def waited_seconds(pid: int) -> float:
    """How long the first thread of a process, the one that steps, waited for a processor, in s."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


def address_of(viewer: subprocess.Popen[str]) -> str:
    """The address that a viewer prints; its later output is read and dropped."""
    assert viewer.stdout is not None
    line = viewer.stdout.readline()
    found = re.search(r"http://\S+", line)
    if not found:
        sys.exit(f"found {line!r}, expected the address of the viewer")
    threading.Thread(target=viewer.stdout.read, daemon=True).start()
    return found[0]


def be_modest() -> None:
    """A low priority and one processor, for this process and all that it starts."""
    os.nice(5)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def open_browser(folder: Path, modest: bool = True) -> Any:
    """A Chromium with a profile of its own."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    start = {"preexec_fn": be_modest} if modest else {}
    service = webdriver.ChromeService(shutil.which("chromedriver"), popen_kw=start)
    browser = webdriver.Chrome(options=options, service=service)
    browser.set_page_load_timeout(BROWSER_LIMIT)
    browser.set_script_timeout(BROWSER_LIMIT)
    return browser


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
        browser = open_browser(self._folder)
        try:
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
                    browser.quit()
                    browser = open_browser(self._folder)
                else:
                    browser.get("about:blank")
                self._wait(1.0, 5.0)
        finally:
            browser.quit()

    def _wait(self, least: float, most: float) -> None:
        self._end.wait(self._random.uniform(least, most))


def switch_overlays_on(url: str, folder: Path) -> None:
    """All browsers share the switches: one visit sets them for the whole time."""
    browser = open_browser(folder / "first", modest=False)
    try:
        browser.get(url)
        end = time.monotonic() + START_LIMIT
        while time.monotonic() < end and not _tab(browser):
            time.sleep(0.5)
        _tab(browser)[0].click()
        time.sleep(1.0)
        for name in OVERLAYS:
            label = name.replace("_", " ").capitalize()
            path = f"//*[normalize-space(text())='{label}']/following::input[@type='checkbox'][1]"
            browser.execute_script("arguments[0].click()", browser.find_element("xpath", path))
            time.sleep(0.2)
        time.sleep(2.0)
    finally:
        browser.quit()


def _tab(browser: Any) -> list[Any]:
    found = browser.find_elements("xpath", "//*[@role='tab'][normalize-space()='Overlays']")
    return [each for each in found if each.is_displayed()]


class Watch:
    """Samples until told to stop."""

    def __init__(self, observer: Observer, simulation: int, viewer: int) -> None:
        self._observer, self._pids = observer, (simulation, viewer)

    def look(self, seconds: float) -> list[Sample]:
        """A sample every two seconds."""
        samples: list[Sample] = []
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            while time.monotonic() < now + PERIOD:
                rclpy.spin_once(self._observer, timeout_sec=0.2)
            simulation, viewer = self._pids
            values = self._observer.values
            samples.append(
                Sample(
                    now,
                    resident(simulation),
                    resident(viewer),
                    float(values.get("speed", "nan")),
                    cpu_seconds(simulation),
                    float(values.get("sim_time", "nan")),
                    waited_seconds(simulation),
                )
            )
        return samples


def work(samples: list[Sample]) -> float:
    """CPU ms per simulated second."""
    first, last = samples[0], samples[-1]
    return 1000.0 * (last.cpu - first.cpu) / (last.time - first.time)


def waited(samples: list[Sample]) -> float:
    """Part of the time."""
    first, last = samples[0], samples[-1]
    return (last.waited - first.waited) / (last.at - first.at)


def mean_speed(samples: list[Sample]) -> float:
    """Simulated seconds per second."""
    first, last = samples[0], samples[-1]
    return (last.time - first.time) / (last.at - first.at)


def minutes(samples: list[Sample]) -> list[list[Sample]]:
    """The samples of each minute."""
    start = samples[0].at
    rows: dict[int, list[Sample]] = {}
    for sample in samples:
        rows.setdefault(int((sample.at - start) // 60.0), []).append(sample)
    return list(rows.values())


def show(name: str, samples: list[Sample]) -> None:
    """One row for each minute."""
    for number, row in enumerate(minutes(samples), 1):
        speeds = sorted(sample.speed for sample in row)
        median, worst = statistics.median(speeds), speeds[len(speeds) // 20]
        print(
            f"{name:>9} {number:6} {row[-1].simulation:10.1f} {row[-1].viewer:10.1f} {median:8.3f} "
            f"{worst:8.3f} {work(row):8.1f} {100 * waited(row):8.1f}",
            flush=True,
        )


def grown(samples: list[Sample], field: str) -> tuple[float, float]:
    """MB in the middle of the time and at the end: medians of a fifth of it."""
    values = [getattr(sample, field) for sample in samples]
    fifth = max(1, len(values) // 5)
    middle = len(values) // 2
    return statistics.median(values[middle - fifth // 2 : middle + fifth // 2 + 1]), statistics.median(
        values[-fifth:]
    )


def verdict(before: list[Sample], during: list[Sample], after: list[Sample]) -> bool:
    """Print what it comes to; True if all is well."""
    good = True
    for field in ("simulation", "viewer"):
        middle, end = grown(during, field)
        flat = end - middle < max(5.0, 0.03 * middle)
        good &= flat
        said = "flat" if flat else "GROWS"
        print(f"memory of the {field}: {middle:.1f} → {end:.1f} MB in the second half: {said}")
    quiet, busy = (mean_speed(before) + mean_speed(after)) / 2.0, mean_speed(during)
    lost = max(0.0, waited(during) - (waited(before) + waited(after)) / 2.0)
    kept = busy + lost > 0.98 * quiet
    said = "kept" if kept else "CHANGED"
    print(f"speed: {quiet:.3f} without browsers, {busy:.3f} with, {lost:.3f} more waited: {said}")
    alone = (work(before) + work(after)) / 2.0
    same = work(during) < 1.2 * alone
    said = "kept" if same else "MORE"
    print(f"work: {alone:.1f} ms per simulated second without, {work(during):.1f} with: {said}")
    return good and kept and same


def main() -> int:
    """Run it all.

    Returns:
        Exit code: 0 if memory and speed are as they should be, else 1.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--browsers", type=int, default=3)
    parser.add_argument("--world", default="devices/distance_sensor")
    arguments = parser.parse_args()
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        sys.exit("needs chromium and chromedriver (Debian: chromium, chromium-driver)")
    rclpy.init()
    observer = Observer()
    with (
        tempfile.TemporaryDirectory() as folder,
        running("ros_bridge.cli", "run", arguments.world, "--no-controllers", **HEARD) as simulation,
        running("ros_bridge.cli", "view", "--port", "0", **HEARD) as viewer,
    ):
        os.setpriority(os.PRIO_PROCESS, viewer.pid, NICENESS)
        url = address_of(viewer)
        threading.Thread(target=simulation.stdout.read, daemon=True).start()  # type: ignore[union-attr]
        end = time.monotonic() + START_LIMIT
        while not observer.values and time.monotonic() < end:
            rclpy.spin_once(observer, timeout_sec=0.5)
        switch_overlays_on(url, Path(folder))
        watch = Watch(observer, simulation.pid, viewer.pid)
        watch.look(10.0)
        print("    phase minute simulation     viewer    speed worst 5%     work   waited")
        print("                         MB         MB                  ms/sim. s        %", flush=True)
        before = watch.look(QUIET)
        show("before", before)
        stop = threading.Event()
        visitors = [Visitor(url, number, Path(folder), stop) for number in range(arguments.browsers)]
        for visitor in visitors:
            visitor.start()
        watch.look(20.0)  # three browsers start
        during: list[Sample] = []
        try:
            for _ in range(max(1, round(arguments.minutes))):
                part = watch.look(60.0)
                during += part
                show("browsers", part)
        finally:
            stop.set()
            for visitor in visitors:
                visitor.join(START_LIMIT)
        watch.look(5.0)
        after = watch.look(QUIET)
        show("after", after)
        for visitor in visitors:
            print(f"{visitor.name}: {visitor.visits} visits, {visitor.naps} naps {' '.join(visitor.errors)}")
        good = verdict(before, during, after)
    observer.destroy_node()
    rclpy.try_shutdown()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
