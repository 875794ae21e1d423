"""Many robots with eight distance sensors each in the fast 2D mode: how much faster than real time.

    python -m benchmarks.fast2d

Round robots of 25 cm stand 0.8 m apart in a fenced square with inner walls and posts. Each has a ring of
eight distance sensors of 1.5 m, all sampled in each step of 32 ms, and gets new wheel speeds once a second,
so that they meet walls and each other. All in one process; the columns on the right are with every value read
as a Python number in every step.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from benchmarks.swarm import robot_text, wall_text, world_text
from sim_core.base.config import SimulationConfig
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

ROBOTS = (10, 100, 1000)
SPACING = 0.8
"""m between the places of two robots."""
SENSORS = 8


def ring() -> str:
    """The sensors of a robot."""
    return " ".join(
        f'DistanceSensor {{ name "ds{k}" translation {0.1 * math.cos(a):.6f} {0.1 * math.sin(a):.6f} 0.06 '
        f"rotation 0 0 1 {a:.6f} lookupTable [ 0 1000 0, 0.5 400 0, 1.5 0 0 ] }}"
        for k, a in enumerate(2.0 * math.pi * k / SENSORS for k in range(SENSORS))
    )


def swarm(robots: int) -> str:
    """The world with so many robots."""
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
        nodes.append(
            robot_text(f"r{index}", round(x, 3), round(y, 3), round(rng.uniform(-3.0, 3.0), 3), ring())
        )
        if index % 10 == 4:
            nodes.append(wall_text(f"wall{index}", round(x + SPACING / 2, 3), round(y, 3), "0.05 0.6 0.3"))
        elif index % 10 == 9:
            place = f"translation {x + SPACING / 2:.3f} {y:.3f} 0.15"
            post = "boundingObject Cylinder { radius 0.08 height 0.3 }"
            nodes.append(f'Solid {{ name "post{index}" {place} {post} }}')
    return world_text(*nodes)


def run(sim: Simulation, seconds: float, read: bool) -> float:
    """Wall time in s per step; commands are given outside the clock."""
    rng = np.random.default_rng(2)
    sensors = [device for robot in sim.robots.values() for device in robot.sensors()]
    total, steps = 0.0, 0
    while total < seconds:
        for robot in sim.robots.values():
            robot.drive.set_wheel_speeds(*rng.uniform(-2.0, 10.0, 2))  # type: ignore[union-attr]
        start = time.perf_counter()
        for _ in range(31):
            sim.step()
            if read:
                sum(sensor.value for sensor in sensors)
        total += time.perf_counter() - start
        steps += 31
    return total / steps


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="wall time for each case (default 5)")
    parser.add_argument("--robots", type=int, nargs="*", default=ROBOTS, help="(default 10 100 1000)")
    arguments = parser.parse_args()
    print("robots   loading   ms per step   times real time   us per robot and step   the same, values read")
    for robots in arguments.robots:
        start = time.perf_counter()
        scene = parse_scene(swarm(robots), "benchmark.wbt")
        sim = Simulation(scene, SimulationConfig(physics="fast2d"))
        loading = time.perf_counter() - start
        run(sim, 0.2, True)
        cells = []
        for read in (False, True):
            step = run(sim, arguments.seconds, read)
            cells += [
                f"{1e3 * step:>11.2f}",
                f"{sim.step_ns / 1e9 / step:>15.1f}",
                f"{1e6 * step / robots:>21.2f}",
            ]
        print(f"{robots:<8}{loading:>7.2f} s   " + "   ".join(cells), flush=True)


if __name__ == "__main__":
    main()
