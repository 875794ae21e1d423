"""Ten robots with lidars of 361 beams, in odesim and in ir-sim."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import Figure
from benchmarks.sensors_cloud import clouds
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

ROBOTS, OBSTACLES, BEAMS = 10, 20, 361
RANGE = 10.0
HALF = 10.0
"""m from the middle to the walls."""
RADIUS = 0.2
STEPS = 20
"""Steps of a round of ir-sim; odesim makes 50 times as many."""
SAME = 0.01
"""m: ir-sim's circles have 64 corners."""


def make_scene() -> dict[str, Any]:
    """Where everything is: robots (x, y, θ), circles (x, y, r), rectangles (x, y, θ, length, width)."""
    rng = np.random.default_rng(4)
    places: list[tuple[float, float]] = []
    while len(places) < ROBOTS + OBSTACLES:
        x, y = rng.uniform(1.0 - HALF, HALF - 1.0, 2).tolist()
        if all(math.hypot(x - a, y - b) > 1.6 for a, b in places):
            places.append((x, y))
    turns, sizes = rng.uniform(-math.pi, math.pi, len(places)), rng.uniform(0.3, 0.7, (len(places), 2))
    things = [
        (*place, float(turn), *size.tolist()) for place, turn, size in zip(places, turns, sizes, strict=True)
    ]
    obstacles = things[ROBOTS:]
    walls = [
        (x * HALF, y * HALF, 0.0, 0.2 if x else 2 * HALF, 0.2 if y else 2 * HALF)
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    return {
        "robots": [(x, y, turn) for x, y, turn, _, _ in things[:ROBOTS]],
        "circles": [(x, y, a) for x, y, _, a, _ in obstacles[::2]],
        "rectangles": walls + [(x, y, turn, 2 * a, 2 * b) for x, y, turn, a, b in obstacles[1::2]],
    }


def odesim(scene: dict[str, Any]) -> Simulation:
    """The scene as a world: circles are cylinders, rectangles boxes."""
    text = ["#VRML_SIM R2025a utf8", "WorldInfo { basicTimeStep 100 }"]

    def solid(kind: str, name: str, x: float, y: float, turn: float, geometry: str, more: str = "") -> None:
        text.append(
            f'{kind} {{ name "{name}" translation {x!r} {y!r} 0 rotation 0 0 1 {turn!r} '
            f"children [ Shape {{ geometry {geometry} }} {more} ] }}"
        )

    for index, (x, y, radius) in enumerate(scene["circles"]):
        solid("Solid", f"c{index}", x, y, 0.0, f"Cylinder {{ radius {radius!r} height 1 }}")
    for index, (x, y, turn, length, width) in enumerate(scene["rectangles"]):
        solid("Solid", f"b{index}", x, y, turn, f"Box {{ size {length!r} {width!r} 1 }}")
    lidar = (
        f"Lidar {{ horizontalResolution {BEAMS} numberOfLayers 1 fieldOfView {math.pi!r} maxRange {RANGE} }}"
    )
    for index, (x, y, turn) in enumerate(scene["robots"]):
        solid("Robot", f"r{index}", x, y, turn, f"Cylinder {{ radius {RADIUS} height 1 }}", lidar)
    return Simulation(parse_scene("\n".join(text), "benchmark.wbt"))


class Others:
    """ir-sim in a process of its own, waiting for its next round."""

    def __init__(self, python: str, scene: dict[str, Any]) -> None:
        script = Path(__file__).with_name("sensors_irsim.py")
        self._process = subprocess.Popen(
            [python, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        setup = {**scene, "beams": BEAMS, "range": RANGE, "radius": RADIUS, "half": HALF, "steps": STEPS}
        self.ranges = np.array(json.loads(self._ask(json.dumps(setup))))

    def round(self) -> float:
        """Microseconds per step."""
        return float(self._ask("go"))

    def end(self) -> None:
        self._process.kill()
        self._process.wait()

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(line, file=self._process.stdin, flush=True)
        while answer := self._process.stdout.readline():
            if answer.startswith("= "):
                return answer[2:]
        raise RuntimeError("ir-sim ended; is it installed there?")


def figures(seconds: float) -> Iterator[Figure]:
    """A step's sensing, beside ir-sim where the environment's ODESIM_IRSIM names a Python that has it."""
    scene = make_scene()
    sim = odesim(scene)
    lidars = [robot["lidar"] for robot in sim.robots.values()]
    sim.sample(lidars)
    ranges = np.array([lidar.value[0] for lidar in lidars])
    python = os.environ.get("ODESIM_IRSIM")
    others = Others(python, scene) if python else None
    mine: list[float] = []
    theirs: list[float] = []
    end = time.perf_counter() + 2.0 * seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(50 * STEPS):
            sim.sample(lidars)
        mine.append((time.perf_counter() - start) / (50 * STEPS) * 1e6)
        if others:
            theirs.append(others.round())
    what = f"{ROBOTS} lidars of {BEAMS} beams, walls and {OBSTACLES} obstacles"
    if others is None:
        yield Figure(what, statistics.median(mine), "µs")
    else:
        others.end()
        ratio = statistics.median([b / a for a, b in zip(mine, theirs, strict=True)])
        difference = np.abs(np.where(np.isfinite(ranges), ranges, RANGE) - others.ranges)
        assert float((difference > SAME).mean()) < 0.01, "the ranges differ"
        yield Figure(
            what, statistics.median(mine), "µs", peer="as fast as ir-sim, the same ranges", ratio=ratio
        )
    yield from clouds(2.0 * seconds)
