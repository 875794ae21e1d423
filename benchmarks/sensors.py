"""Speed of the sensors: many lidars, a large point cloud.

    python benchmarks/sensors.py [--others PYTHON] [--rounds 21] [--seconds 10] [--only lidars …]

- lidars: 10 robots with a lidar of 361 beams each, among walls and 20 circles and rectangles. Microseconds
  per step of the sensing alone. With `--others` beside ir-sim (PyPI) on the same scene; PYTHON is an
  interpreter that has it. The simulators take turns, round by round, and their ranges are compared.
- cloud: a lidar of 28,800 points at 10 Hz of sim time as a PointCloud2, simulated by the node in a process of
  its own and heard by a subscriber here: how much faster than real time it runs, and whether it keeps to
  real time when it is asked to, with every cloud heard.
- fast2d: 1000 robots with 8 distance sensors each at steps of 32 ms, against real time (benchmarks/fast2d.py
  has the details).

Exit code 1: less than 50 times as fast as ir-sim, ranges that differ, or slower than real time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fast2d import SENSORS, run, swarm
from benchmarks.sensors_cloud import measure_cloud
from benchmarks.sensors_lidars import measure_lidars
from sim_core.base.config import SimulationConfig
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

SECTIONS = ("lidars", "cloud", "fast2d")


ROBOTS_IN_THE_PLANE = 1000


def measure_fast2d(seconds: float) -> bool:
    """Print how fast many robots in the plane run (see fast2d.py); True if it is faster than real time."""
    sim = Simulation(parse_scene(swarm(ROBOTS_IN_THE_PLANE)), SimulationConfig(physics="fast2d"))
    run(sim, 0.2, True)
    step = run(sim, seconds, False)
    speed = sim.step_ns / 1e9 / step
    print(f"fast 2D, {ROBOTS_IN_THE_PLANE} robots with {SENSORS} distance sensors, steps of 32 ms")
    print(f"  {1e3 * step:.2f} ms per step, {speed:.1f} times real time")
    return speed >= 1.0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--others", metavar="PYTHON", help="an interpreter that has ir-sim")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="sim time of the cloud, wall time of fast 2D"
    )
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS)
    arguments = parser.parse_args()
    sections: dict[str, Callable[[argparse.Namespace], bool]] = {
        "lidars": lambda given: measure_lidars(given.others, given.rounds),
        "cloud": lambda given: measure_cloud(given.seconds),
        "fast2d": lambda given: measure_fast2d(given.seconds),
    }
    good = [sections[name](arguments) for name in arguments.only]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
