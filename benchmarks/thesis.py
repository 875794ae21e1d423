"""The thesis's two tables and its two speeds, with real ROS controllers in processes of their own.

The thesis drew 62 to 26 frames/s in real time with 1 to 10 robots and asynchronous controllers, 42 to 18
with synchronous ones, at steps of 5 ms; at 1 ms, with one robot, it ran 7.5 and 1.6 times as fast as time.
Nothing is drawn here, so the figures say how much faster than real time the same scene runs, and whether it
keeps to real time when asked to. Up to ten robots have a controller process each; more share ten of them.

What a step costs depends on which robots stand against each other, which is chance in the end. So they set
off together, in lock-step at time 0, else when the last controller has come, and are looked at before that.
"""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
os.environ["ROS_DOMAIN_ID"] = "87"

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

from benchmarks.figures import Figure
from benchmarks.running import running
from benchmarks.scenes import wall_avoiders
from ros_bridge.base.middleware import prepare
from sim_core.scene import write_scene

THESIS_SPEEDS = (7.5, 1.6)
PROCESSES = 10
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
START_LIMIT = 60.0
SPAN = 110.0
"""Simulated s after which the measurement of several robots ends at the latest."""
PARAMETERS = "odesim: {ros__parameters: {sampling_period: 0.2, contacts: stiff, wait_extern: true}}\n"
"""Contacts are those of config/wall_avoiders.yaml."""


class Observer(Node):
    """Hears how the simulation goes."""

    def __init__(self) -> None:
        super().__init__("observer")
        self.status: dict[str, float] = {}
        self.heard = 0.0
        self.create_subscription(DiagnosticArray, "/odesim/status", self._hear, 10)

    def _hear(self, message: DiagnosticArray) -> None:
        self.heard = time.monotonic()
        rows = {row.key: row.value for row in message.status[0].values}
        self.status = {key: float(rows[key]) for key in ("sim_time", "lost_wall_time")}

    def next_status(self, limit: float = 10.0) -> tuple[float, dict[str, float]]:
        """Wall time and values of the next status."""
        before, end = self.heard, time.monotonic() + limit
        while self.heard == before:
            if time.monotonic() > end:
                raise SystemExit("no word from the simulation")
            rclpy.spin_once(self, timeout_sec=0.5)
        return self.heard, self.status

    def wait_for_controllers(self, count: int) -> None:
        """Until every robot has somebody who answers."""
        end = time.monotonic() + START_LIMIT
        while not all(self.count_publishers(f"/robot{k + 1}/joint_command") for k in range(count)):
            if time.monotonic() > end:
                raise SystemExit("the controllers did not start")
            rclpy.spin_once(self, timeout_sec=0.2)


def measure(
    observer: Observer, count: int, step_ms: float, synchronized: bool, mode: str, seconds: float
) -> tuple[float, float]:
    """Speed relative to real time over some seconds of wall time, and wall time lost to real time."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        world = Path(folder) / "scene.wbt"
        world.write_text(
            write_scene(wall_avoiders(count, step_ms, "<extern>", synchronized)), encoding="utf-8"
        )
        params = Path(folder) / "scene.yaml"
        params.write_text(PARAMETERS, encoding="utf-8")
        command = ("run", str(world), "--mode", mode, "--params", str(params))
        stack.enter_context(running("ros_bridge.cli", *command, **QUIET))
        robots = [f"robot{k + 1}" for k in range(count)]
        for k in range(min(count, PROCESSES)):
            controller = ("ros_bridge.controllers.wall_avoider", *robots[k::PROCESSES])
            stack.enter_context(running(*controller, **QUIET))
        observer.wait_for_controllers(count)
        start, before = observer.next_status(START_LIMIT)
        while before["sim_time"] == 0.0:  # it waits for the controllers
            start, before = observer.next_status()
        latest = (0.0 if synchronized else before["sim_time"]) + (SPAN if count > 1 else math.inf)
        now, after = observer.next_status()
        while now - start < seconds and after["sim_time"] < latest:
            now, after = observer.next_status()
        lost = after["lost_wall_time"] - before["lost_wall_time"]
        return (after["sim_time"] - before["sim_time"]) / (now - start), lost


def figures(seconds: float) -> Iterator[Figure]:
    """One robot at 1 ms, then more of them at 5 ms."""
    prepare()  # for the controllers too, which lose readings of many robots with the sockets of LOCALHOST
    rclpy.init()
    observer = Observer()
    for synchronized, name in ((False, "asynchronous"), (True, "synchronous")):
        speed, _ = measure(observer, 1, 1.0, synchronized, "fast", seconds)
        thesis = THESIS_SPEEDS[synchronized]
        peer = "as fast as the thesis"
        yield Figure(f"1 robot at 1 ms, {name}", speed, "times real time", peer=peer, ratio=speed / thesis)
    for synchronized, name in ((False, "asynchronous"), (True, "synchronous")):
        for count in (1, 10, 100, 500):
            what = f"{count} robots at 5 ms, {name}"
            free, _ = measure(observer, count, 5.0, synchronized, "fast", seconds)
            yield Figure(what, free, "times real time")
            if count in (10, 500):
                real, _ = measure(observer, count, 5.0, synchronized, "realtime", seconds)
                yield Figure(
                    f"{what}, in real time", real, "times real time", "as fast as asked for", real, 0.99
                )
    observer.destroy_node()
    rclpy.shutdown()
