"""A random walk that can be asked for at any time, in any order, and answers the same."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim_core.devices.noise import Noise

LEVELS = 40
"""Indices below 2^40 can be asked for: 34 years of milliseconds."""


class RandomWalk:
    """Brownian motion W at the indices n = 0, 1, 2…: W(0) = 0, W(n) - W(m) is N(0, n - m).

    It is built by Lévy's midpoint displacement: between two known values at a distance L, the middle is
    N(mean of the two, L/4). So W(n) takes at most 40 numbers, each a function of the seed and of the index it
    belongs to alone: it does not matter which indices were asked for before. Neighbours share most of the
    way, so that a walk asked for step by step takes about two numbers a step.
    """

    def __init__(self, seed: int, components: int = 1) -> None:
        """`components` walks that are independent of each other."""
        self._noise = Noise(seed)
        self._components = components
        top = 1 << LEVELS
        end = math.sqrt(top) * self._noise.normal_array(top, components)
        self._way = [(0, top, np.zeros(components), end)]

    def at(self, index: int) -> NDArray[np.float64]:
        """W(index), shape (components,)."""
        way = self._way
        while not way[-1][0] <= index <= way[-1][1]:
            way.pop()  # the first one holds every index
        low, high, at_low, at_high = way[-1]
        while index not in (low, high):
            middle = (low + high) // 2
            fresh = self._noise.normal_array(middle, self._components)
            at_middle = (at_low + at_high) / 2.0 + math.sqrt(high - low) / 2.0 * fresh
            if index < middle:
                high, at_high = middle, at_middle
            else:
                low, at_low = middle, at_middle
            way.append((low, high, at_low, at_high))
        return at_low if index == low else at_high
