"""What it costs to make a snapshot, to go back to it, and to reset.

    python benchmarks/snapshots.py [WORLD] [--repeat 200]

Milliseconds, the median of so many times; the world has run for a second. Between two resets, and two returns
to the snapshot, one step is made.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sim_core import load_world


def median(call: Callable[[], object], repeat: int, before: Callable[[], object] = lambda: None) -> float:
    """ms of a call, after another one each time."""
    seconds = []
    for _ in range(repeat):
        before()
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    return 1e3 * statistics.median(seconds)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("world", nargs="?", default="wall_avoiders")
    parser.add_argument("--repeat", type=int, default=200)
    arguments = parser.parse_args()
    sim = load_world(arguments.world)
    for robot in sim.robots.values():
        for motor in robot.motors().values():
            motor.set_velocity(1.0)
    sim.run(1.0)
    snapshot = sim.snapshot()
    repeat = arguments.repeat
    print(f"snapshot {median(sim.snapshot, repeat):6.3f} ms")
    print(f"restore  {median(lambda: sim.restore(snapshot), repeat, sim.step):6.3f} ms")
    print(f"reset    {median(sim.reset, repeat, sim.step):6.3f} ms")
    sim.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
