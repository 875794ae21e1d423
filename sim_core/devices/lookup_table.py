"""The `lookupTable` field: maps measured values to the device's output, with noise."""

from __future__ import annotations

import math
from bisect import bisect_right

from sim_core.devices.field_checks import field_error
from sim_core.devices.noise import Noise
from sim_core.model.device_spec import NodeSpec

LIMIT = 3.0
"""Limit of noise in files of Webots 6, in standard deviations."""


class LookupTable:
    """Rows `[input, output, noise]`; output and noise are interpolated linearly between rows.

    Beyond its ends the first or the last row holds. The result is `output·(1 + noise·N(0, 1))`: noise is a
    standard deviation relative to the output. An empty table returns its input. Two rows of equal input make
    a step, at which the second one holds. (Webots reference, DistanceSensor.)

    In files of Webots 6, noise is a limit that no result exceeds: 1000 with 0.1 gives 900 to 1100. There the
    standard deviation is a third of it, and results are clamped to the limit.

    Attributes:
        rows: input, output and relative standard deviation.
        is_empty: the table has no rows.
        has_noise: some row has noise.
        last_input: the largest input; inf for an empty table.
    """

    def __init__(self, spec: NodeSpec, field: str = "lookupTable") -> None:
        """Read the table of a device.

        Raises:
            DeviceError: inputs not in increasing order, negative noise, or a number that is not finite.
        """
        rows: tuple[tuple[float, float, float], ...] = spec[field]
        for index, row in enumerate(rows):
            where = f"{field}[{index}]"
            if not all(map(math.isfinite, row)):
                raise field_error(spec, where, row, "finite numbers")
            if row[2] < 0.0:
                raise field_error(spec, where, f"noise {row[2]:g}", "a relative deviation of 0 or more")
            if index and row[0] < rows[index - 1][0]:
                expected = f"inputs in increasing order (the one before is {rows[index - 1][0]:g})"
                raise field_error(spec, where, f"input {row[0]:g}", expected)
        self._is_limited = spec.axes.is_v6
        if self._is_limited:
            rows = tuple([(value, answer, noise / LIMIT) for value, answer, noise in rows])
        self.rows = rows
        self._inputs = [row[0] for row in rows]
        self._outputs = [row[1] for row in rows]
        self._noises = [row[2] for row in rows]
        self.is_empty = not rows
        self.has_noise = any(self._noises)
        self.last_input = self._inputs[-1] if rows else math.inf

    def noise(self, seed: int) -> Noise | None:
        """Return the source of the normal numbers for `answer`; None: the table has no noise."""
        return Noise(seed, LIMIT if self._is_limited else math.inf) if self.has_noise else None

    def lookup(self, value: float) -> tuple[float, float]:
        """Return output and relative standard deviation for an input."""
        if self.is_empty:
            return value, 0.0
        inputs = self._inputs
        above = bisect_right(inputs, value)
        if above == 0:
            return self._outputs[0], self._noises[0]
        if above == len(inputs):
            return self._outputs[-1], self._noises[-1]
        low = above - 1
        part = (value - inputs[low]) / (inputs[above] - inputs[low])
        output, noise = self._outputs[low], self._noises[low]
        return output + part * (self._outputs[above] - output), noise + part * (self._noises[above] - noise)

    def answer(self, value: float, normal: float = 0.0) -> float:
        """Return the device's output for an input, given a number from N(0, 1)."""
        output, noise = self.lookup(value)
        return output * (1.0 + noise * normal)
