"""What is asked of robots in a world, for any number of copies of it at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from gymnasium.spaces import Box
from numpy.random import Generator

from sim_core.base.arrays import BoolArray, Float32Array, FloatArray
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError


class PlanarPose(NamedTuple):
    """Where something stands upright: m, and the heading of its x axis in rad, counter-clockwise."""

    x: float
    y: float
    heading: float = 0.0


class Start(NamedTuple):
    """How an episode begins.

    Attributes:
        places: of robots by name, or of nodes by DEF name; what is not named stands as in the file.
        drawn: numbers that the task remembers through the episode, such as a goal.
    """

    places: Mapping[str, PlanarPose] = {}
    drawn: Sequence[float] = ()


class Seen(NamedTuple):
    """What a task sees of n copies of its world.

    Attributes:
        readings: (n, r) of `Task.observations`, one after another, within the limits of their nodes.
        poses: (n, b, 4) of `Task.bodies`: x, y in m, and x, y of their x axes, of length 1 if they are level.
        before: (n, b, 4) the same at the end of the step before, or at the start.
        action: (n, a) the last one; zeros at the start.
        drawn: (n, m) of `Start.drawn`.
    """

    readings: Float32Array
    poses: FloatArray
    before: FloatArray
    action: Float32Array
    drawn: FloatArray


class Judged(NamedTuple):
    """What a step was worth: (n,) the reward, whether the episode is over by itself, whether it is won."""

    reward: FloatArray
    ended: BoolArray
    won: BoolArray


@dataclass(frozen=True)
class WorldSetup:
    """Which world is stepped, and what is read and told in it.

    Attributes:
        world: a world file, or the name of a shipped one.
        observations, actions: as of `OdesimEnv`; no pictures.
        bodies: robots by name, or nodes by DEF name, whose poses are read.
        robot: that names without a robot's name speak of; None: the first one.
        period: s of sim time for a step, a multiple of the basic time step; 0: each of these; None: the
            multiple nearest to 0.1 s.
        config: settings of the simulation.
        new_seeds: each episode has a seed of its own for the noise of devices and the solver of ODE, for
            which all devices are made anew; False: that of the configuration, and it begins much faster.
    """

    world: str | Path
    observations: Sequence[str]
    actions: Sequence[str]
    bodies: Sequence[str] = ()
    robot: str | None = None
    period: float | None = None
    config: SimulationConfig = field(default_factory=SimulationConfig)
    new_seeds: bool = True


class Task:
    """A task: override what differs.

    Its functions get arrays with a row for each copy of the world and must treat each row by itself. With
    + - * / and the square root, and NumPy's functions that choose, a copy then gets the same number, to the
    bit, in whatever company (sines, logarithms and matrix products may not give that).

    Attributes:
        world: what is stepped.
        duration: s of sim time after which an episode is truncated; None: no limit.
    """

    def __init__(self, world: WorldSetup, duration: float | None = None) -> None:
        if duration is not None and not 0.0 < duration < 1e9:
            raise ConfigError(f"duration: found {duration}, expected seconds above 0")
        self.world = world
        self.duration = duration

    def spaces(self, readings: Box, commands: Box) -> tuple[Box, Box]:
        """Of observation and action of one copy; here those of the devices, in their units."""
        return readings, commands

    def start(self, random: Generator) -> Start:
        """How an episode begins, drawn from the generator of one copy."""
        return Start()

    def command(self, action: Float32Array) -> Float32Array:
        """(n, c) what `WorldSetup.actions` are told, in their units, for an action (n, a)."""
        return action

    def observe(self, seen: Seen) -> Float32Array:
        """(n, k) the observation; nothing in `seen` may be changed."""
        return seen.readings.copy()

    def judge(self, seen: Seen) -> Judged:
        """What the step that led to this was worth."""
        count = len(seen.readings)
        never = np.zeros(count, np.bool_)
        return Judged(np.zeros(count), never, never)


class FunctionTask(Task):
    """A task made of functions: of `Seen`, with a row for each copy, and of a generator."""

    def __init__(
        self,
        world: WorldSetup,
        duration: float | None,
        reward: Callable[[Seen], FloatArray] | None,
        terminated: Callable[[Seen], BoolArray] | None,
        at_reset: Callable[[Generator], Mapping[str, PlanarPose] | Start] | None,
    ) -> None:
        super().__init__(world, duration)
        self._reward, self._terminated, self._at_reset = reward, terminated, at_reset

    def start(self, random: Generator) -> Start:
        """As the function says."""
        found = self._at_reset(random) if self._at_reset is not None else Start()
        return found if isinstance(found, Start) else Start(found)

    def judge(self, seen: Seen) -> Judged:
        """As the functions say."""
        nothing = super().judge(seen)
        reward = nothing.reward if self._reward is None else np.asarray(self._reward(seen), float)
        ended = nothing.ended if self._terminated is None else np.asarray(self._terminated(seen), np.bool_)
        for name, found in (("reward", reward), ("terminated", ended)):
            if found.shape != nothing.ended.shape:
                raise ConfigError(
                    f"{name}: found an array of shape {found.shape}, expected {nothing.ended.shape}, "
                    "a number for each copy of the world"
                )
        return Judged(reward, ended, nothing.won)
