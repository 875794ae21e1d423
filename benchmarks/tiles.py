"""Pictures a second of a camera in many copies of a world, beside those of one simulation.

The world is `arena` with a camera of 64 × 64 pixels on the cart, in the fast 2D mode, and shadows. A
simulation draws in a process of its own, and each step waits for its picture; the copies of `OdesimVectorEnv`
are drawn as tiles of one target. A step, of one basic time step, makes one picture of each copy.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure
from benchmarks.scenes import ROOT
from sim_core.base.config import SimulationConfig
from sim_core.experiments.learning import OdesimVectorEnv, TaskEnv

EYES = """Camera { name "eye" translation 0.05 0 0.15 width 64 height 64 fieldOfView 1 }
RangeFinder { name "depth" translation 0.05 0 0.15 width 64 height 64 fieldOfView 1 }"""
COUNTS = (1, 64, 1024)


def speed(step: Callable[[], object], pictures: int, seconds: float) -> float:
    """Pictures a second: the best of three rounds of so many seconds, with one step or more each."""
    step()
    best = 0.0
    for _ in range(3):
        done, begin = 0, time.perf_counter()
        while not done or time.perf_counter() - begin < seconds:
            step()
            done += 1
        best = max(best, done * pictures / (time.perf_counter() - begin))
    return best


def many(world: Path, count: int, eye: str) -> OdesimVectorEnv:
    config = SimulationConfig(physics="fast2d")
    env = OdesimVectorEnv(world, count, (eye,), ("drive",), period=0.0, config=config)
    assert env.why is None, env.why
    return env


def figures(seconds: float) -> Iterator[Figure]:
    """Colour and depth, of one simulation and of 1, 64 and 1,024 copies."""
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder) / "arena.wbt"
        text = (ROOT / "worlds" / "arena.wbt").read_text().replace('"../', f'"{ROOT}/')
        world.write_text(text.replace("bodySlot [", f"bodySlot [ {EYES}"))
        for eye, what in (("eye", "colour"), ("depth", "depth")):
            env = many(world, 1, eye)
            action = np.array([0.1, 0.5], np.float32)
            alone = TaskEnv(env.task)
            env.close()
            alone.reset(seed=1)
            single = speed(partial(alone.step, action), 1, seconds / 3.0)
            alone.close()
            yield Figure(f"{what}, 64 × 64, one simulation", single, "pictures/s")
            for count in COUNTS:
                env = many(world, count, eye)
                env.reset(seed=1)
                actions = np.tile(action, (count, 1))
                found = speed(partial(env.step, actions), count, seconds / 3.0)
                env.close()
                name = f"{what}, 64 × 64, copies: {count:,}"
                yield Figure(name, found, "pictures/s", "as fast as one simulation", found / single)
