"""Interface and simple implementation of copies of a world, which are rows of arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from gymnasium.spaces import Box

from sim_core.base.arrays import Float32Array, FloatArray, IntArray
from sim_core.base.errors import ConfigError
from sim_core.experiments.learning.task import Start, WorldSetup
from sim_core.experiments.learning.world_copy import WorldCopy


class Worlds(Protocol):
    """Copies of a world; each develops as it would alone, to the bit.

    Attributes:
        readings: (n, r) present readings.
        poses: (n, b, 4) present poses, see `Seen`.
        read_space, command_space: spaces of one row of readings and of commands.
        seconds: sim time of a step in s.
    """

    readings: Float32Array
    poses: FloatArray
    read_space: Box
    command_space: Box
    seconds: float

    def begin(self, rows: IntArray, seeds: Sequence[int | None], starts: Sequence[Start]) -> None:
        """Begin episodes in some copies, with the seeds of their simulations; None: the same seed as
        before."""

    def step(self, rows: IntArray, commands: Float32Array) -> None:
        """Command some copies, each by its row of (n, c), and simulate one period of them."""

    def close(self) -> None:
        """End the copies; may be called twice."""


class SimulatedWorlds:
    """Simulations in this process, one after another; implements `Worlds`."""

    def __init__(self, spec: WorldSetup, count: int) -> None:
        """Load the world `count` times.

        Raises:
            OdesimError: as `WorldCopy`.
        """
        if count < 1:
            raise ConfigError(f"num_envs: found {count}, expected 1 or more")
        self.all = [WorldCopy(spec) for _ in range(count)]
        first = self.all[0]
        self.read_space, self.command_space = first.read_space, first.command_space
        self.seconds = first.seconds
        self.readings: Float32Array = np.zeros((count, math.prod(first.read_space.shape)), np.float32)
        self.poses: FloatArray = np.zeros((count, len(spec.bodies), 4))

    def begin(self, rows: IntArray, seeds: Sequence[int | None], starts: Sequence[Start]) -> None:
        """See `Worlds.begin`."""
        for row, seed, start in zip(rows.tolist(), seeds, starts, strict=True):
            self.all[row].begin(seed, start.places)
            self._update_state(row)

    def step(self, rows: IntArray, commands: Float32Array) -> None:
        """See `Worlds.step`."""
        for row in rows.tolist():
            self.all[row].step(commands[row])
            self._update_state(row)

    def close(self) -> None:
        """See `Worlds.close`."""
        for world in self.all:
            world.close()

    def _update_state(self, row: int) -> None:
        world = self.all[row]
        self.readings[row] = world.latest_readings()
        if self.poses.shape[1]:
            self.poses[row] = world.poses()
