"""Seeded noise that depends on nothing but the seed and the sim time.

A sample's noise is the same whether or not earlier samples were made, in any process, before and after a
reset or a return to a snapshot. A subscriber that comes or goes changes no sequence.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import NDArray

NEGLIGIBLE = 2.0**-60


def device_seed(simulation_seed: int, device_path: str, noise_seed: int | None = None) -> int:
    """Seed of a device's noise, the same in every process.

    Args:
        simulation_seed: seed of the whole simulation.
        device_path: path of the device's node, so that each device has its own noise.
        noise_seed: the device's own seed, if one was set; then it alone counts.

    Returns:
        An int of 64 bits.
    """
    text = f"{simulation_seed}\0{device_path}" if noise_seed is None else f"{noise_seed}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class Noise:
    """Normally distributed numbers, mean 0 and standard deviation 1.

    The counter-based generator Philox is keyed with the seed and the sim time of each sample; setting the key
    costs about 4 µs. Make one only where noise is asked for.
    """

    def __init__(self, seed: int) -> None:
        self._bits = Philox(key=np.array([seed % 2**64, 0], np.uint64))
        self._generator = Generator(self._bits)
        self._state = self._bits.state
        self._last: tuple[int, float, int, list[float]] | None = None

    def normals(self, time_ns: int, count: int = 1) -> list[float]:
        """The `count` numbers of this sim time, in nanoseconds; the first ones do not depend on `count`."""
        return self.normal_array(time_ns, count).tolist()

    def normal_array(self, time_ns: int, count: int) -> NDArray[np.float64]:
        """The numbers of `normals` as an array of shape (count,), for sensors that need many."""
        state = self._state
        state["state"]["key"][1] = time_ns
        self._bits.state = state
        return self._generator.standard_normal(count)

    def correlated(self, time_ns: int, period_ns: int, ratio: float, count: int = 1) -> list[float]:
        """Gauss-Markov noise: n(t) = ratio·n(t - period) + √(1 - ratio²)·w(t), with w from `normals`.

        It starts with n = w at the first multiple of the period. Samples that were not asked for are made up
        for, as far back as they count.

        Args:
            time_ns: sim time of the sample.
            period_ns: sampling period.
            ratio: correlation of two samples one period apart, in [0, 1].
            count: numbers per sample.
        """
        steps = (time_ns - 1) // period_ns  # since the first sample
        key = (period_ns, ratio, count)
        if ratio >= 1.0:
            return self.normals(time_ns - steps * period_ns, count)
        if ratio > 0.0:
            steps = min(steps, math.ceil(math.log(NEGLIGIBLE) / math.log(ratio)))
        else:
            steps = 0
        start = time_ns - steps * period_ns
        values: list[float] | None = None
        if self._last is not None and self._last[1:3] == (ratio, period_ns):
            last_time, _, _, last_values = self._last
            on_grid = (time_ns - last_time) % period_ns == 0
            if len(last_values) == key[2] and on_grid and start <= last_time <= time_ns:
                start, values = last_time, last_values
        if values is None:
            values = self.normals(start, count)
        rest = math.sqrt(1.0 - ratio * ratio)
        for time in range(start + period_ns, time_ns + 1, period_ns):
            fresh = self.normals(time, count)
            values = [ratio * old + rest * new for old, new in zip(values, fresh, strict=True)]
        self._last = (time_ns, ratio, period_ns, values)
        return values
