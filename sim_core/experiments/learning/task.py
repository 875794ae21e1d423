"""Learning tasks for robots in a world, evaluated for any number of copies of it at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box
from numpy.random import Generator
from numpy.typing import NDArray

from sim_core.base.arrays import BoolArray, Float32Array, FloatArray
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError


class PlanarPose(NamedTuple):
    """Pose of an upright object: m, and the heading of its x axis in rad, counter-clockwise."""

    x: float
    y: float
    heading: float = 0.0


class Start(NamedTuple):
    """Start of an episode.

    Attributes:
        places: poses of robots by name, or of nodes by DEF name; others start as in the file.
        drawn: numbers that are stored for the episode, such as a goal.
    """

    places: Mapping[str, PlanarPose] = {}
    drawn: Sequence[float] = ()


class Seen(NamedTuple):
    """State of n copies of the world of a task.

    Attributes:
        readings: (n, r) readings of `WorldSetup.observations` except pictures, concatenated, within the
            limits of their nodes.
        poses: (n, b, 4) of `WorldSetup.bodies`: x, y in m, and x, y of their x axes, of length 1 if level.
        before: (n, b, 4) the same at the end of the step before, or at the start.
        action: (n, a) the last action; zeros at the start.
        drawn: (n, m) values of `Start.drawn`.
        pictures: (n, height, width, 3) uint8 of each observed Camera: red, green, blue; (n, height, width)
            float32 of each RangeFinder, m, in the order of `WorldSetup.observations`.
    """

    readings: Float32Array
    poses: FloatArray
    before: FloatArray
    action: Float32Array
    drawn: FloatArray
    pictures: tuple[NDArray[Any], ...] = ()


class Judged(NamedTuple):
    """Evaluation of a step: (n,) reward, whether the episode has ended by itself, whether it is won."""

    reward: FloatArray
    ended: BoolArray
    won: BoolArray


@dataclass(frozen=True)
class WorldSetup:
    """A world with its observed and commanded devices.

    Attributes:
        world: a world file, or the name of a shipped one.
        observations, actions: as in `OdesimEnv`.
        bodies: robots by name, or nodes by DEF name, whose poses are read.
        robot: robot of names without a robot's name; None: the first one.
        period: s of sim time of a step, a multiple of the basic time step; 0: one basic time step; None: the
            multiple nearest to 0.1 s.
        config: settings of the simulation.
        new_seeds: each episode has its own seed for the noise of devices and the solver of ODE, for
            which all devices are made again; False: the seed of the configuration, with a faster start.
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
    """A task; derived classes override what differs.

    Its functions get arrays with a row for each copy of the world and must treat rows independently. With
    + - * /, the square root and NumPy's selections, a copy then gets the same number, to the
    bit, whatever the other rows are (not so with sines, logarithms and matrix products).

    Attributes:
        world: world that is simulated.
        duration: s of sim time after which an episode is truncated; None: no limit.
    """

    def __init__(self, world: WorldSetup, duration: float | None = None) -> None:
        if duration is not None and not 0.0 < duration < 1e9:
            raise ConfigError(f"duration: found {duration}, expected seconds above 0")
        self.world = world
        self.duration = duration

    def spaces(self, readings: Box, commands: Box) -> tuple[Box, Box]:
        """Return the spaces of observation and action of one copy; by default those of the devices, in
        their units."""
        return readings, commands

    def start(self, random: Generator) -> Start:
        """Return the start of an episode, drawn from the generator of one copy."""
        return Start()

    def command(self, action: Float32Array) -> Float32Array:
        """Return the (n, c) commands for `WorldSetup.actions`, in their units, for an action (n, a)."""
        return action

    def observe(self, seen: Seen) -> Float32Array:
        """Return the (n, k) observation, to which pictures are added; `seen` must not be changed."""
        return seen.readings.copy()

    def judge(self, seen: Seen) -> Judged:
        """Evaluate the step that led to this state."""
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

    @property
    def is_plain(self) -> bool:
        """Whether it has no functions."""
        return self._reward is self._terminated is self._at_reset is None

    def start(self, random: Generator) -> Start:
        """Return the start that the function returns."""
        found = self._at_reset(random) if self._at_reset is not None else Start()
        return found if isinstance(found, Start) else Start(found)

    def judge(self, seen: Seen) -> Judged:
        """Return the results of the functions."""
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
