"""How much faster a sweep is on two processes than on one; its tables must be the same.

    python3 benchmarks/sweep.py                 # examples/sweep/spec.yaml: 200 runs
    python3 benchmarks/sweep.py --jobs 1 2 4 --turns 3

The turns are made alternately, so that what else the machine does meets all of them. Beside the wall time
stands the processor time of all processes together: while it stays the same, what keeps the ratio from the
number of processes is starting up and waiting.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def sweep(spec: Path, jobs: int, results: Path) -> tuple[float, float]:
    """Seconds of wall time and of processor time of a whole sweep, start-up included."""
    command = [sys.executable, "-m", "ros_bridge.cli", "batch", str(spec), "--fresh", "-j", str(jobs)]
    before, begin = os.times(), time.perf_counter()
    subprocess.run(
        [*command, "--results", str(results)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    wall, after = time.perf_counter() - begin, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, used


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("spec", nargs="?", type=Path, default=ROOT / "examples/sweep/spec.yaml")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    walls: dict[int, list[float]] = {jobs: [] for jobs in options.jobs}
    tables: set[bytes] = set()
    print("processes   wall s   processor s   times as fast")
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.turns):
            for jobs in options.jobs:
                results = Path(folder) / f"{jobs}.csv"
                wall, used = sweep(options.spec.resolve(), jobs, results)
                walls[jobs].append(wall)
                tables.add(results.read_bytes())
                ratio = min(walls[options.jobs[0]]) / wall
                print(f"{jobs:9d} {wall:8.1f} {used:13.1f} {ratio:15.2f}", flush=True)
    for jobs in options.jobs[1:]:
        ratio = min(walls[options.jobs[0]]) / min(walls[jobs])
        print(f"best of {options.turns} turns: {jobs} processes are {ratio:.2f} times as fast")
    print("the tables are the same" if len(tables) == 1 else "the tables differ")


if __name__ == "__main__":
    main()
