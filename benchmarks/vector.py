"""Environment steps a second of `OdesimVectorEnv` over the number of copies, in the plane and on ODE.

    python -m benchmarks.vector
    python -m benchmarks.vector --most 256 --seconds 1

A copy is the world `arena`: one robot, three distance sensors, posts and walls. A step is 0.2 s of sim time,
ten basic steps. Actions are drawn at random; episodes end after 20 s and begin anew elsewhere, which counts.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.figures import Figure
from sim_core.experiments.learning import OdesimVectorEnv
from sim_core.experiments.learning.tasks.go_to_goal import GoToGoal


def steps_a_second(count: int, physics: str, seconds: float, workers: int | None) -> float:
    """Of all copies together: the best of three rounds of so many seconds."""
    env = OdesimVectorEnv(GoToGoal(duration=20.0), count, physics=physics, workers=workers)
    random = np.random.default_rng(1)
    actions = [random.uniform(-1.0, 1.0, env.action_space.shape).astype(np.float32) for _ in range(16)]
    env.reset(seed=1)
    env.step(actions[0])
    best = 0.0
    for _ in range(3):
        done, begin = 0, time.perf_counter()
        while (passed := time.perf_counter() - begin) < seconds:
            env.step(actions[done % len(actions)])
            done += 1
        best = max(best, done * count / passed)
    env.close()
    return best


def beside_one(counts: Sequence[int], physics: str, seconds: float, goal: float) -> Iterator[Figure]:
    """Of so many copies, each beside one; the goal is that of the last."""
    name, first = {"fast2d": "in the plane", "ode": "on ODE"}[physics], 0.0
    for count in counts:
        speed = steps_a_second(count, physics, seconds / 3.0, None)
        if count == 1:
            first = speed
            yield Figure(f"{name}, one copy", speed, "steps/s", x=count)
            continue
        wanted = goal if count == counts[-1] else None
        yield Figure(
            f"{name}, {count:,} copies", speed, "steps/s", "as fast as one", speed / first, wanted, x=count
        )


def figures(seconds: float) -> Iterator[Figure]:
    """From 1 to 4,096 copies in the plane, to 64 on ODE."""
    yield from beside_one((1, 4, 16, 64, 256, 1024, 4096), "fast2d", seconds, 10.0)
    yield from beside_one((1, 4, 16, 64), "ode", seconds, 1.0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--most", type=int, default=4096, help="copies in the plane")
    parser.add_argument("--most-ode", type=int, default=64, help="copies on ODE, each a simulation")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each of three rounds")
    parser.add_argument("--workers", type=int, default=None, help="threads and processes; default: all cores")
    options = parser.parse_args()
    print(f"environment steps a second, on {options.workers or len(os.sched_getaffinity(0))} cores")
    print("| copies | in the plane | on ODE |\n|---|---|---|")
    count = 1
    while count <= options.most:
        plane = steps_a_second(count, "fast2d", options.seconds, options.workers)
        ode = "-"
        if count <= options.most_ode:
            ode = f"{steps_a_second(count, 'ode', options.seconds, options.workers):,.0f}"
        print(f"| {count:,} | {plane:,.0f} | {ode} |", flush=True)
        count *= 4


if __name__ == "__main__":
    main()
