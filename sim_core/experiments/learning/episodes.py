"""Episodes of a task in copies of its world, for single and vector environments alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict
from gymnasium.utils import seeding
from numpy.random import Generator
from numpy.typing import NDArray

from sim_core.base.arrays import Float32Array, IntArray
from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import CommandError
from sim_core.experiments.learning.task import Judged, Seen, Task
from sim_core.experiments.learning.world_copy import READINGS
from sim_core.experiments.learning.worlds import Worlds

Observed = NDArray[Any] | dict[str, NDArray[Any]]
"""Observations of all copies, or of one."""


def row_of(observed: Observed, row: int) -> Observed:
    """Return the observation of one copy."""
    if isinstance(observed, dict):
        return {name: part[row] for name, part in observed.items()}
    found: NDArray[Any] = observed[row]
    return found


class Episodes:
    """Copies of a world with a task, each with its own random generator.

    Attributes:
        observation_space, action_space: spaces of one copy.
        time: (n,) s of sim time since each episode began.
        seeds: (n,) seeds of the simulation in each episode.
    """

    def __init__(self, task: Task, worlds: Worlds) -> None:
        self.task, self.worlds = task, worlds
        spaces = task.spaces(worlds.read_space, worlds.command_space)
        self._has_numbers = spaces[0].shape != (0,)
        self.observation_space = self._space(spaces[0])
        self.action_space: Box = spaces[1]
        self.count = count = len(worlds.readings)
        self._random: list[Generator | None] = [None] * count
        self._steps = np.zeros(count, np.int64)
        self.seeds = np.zeros(count, np.int64)
        self._drawn = np.zeros((count, 0))
        self._action = np.zeros((count, *self.action_space.shape), np.float32)
        period_ns = to_nanoseconds(worlds.seconds)
        self._last = np.iinfo(np.int64).max
        if task.duration is not None:
            self._last = -(-to_nanoseconds(task.duration) // period_ns)
        self._before = worlds.poses
        self._low, self._high = worlds.command_space.low, worlds.command_space.high

    @property
    def time(self) -> Any:
        """(n,) sim time in s since each episode began."""
        return self._steps * self.worlds.seconds

    def random(self, row: int) -> Generator:
        """Return the generator of one copy; without a seed it is made from system entropy."""
        found = self._random[row]
        if found is None:
            found, _ = seeding.np_random()
            self._random[row] = found
        return found

    def begin(self, rows: IntArray, seeds: Sequence[int | None]) -> None:
        """Begin episodes in some copies; if a seed is None, the generator of its copy continues."""
        drawn, starts = [], []
        for row, seed in zip(rows.tolist(), seeds, strict=True):
            if seed is not None:
                self._random[row], _ = seeding.np_random(seed)
            random = self.random(row)
            drawn.append(int(random.integers(2**31)))
            starts.append(self.task.start(random))
        self.worlds.begin(rows, drawn if self.task.world.new_seeds else [None] * len(drawn), starts)
        self.seeds[rows] = drawn
        self._steps[rows] = 0
        self._action[rows] = 0.0
        width = len(starts[0].drawn)
        if self._drawn.shape[1] != width:
            self._drawn = np.zeros((self.count, width))
        self._drawn[rows] = [start.drawn for start in starts]
        before = self._before.copy()
        before[rows] = self.worlds.poses[rows]
        self._before = before

    def step(self, rows: IntArray, action: Float32Array) -> None:
        """Simulate a step of some copies, each with its row of (n, a)."""
        commands = self.task.command(action).astype(np.float32)
        self._before = self.worlds.poses.copy()
        self._action[rows] = action[rows]
        self.worlds.step(rows, np.clip(commands, self._low, self._high))
        self._steps[rows] += 1

    def observe(self) -> Observed:
        """Return the present (n, k) observation, or a dictionary with pictures, or one picture; in new
        arrays."""
        seen = self._seen()
        numbers = self.task.observe(seen)
        if not seen.pictures:
            return numbers
        pictures = dict(zip(self.worlds.picture_spaces, (each.copy() for each in seen.pictures), strict=True))
        if self._has_numbers:
            return {READINGS: numbers, **pictures}
        return pictures if len(pictures) > 1 else next(iter(pictures.values()))

    def _space(self, numbers: Box) -> Box | Dict:
        """Return the space of observations of one copy, see `observe`."""
        pictures = dict(self.worlds.picture_spaces)
        if not pictures:
            return numbers
        if self._has_numbers:
            return Dict({READINGS: numbers, **pictures})
        return Dict(pictures) if len(pictures) > 1 else next(iter(pictures.values()))

    def judge(self) -> Judged:
        """Evaluate the last step of all copies, including those that have just begun."""
        return self.task.judge(self._seen())

    def is_late(self) -> Any:
        """(n,) true where the duration of an episode is over."""
        return self._steps >= self._last

    def checked(self, action: Any) -> Float32Array:
        """Return (n, a) actions within the limits of their space.

        Raises:
            CommandError: they have another shape, or are not finite.
        """
        shape = self._action.shape
        try:
            found = np.asarray(action, np.float32)
        except (TypeError, ValueError):
            raise CommandError(f"action: found {action!r}, expected {shape} numbers") from None
        if found.shape != shape:
            raise CommandError(f"action: found an array of shape {found.shape}, expected {shape}")
        if not np.isfinite(found).all():
            bad = int(np.argmin(np.isfinite(found).reshape(self.count, -1).all(axis=1)))
            raise CommandError(f"action {bad}: found {found[bad].tolist()}, expected finite numbers")
        clipped: Float32Array = np.clip(found, self.action_space.low, self.action_space.high)
        return clipped

    def _seen(self) -> Seen:
        worlds = self.worlds
        return Seen(worlds.readings, worlds.poses, self._before, self._action, self._drawn, worlds.pictures)
