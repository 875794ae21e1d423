"""Seeded noise that depends on the seed and the sim time alone.

A sample's noise is the same whether or not earlier samples were made, in any process, before and after a
reset or a return to a snapshot. Adding or removing a subscriber changes no sequence.
"""

from __future__ import annotations

import hashlib
import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, Philox

from sim_core.base.arrays import FloatArray

NEGLIGIBLE = 2.0**-60


def device_seed(simulation_seed: int, device_path: str, noise_seed: int | None = None) -> int:
    """Return the seed of a device's noise, the same in every process.

    Args:
        simulation_seed: seed of the whole simulation.
        device_path: path of the device's node, so that each device has its own noise.
        noise_seed: the device's own seed; if set, it replaces the other two.

    Returns:
        An int of 64 bits.
    """
    text = f"{simulation_seed}\0{device_path}" if noise_seed is None else f"{noise_seed}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class Noise:
    """Normally distributed numbers with mean 0 and standard deviation 1.

    The counter-based generator Philox is keyed with the seed and the sim time of each sample; setting the key
    costs about 4 µs. Make one only where noise is needed. With a `limit`, numbers are clamped to ±limit.
    """

    def __init__(self, seed: int, limit: float = math.inf) -> None:
        self._limit = limit
        self._bits = Philox(key=np.array([seed % 2**64, 0], np.uint64))
        self._generator = Generator(self._bits)
        self._state = self._bits.state
        self._chain: _Chain | None = None

    def normals(self, time_ns: int, count: int = 1) -> list[float]:
        """Return `count` numbers for this sim time in nanoseconds; the first ones do not depend on
        `count`."""
        return self.normal_array(time_ns, count).tolist()

    def normal_array(self, time_ns: int, count: int) -> FloatArray:
        """Return the numbers of `normals` as an array of shape (count,), for sensors that need many."""
        state = self._state
        state["state"]["key"][1] = time_ns
        self._bits.state = state
        drawn = self._generator.standard_normal(count)
        return drawn if self._limit == math.inf else drawn.clip(-self._limit, self._limit)

    def correlated(self, time_ns: int, period_ns: int, ratio: float, count: int = 1) -> list[float]:
        """Return Gauss-Markov noise: n(t) = ratio·n(t - period) + √(1 - ratio²)·w(t), with w from
        `normals`.

        It starts with n = w at the first multiple of the period. Samples that were skipped are computed as
        far back as they matter: from the start of the block before that of the sample. A block is so long
        that values before it have no influence. So the result is the same to the last bit, whenever it is
        requested.

        Args:
            time_ns: sim time of the sample.
            period_ns: sampling period.
            ratio: correlation of two samples one period apart, in [0, 1].
            count: numbers per sample.
        """
        last = (time_ns - 1) // period_ns  # index of the sample
        first_ns = time_ns - last * period_ns
        if ratio >= 1.0:
            return self.normals(first_ns, count)
        if ratio <= 0.0:
            return self.normals(time_ns, count)
        block = math.ceil(math.log(NEGLIGIBLE) / math.log(ratio))
        start = max(0, last // block - 1) * block
        chain = self._chain
        if chain is None or chain.key != (first_ns, period_ns, ratio, count) or not start <= chain.at <= last:
            chain = _Chain(
                (first_ns, period_ns, ratio, count), start, self.normals(first_ns + start * period_ns, count)
            )
        rest = math.sqrt(1.0 - ratio * ratio)
        values, following = chain.values, chain.following
        for index in range(chain.at + 1, last + 1):
            fresh = self.normals(first_ns + index * period_ns, count)
            values = _mixed(ratio, values, rest, fresh)
            if following is not None:
                following = _mixed(ratio, following, rest, fresh)
            if index % block == 0:
                values, following = following or values, fresh
        self._chain = _Chain(chain.key, last, values, following)
        return values


class _Chain(NamedTuple):
    """Correlated noise up to a sample.

    Attributes:
        key: first sim time, period, ratio and count of the request.
        at: index of the sample.
        values: its noise, started at the block before.
        following: the same started at this block, from which the next block continues.
    """

    key: tuple[int, int, float, int]
    at: int
    values: list[float]
    following: list[float] | None = None


def _mixed(ratio: float, old: list[float], rest: float, fresh: list[float]) -> list[float]:
    return [ratio * one + rest * new for one, new in zip(old, fresh, strict=True)]
