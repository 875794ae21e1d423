"""How much faster a sweep is on two processes than on one; its tables must be the same.

The turns are made alternately, so that what else the machine does meets all of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import yaml

from benchmarks.figures import Figure
from benchmarks.scenes import ROOT


def sweep(spec: Path, jobs: int, results: Path) -> float:
    """Seconds of wall time of a whole sweep, start-up included."""
    command = [sys.executable, "-m", "ros_bridge.cli", "batch", str(spec), "--fresh", "-j", str(jobs)]
    begin = time.perf_counter()
    subprocess.run(
        [*command, "--results", str(results)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - begin


def figures(seconds: float) -> Iterator[Figure]:
    """examples/sweep, 200 runs, with few seconds 80, on one process and on two, twice in turn."""
    walls: dict[int, list[float]] = {1: [], 2: []}
    tables: set[bytes] = set()
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "sweep" / "spec.yaml"
        shutil.copytree(ROOT / "examples" / "sweep", spec.parent)
        content = yaml.safe_load(spec.read_text(encoding="utf-8"))
        content["seeds"] = 10 if seconds >= 3.0 else 4
        spec.write_text(yaml.safe_dump(content), encoding="utf-8")
        for _ in range(2):
            for jobs, times in walls.items():
                results = Path(folder) / f"{jobs}.csv"
                times.append(sweep(spec, jobs, results))
                tables.add(results.read_bytes())
    assert len(tables) == 1, "the tables differ"
    one, two = (min(times) for times in walls.values())
    runs = 20 * content["seeds"]
    yield Figure(
        f"{runs} runs on two processes", two, "s", peer="as fast as on one, the same table", ratio=one / two
    )
