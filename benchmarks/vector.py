"""Environment steps a second of `OdesimVectorEnv` over the number of copies, in the plane and on ODE.

A copy is the world `arena`: one robot, three distance sensors, posts and walls. A step is 0.2 s of sim time,
ten basic steps. Actions are drawn at random; episodes end after 20 s and begin anew elsewhere, which counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.figures import Figure
from sim_core.experiments.learning import OdesimVectorEnv
from sim_core.experiments.learning.tasks.go_to_goal import GoToGoal


def steps_a_second(count: int, physics: str, seconds: float) -> float:
    """Of all copies together: the best of three rounds of so many seconds."""
    env = OdesimVectorEnv(GoToGoal(duration=20.0), count, physics=physics)
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
        speed = steps_a_second(count, physics, seconds / 3.0)
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
