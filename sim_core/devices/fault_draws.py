"""Random numbers for a device's faults, including random walks: functions of the seed and sim time alone."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.clock import to_nanoseconds
from sim_core.base.config import FaultConfig
from sim_core.devices.noise import Noise, device_seed

NEVER = 1 << 62


class FaultDraws:
    """Random errors, losses and time of getting stuck of one device.

    Each kind of fault has its own sequence, so that setting one fault does not change the numbers of another.
    `nth` counts events at the same sim time, from 0: the third command between two steps has its own numbers.

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

    def errors(self, time_ns: int, count: int, walks: int, nth: int = 0) -> FloatArray:
        """Return bias + gaussian·N(0, 1) + drift·W(t) for `count` numbers.

        Args:
            time_ns: sim time.
            count: how many numbers are disturbed, each with its own N(0, 1).
            walks: `count`: each number drifts by itself; 1: all drift alike.
            nth: number of the event at this sim time, see the class.

        Returns:
            Shape (count,).
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
        """Return the variance of the errors at a sim time: gaussian² + drift²·t; a bias adds none."""
        config = self._config
        return config.gaussian**2 + config.drift**2 * time_ns / 1e9

    def is_lost(self, time_ns: int, nth: int = 0) -> bool:
        """Return True if the event at this sim time is lost."""
        return self._losses is not None and _uniform(self._losses, time_ns, nth) < self._config.dropout

    def _noise(self, effect: str) -> Noise:
        return Noise(device_seed(self._seed, f"fault {effect}"))


def _uniform(noise: Noise, time_ns: int, nth: int) -> float:
    """Return a number from [0, 1): the normal distribution function of a normal number."""
    normal = noise.normals(time_ns, nth + 1)[nth]
    return min(0.5 * math.erfc(-normal / math.sqrt(2.0)), 1.0 - 2.0**-53)


LEVELS = 40
"""Indices below 2^40 are possible: 34 years of milliseconds."""


class RandomWalk:
    """Brownian motion W at the indices n = 0, 1, 2…: W(0) = 0, W(n) - W(m) is N(0, n - m).

    It is computed by Lévy's midpoint displacement: between two known values at a distance L, the middle is
    N(mean of the two, L/4). So W(n) takes at most 40 numbers, each a function of the seed and of its index
    alone: which indices were requested before makes no difference. Neighbours share most of the path, so that
    a walk evaluated step by step takes about two numbers a step.
    """

    def __init__(self, seed: int, components: int = 1) -> None:
        """Prepare `components` independent walks."""
        self._noise = Noise(seed)
        self._components = components
        top = 1 << LEVELS
        end = math.sqrt(top) * self._noise.normal_array(top, components)
        self._intervals = [(0, top, np.zeros(components), end)]

    def at(self, index: int) -> FloatArray:
        """Return W(index), shape (components,)."""
        intervals = self._intervals
        while not intervals[-1][0] <= index <= intervals[-1][1]:
            intervals.pop()  # the first interval contains every index
        low, high, at_low, at_high = intervals[-1]
        while index not in (low, high):
            middle = (low + high) // 2
            fresh = self._noise.normal_array(middle, self._components)
            at_middle = (at_low + at_high) / 2.0 + math.sqrt(high - low) / 2.0 * fresh
            if index < middle:
                high, at_high = middle, at_middle
            else:
                low, at_low = middle, at_middle
            intervals.append((low, high, at_low, at_high))
        return at_low if index == low else at_high
