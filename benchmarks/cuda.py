"""Environment steps a second of `OdesimVectorEnv(…, device="cuda")` over the number of copies.

    python -m benchmarks cuda         # some minutes on a graphics card; without one it is left out

Three worlds: `arena` as in `vector.py`; `wall_avoiders`, ten robots with three distance sensors each; `arena`
with a lidar of 360 beams on the robot. A step is 0.2 s of sim time. Actions lie on the card; nothing is read
from it while the time is taken.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure
from benchmarks.scenes import ROOT
from sim_core.base.errors import ConfigError, MissingPackageError
from sim_core.experiments.learning import OdesimVectorEnv
from sim_core.experiments.learning.tasks.go_to_goal import GoToGoal

COUNTS = (1024, 4096, 16384, 65536, 262144, 1048576)
LIDAR = "Lidar { translation 0 0 0.08 fieldOfView 6.28 horizontalResolution 360 numberOfLayers 1 maxRange 6 }"
GOALS = {"arena": 100e6, "ten robots": None, "a lidar of 360 beams": 5e6}
"""Steps a second that are wanted of the highest number of copies."""


def environment(world: str, count: int) -> OdesimVectorEnv:
    """Of one of the worlds of `GOALS`."""
    if world == "arena":
        return OdesimVectorEnv(GoToGoal(duration=20.0), count, device="cuda")
    robots = [f"robot{k}" for k in range(1, 11)]
    if world == "ten robots":
        eyes = [f"{robot}.ds_{side}" for robot in robots for side in ("front", "left", "right")]
        return _plain("wall_avoiders", count, eyes, [f"{robot}.drive" for robot in robots])
    text = (ROOT / "worlds" / "arena.wbt").read_text().replace("../protos", str(ROOT / "protos"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lidar.wbt"
        file.write_text(text.replace("bodySlot [", f"bodySlot [ {LIDAR}", 1))
        return _plain(str(file), count, ["lidar"], ["drive"])


def _plain(world: str, count: int, observations: list[str], actions: list[str]) -> OdesimVectorEnv:
    return OdesimVectorEnv(
        world, count, observations, actions, period=0.2, duration=20.0, physics="fast2d", device="cuda"
    )


def steps_a_second(world: str, count: int, seconds: float) -> float:
    """Of all copies together: the best of three rounds of so many seconds."""
    from numba import cuda

    env = environment(world, count)
    random = np.random.default_rng(1)
    low, high = env.single_action_space.low, env.single_action_space.high
    shape = env.action_space.shape
    actions = [cuda.to_device(random.uniform(low, high, shape).astype(np.float32)) for _ in range(4)]
    env.reset(seed=1)
    env.step(actions[0])  # compiles
    best = 0.0
    for _ in range(3):
        done = 0
        cuda.synchronize()
        begin = time.perf_counter()
        while (passed := time.perf_counter() - begin) < seconds:
            for action in actions:
                env.step(action)
            cuda.synchronize()
            done += len(actions)
        best = max(best, done * count / passed)
    env.close()
    return best


def figures(seconds: float) -> Iterator[Figure]:
    """Of each world, from 1,024 to 1,048,576 copies.

    Raises:
        MissingPackageError: there is no card, or no package for it.
    """
    for world, goal in GOALS.items():
        for count in COUNTS:
            try:
                speed = steps_a_second(world, count, seconds / 3.0)
            except ConfigError as error:
                if "numba finds no" in str(error):
                    raise MissingPackageError(str(error)) from None
                raise
            wanted = goal if count == COUNTS[-1] else None
            ratio = speed / wanted if wanted else None
            peer = f"{wanted:,.0f} steps/s" if wanted else ""
            yield Figure(f"{world}, {count:,} copies", speed, "steps/s", peer, ratio, 1.0 if wanted else None)
