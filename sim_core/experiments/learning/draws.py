"""Random numbers for compiled code: the same as of NumPy's `default_rng`, also on graphics cards.

A generator is a row of six numbers of 64 bits: the state of NumPy's PCG64 (variant XSL-RR 128/64) and its
increment, each as high and low half; whether half of a drawn number is kept, and that half.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sim_core.base.compiled import compiled

WIDTH = 6
"""Number of numbers of a generator."""

_HIGH, _LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)
"""The multiplier of PCG64."""
_HALF = np.uint64(0xFFFFFFFF)
_0, _1, _11, _32, _58, _63, _64 = (np.uint64(bits) for bits in (0, 1, 11, 32, 58, 63, 64))
_UNIT = 2.0**-53

_inline = compiled()


def to_row(random: Generator, row: NDArray[np.uint64]) -> None:
    """Copy the state of a NumPy generator of kind PCG64 to a row."""
    state: Any = random.bit_generator.state
    for index, value in enumerate((state["state"]["state"], state["state"]["inc"])):
        row[2 * index], row[2 * index + 1] = value >> 64, value & (2**64 - 1)
    row[4], row[5] = state["has_uint32"], state["uinteger"]


def from_row(row: NDArray[np.uint64], random: Generator) -> None:
    """Copy the state of a row to a NumPy generator of kind PCG64."""
    high, low, inc_high, inc_low, is_kept, kept = row.tolist()
    random.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": high << 64 | low, "inc": inc_high << 64 | inc_low},
        "has_uint32": is_kept,
        "uinteger": kept,
    }


@_inline
def _high_product(a, b):  # type: ignore[no-untyped-def]
    """Return the high 64 bits of the product of two numbers of 64 bits."""
    a0, a1, b0, b1 = a & _HALF, a >> _32, b & _HALF, b >> _32
    middle = a1 * b0 + ((a0 * b0) >> _32)
    other = a0 * b1 + (middle & _HALF)
    return a1 * b1 + (middle >> _32) + (other >> _32)


@_inline
def next_bits(random):  # type: ignore[no-untyped-def]
    """Return the next 64 bits of a generator."""
    high, low = random[0], random[1]
    product = low * _LOW
    high = _high_product(low, _LOW) + high * _LOW + low * _HIGH
    low = product + random[3]
    carry = _1 if low < product else _0
    high = high + random[2] + carry
    random[0], random[1] = high, low
    mixed, turn = high ^ low, high >> _58
    return (mixed >> turn) | (mixed << ((_64 - turn) & _63))


@_inline
def seed_below_2_31(random):  # type: ignore[no-untyped-def]
    """Return the same as `Generator.integers(2**31)`: the upper 31 of 32 bits, two of which are drawn at
    once."""
    if random[4] != _0:
        random[4] = _0
        return np.int64(random[5] >> _1)
    drawn = next_bits(random)
    random[4], random[5] = _1, drawn >> _32
    return np.int64((drawn & _HALF) >> _1)


@_inline
def uniform(random, low, high):  # type: ignore[no-untyped-def]
    """Return the same as `Generator.uniform(low, high)`."""
    return low + (high - low) * (np.float64(next_bits(random) >> _11) * _UNIT)
