"""The random numbers of a device's faults: each a function of the seed and of sim time alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim_core.base.clock import to_nanoseconds
from sim_core.base.config import FaultConfig
from sim_core.devices.noise import Noise, device_seed
from sim_core.devices.random_walk import RandomWalk

NEVER = 1 << 62


class FaultDraws:
    """Errors, losses and the time of getting stuck, of one device.

    Each kind has a sequence of its own, so that setting one fault does not change the numbers of another.
    `nth` counts what happens at one sim time, from 0: the third command between two steps has its own
    numbers.

    Attributes:
        stuck_ns: sim time from which on the value stays; the exponentially distributed time of `stuck_rate`,
            or `stuck_at` if that is earlier.
    """

    def __init__(self, config: FaultConfig, seed: int, step_ns: int) -> None:
        self._config = config
        self._step_ns = step_ns
        self._drift = config.drift * math.sqrt(step_ns / 1e9)
        self._seed = seed
        self._gaussian = self._noise("gaussian") if config.gaussian else None
        self._losses = self._noise("dropout") if config.dropout else None
        self._walks: dict[int, RandomWalk] = {}
        self.stuck_ns = NEVER if config.stuck_at is None else to_nanoseconds(config.stuck_at)
        if config.stuck_rate > 0.0:
            seconds = -math.log1p(-_uniform(self._noise("stuck"), 0, 0)) / config.stuck_rate
            self.stuck_ns = min(self.stuck_ns, to_nanoseconds(min(seconds, NEVER / 1e9)))

    def errors(self, time_ns: int, count: int, walks: int, nth: int = 0) -> NDArray[np.float64]:
        """bias + gaussian·N(0, 1) + drift·W(t) for `count` numbers.

        Args:
            time_ns: sim time.
            count: how many numbers are disturbed, each with its own N(0, 1).
            walks: `count`: each number drifts by itself; 1: all drift alike.
            nth: see the class.
        """
        config = self._config
        total = np.full(count, config.bias)
        if self._gaussian is not None:
            total += config.gaussian * self._gaussian.normal_array(time_ns, count * (nth + 1))[-count:]
        if config.drift:
            walk = self._walks.get(walks)
            if walk is None:
                walk = self._walks[walks] = RandomWalk(device_seed(self._seed, "fault drift"), walks)
            total += self._drift * walk.at(time_ns // self._step_ns)
        return total

    def variance(self, time_ns: int) -> float:
        """Of the errors at a sim time: gaussian² + drift²·t; a bias has none."""
        config = self._config
        return config.gaussian**2 + config.drift**2 * time_ns / 1e9

    def is_lost(self, time_ns: int, nth: int = 0) -> bool:
        """Whether what happens at this sim time is lost."""
        return self._losses is not None and _uniform(self._losses, time_ns, nth) < self._config.dropout

    def _noise(self, effect: str) -> Noise:
        return Noise(device_seed(self._seed, f"fault {effect}"))


def _uniform(noise: Noise, time_ns: int, nth: int) -> float:
    """A number from [0, 1): the normal distribution function of a normal number."""
    normal = noise.normals(time_ns, nth + 1)[nth]
    return min(0.5 * math.erfc(-normal / math.sqrt(2.0)), 1.0 - 2.0**-53)
