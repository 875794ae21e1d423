"""Time per physics step with PyODE and with `odesim_ode` (packaging/ode), in two processes that take turns.

A time is processor time, the median of the rounds; a ratio is the median of those of the rounds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec

from benchmarks.figures import Figure
from benchmarks.scenes import ROOT, wall_avoiders

MODULES = ("ode", "odesim_ode")
COUNTS = (1, 10, 100)
ROUNDS = 15
WARM_UP = 200
GOAL = 0.95
"""Two equal ones differ by some hundredths on a busy machine."""


def figures(seconds: float) -> Iterator[Figure]:
    """A step with one, ten and a hundred robots, with odesim_ode beside PyODE."""
    for name in MODULES:
        if find_spec(name) is None:
            raise ModuleNotFoundError(name=name)
    command = [sys.executable, "-m", "benchmarks.ode_modules"]
    processes = [
        subprocess.Popen(
            [*command, name, str(seconds)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in MODULES
    ]
    for count in COUNTS:
        rounds = []
        for number in range(ROUNDS):
            order = processes[:: 1 if number % 2 else -1]
            times = {process: next_round(process, count) for process in order}
            rounds.append([times[process] for process in processes])
        ratio = statistics.median(theirs / mine for theirs, mine in rounds)
        mine = statistics.median(mine for _, mine in rounds)
        what = f"step of 5 ms, {count} robot{'s' * (count > 1)}, odesim_ode"
        yield Figure(what, mine, "µs", "as fast as PyODE", ratio, GOAL)
    for process in processes:
        process.communicate()


def next_round(process: subprocess.Popen[str], count: int) -> float:
    """Microseconds per step of a round with so many robots."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{count}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def answer_rounds(module: str, seconds: float) -> None:
    """In a process with one of MODULES: read numbers of robots, and print microseconds per step."""
    if module != "ode":
        sys.modules["ode"] = None  # type: ignore[assignment] # as if it were not installed
    from benchmarks.physics_scene import drive
    from sim_core.engines.ode import PhysicsWorld
    from sim_core.engines.ode.pyode import ode
    from sim_core.model.world_model import WorldModel

    assert ode.__name__ == module
    worlds: dict[int, PhysicsWorld] = {}
    for line in sys.stdin:
        count = int(line)
        if count not in worlds:
            scene = wall_avoiders(count, 5.0)
            worlds[count] = PhysicsWorld(WorldModel(scene), contacts="stiff")
            drive(worlds[count], scene)
            for _ in range(WARM_UP):
                worlds[count].step()
        steps = max(20, round(seconds / ROUNDS / (12e-6 * count)))
        start = time.process_time()
        for _ in range(steps):
            worlds[count].step()
        print((time.process_time() - start) / steps * 1e6, flush=True)


if __name__ == "__main__":
    answer_rounds(sys.argv[1], float(sys.argv[2]))
