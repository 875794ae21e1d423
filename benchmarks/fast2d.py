"""Many robots with eight distance sensors each in the fast 2D mode: how much faster than real time.

    python -m benchmarks fast2d                      # 10 to 100,000 robots, as arrays
    python -m benchmarks.fast2d 1000 --threads 1     # so many

Round robots of 25 cm stand 0.8 m apart in a fenced square with inner walls and posts. Each has a ring of
eight distance sensors of 1.5 m, all measured in each step of 32 ms, and gets new wheel speeds once a second,
so that they meet walls and each other. All in one process, which reads the values as arrays. Robots are held
as arrays, or written out one by one: objects with devices (`--written-out`).
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure
from benchmarks.swarm import robot_text, wall_text, world_text
from sim_core.base.config import SimulationConfig
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

ROBOTS = (10, 100, 1000, 10_000, 100_000)
SPACING = 0.8
"""m between the places of two robots."""
SENSORS = 8
PROTO = """#VRML_SIM R2025a utf8
PROTO RingRobot [
  field SFVec3f translation 0 0 0
  field SFRotation rotation 0 0 1 0
  field SFString name "robot"
]
{%s}
"""


def ring() -> str:
    """The sensors of a robot."""
    return " ".join(
        f'DistanceSensor {{ name "ds{k}" translation {0.1 * math.cos(a):.6f} {0.1 * math.sin(a):.6f} 0.06 '
        f"rotation 0 0 1 {a:.6f} lookupTable [ 0 1000 0, 0.5 400 0, 1.5 0 0 ] }}"
        for k, a in enumerate(2.0 * math.pi * k / SENSORS for k in range(SENSORS))
    )


def write_proto(folder: Path) -> str:
    """Write the robot as a PROTO file; gives the line that names it."""
    text = robot_text("", more=ring())
    place = text[text.index("name") : text.index("controller")]
    file = folder / "RingRobot.proto"
    bound = "name IS name translation IS translation rotation IS rotation "
    file.write_text(PROTO % text.replace(place, bound), "utf-8")
    return f'EXTERNPROTO "{file}"'


def swarm(robots: int, extern: str) -> str:
    """The world with so many robots; `extern`: see `write_proto`."""
    side = math.ceil(math.sqrt(robots))
    half = side * SPACING / 2.0 + 0.2
    length = round(2.0 * half, 3)
    nodes = [
        wall_text(f"fence{k}", x * half, y * half, f"{0.1 + length * abs(y)} {0.1 + length * abs(x)} 0.3")
        for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1)))
    ]
    rng = np.random.default_rng(1)
    for index in range(robots):
        x, y = ((k + 0.5) * SPACING - side * SPACING / 2.0 for k in divmod(index, side))
        place = f"translation {x:.3f} {y:.3f} 0.05 rotation 0 0 1 {rng.uniform(-3.0, 3.0):.3f}"
        nodes.append(f'RingRobot {{ name "r{index}" {place} }}')
        if index % 10 == 4:
            nodes.append(wall_text(f"wall{index}", round(x + SPACING / 2, 3), round(y, 3), "0.05 0.6 0.3"))
        elif index % 10 == 9:
            place = f"translation {x + SPACING / 2:.3f} {y:.3f} 0.15"
            post = "boundingObject Cylinder { radius 0.08 height 0.3 }"
            nodes.append(f'Solid {{ name "post{index}" {place} {post} }}')
    return world_text(extern, *nodes)


def run(sim: Simulation, seconds: float) -> tuple[float, float]:
    """Wall time and processor time, of all threads, in s per step in which all sensors are read.

    They are those of the fastest second of sim time, for other programs take the processors now and then;
    commands are given outside the clocks.
    """
    rolled = sim.rolled
    assert rolled is not None
    rng = np.random.default_rng(2)
    total, best, least = 0.0, math.inf, math.inf
    while total < seconds:
        rolled.set_wheel_speeds(rng.uniform(-2.0, 10.0, (len(rolled.names), 2)))
        start, start_of_work = time.perf_counter(), time.process_time()
        for _ in range(31):
            sim.step()
            rolled.all_values()
        second, work = time.perf_counter() - start, time.process_time() - start_of_work
        total, best, least = total + second, min(best, second), min(least, work)
    return best / 31, least / 31


def one(robots: int, seconds: float, instanced: bool, threads: int | None) -> dict[str, float]:
    """Seconds to load, MB, times real time, and µs of processor time of a robot and step."""
    with tempfile.TemporaryDirectory() as folder:
        text = swarm(robots, write_proto(Path(folder)))
        start = time.perf_counter()
        scene = parse_scene(text, "benchmark.wbt", instanced=instanced)
        sim = Simulation(scene, SimulationConfig(physics="fast2d", instanced=instanced, threads=threads))
        loading = time.perf_counter() - start
    run(sim, 0.2)
    step, busy = run(sim, seconds)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    times = sim.step_ns / 1e9 / step
    return {"loading": loading, "times": times, "memory": memory, "each": 1e6 * busy / robots}


def figures(seconds: float) -> Iterator[Figure]:
    """Loading, memory and steps of 10 to 100,000 robots held as arrays."""
    before: tuple[float, ...] | None = None
    for robots in ROBOTS:  # each in a process of its own, for its memory
        command = [sys.executable, "-m", "benchmarks.fast2d", str(robots), "--seconds", str(seconds)]
        line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        *measured, each = json.loads(line).values()
        found = (robots, *measured)
        yield from beside_fewer(found, before)
        yield Figure("a robot and step, of processor time", each, "µs", x=robots)
        before = found


def beside_fewer(found: tuple[float, ...], before: tuple[float, ...] | None) -> Iterator[Figure]:
    """Loading, speed and memory; of 10,000 robots or more beside as many times what fewer need."""
    robots, loading, times, memory = found
    names = (f"{robots:,} robots loaded", f"{robots:,} robots", f"{robots:,} robots, memory")
    rows = list(zip(names, (loading, times, memory), ("s", "times real time", "MB"), strict=True))
    if before is None or robots < 10_000:
        yield from (Figure(*row) for row in rows)
        return
    more = robots / before[0]
    peer = f"as good, robot for robot, as {before[0]:,}"
    ratios = (more * before[1] / loading, more * times / before[2], more * before[3] / memory)
    for row, ratio, goal in zip(rows, ratios, (0.5, 0.5, 1.0), strict=True):
        yield Figure(*row, peer, ratio, goal)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("robots", type=int)
    parser.add_argument("--seconds", type=float, default=5.0, help="wall time (default 5)")
    parser.add_argument("--threads", type=int, help="that cast rays (default: one for each processor)")
    parser.add_argument("--written-out", action="store_true", help="robots with devices, one by one")
    asked = parser.parse_args()
    print(json.dumps(one(asked.robots, asked.seconds, not asked.written_out, asked.threads)))


if __name__ == "__main__":
    main()
