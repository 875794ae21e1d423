"""Base class of the tasks of robots with two wheels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box

from sim_core.base.arrays import Float32Array, FloatArray
from sim_core.base.compiled import compiled
from sim_core.base.config import SimulationConfig
from sim_core.experiments.learning.task import Task, WorldSetup

STIFF = SimulationConfig(contacts="stiff")
PLANE = SimulationConfig(physics="fast2d", contacts="stiff")


class CartTask(Task, ABC):
    """A task with an observation of `size` numbers and an action of two, all from -1 to 1.

    The action is a forward speed a and a counter-clockwise rotational speed b: the wheels get
    `forward`·a ∓ `turn`·b rad/s.

    Attributes:
        forward, turn: wheel speeds in rad/s for an action of 1.
        robots: number of driven robots; the action contains theirs one after another.
    """

    forward: ClassVar[float] = 10.0
    turn: ClassVar[float] = 5.0
    robots: ClassVar[int] = 1
    size: ClassVar[int]

    def __init__(
        self,
        world: str,
        observations: Sequence[str],
        bodies: Sequence[str],
        config: SimulationConfig,
        duration: float,
        period: float,
        actions: Sequence[str] = ("motor_left", "motor_right"),
        robot: str | None = None,
    ) -> None:
        """Create the task in a world of odesim; nothing in it is noisy, so all episodes may have one seed."""
        setup = WorldSetup(world, observations, actions, bodies, robot, period, config, new_seeds=False)
        super().__init__(setup, duration)

    def spaces(self, readings: Box, commands: Box) -> tuple[Box, Box]:
        """Return normalised spaces."""
        return Box(-1.0, 1.0, (self.size,), np.float32), Box(-1.0, 1.0, (2 * self.robots,), np.float32)

    def command(self, action: Float32Array) -> Float32Array:
        """Return the speeds of the left and the right wheel of each robot."""
        ahead, turned = self.forward * action[:, 0::2], self.turn * action[:, 1::2]
        speeds = np.stack([ahead - turned, ahead + turned], axis=2)
        return speeds.reshape(len(action), -1)

    @abstractmethod
    def baseline(self, observation: Float32Array) -> Float32Array:
        """Return the (n, a) action of a simple controller for observations (n, k)."""


# Rules of compiled tasks (see `compiled_task.py`), and what they have in common.


def wheel_speeds(forward: float, turn: float) -> Any:
    """Return the rule for the commands of one robot, as `CartTask.command`."""

    @compiled()
    def command(first, end, action, commands):  # type: ignore[no-untyped-def]
        for row in range(first, end):
            ahead, turned = forward * action[row, 0], turn * action[row, 1]
            commands[row, 0], commands[row, 1] = ahead - turned, ahead + turned

    return command


@compiled()
def point_from(pose, x, y):  # type: ignore[no-untyped-def]
    """Return `seen_from` for one robot."""
    dx, dy = x - pose[0], y - pose[1]
    return dx * pose[2] + dy * pose[3], dy * pose[2] - dx * pose[3]


@compiled()
def forward_way(before, now):  # type: ignore[no-untyped-def]
    """Return the distance in m driven forward between two poses (4,)."""
    return (now[0] - before[0]) * now[2] + (now[1] - before[1]) * now[3]


@compiled()
def clipped(value):  # type: ignore[no-untyped-def]
    """Return a value limited to ±1."""
    return min(max(value, -1.0), 1.0)


@compiled()
def lowest(values):  # type: ignore[no-untyped-def]
    """Return the lowest of some values."""
    found = values[0]
    for index in range(1, len(values)):
        found = min(found, values[index])
    return found


def seen_from(
    pose: FloatArray, x: FloatArray | float, y: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Return the (n,) positions of points in m forward and to the left of robots at poses (n, 4)."""
    dx, dy = x - pose[:, 0], y - pose[:, 1]
    return dx * pose[:, 2] + dy * pose[:, 3], dy * pose[:, 2] - dx * pose[:, 3]


def distance(dx: FloatArray, dy: FloatArray) -> FloatArray:
    """Return (n,) lengths; to the bit independent of other rows."""
    length: FloatArray = np.sqrt(dx * dx + dy * dy)
    return length


def forward_distance(before: FloatArray, now: FloatArray) -> FloatArray:
    """Return the (n,) distances in m driven forward between two poses (n, 4)."""
    return (now[:, 0] - before[:, 0]) * now[:, 2] + (now[:, 1] - before[:, 1]) * now[:, 3]


def packed(*columns: FloatArray | Float32Array) -> Float32Array:
    """Return an (n, k) observation of columns (n,), each limited to ±1."""
    return np.clip(np.stack(columns, axis=1), -1.0, 1.0).astype(np.float32)


def steer(ahead: FloatArray, left: FloatArray, gain: float = 2.0) -> Float32Array:
    """Return the (n, 2) action that drives to points ahead and to the left: rotation on the spot if they
    lie behind."""
    length = np.maximum(distance(ahead, left), 1e-9)
    side = np.where(ahead > 0.0, np.clip(gain * left / length, -1.0, 1.0), np.where(left >= 0.0, 1.0, -1.0))
    return packed(np.maximum(ahead / length, 0.0), side)
