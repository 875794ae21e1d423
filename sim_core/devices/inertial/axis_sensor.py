"""What the sensors with three axes and a lookup table have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim_core.base.geometry import ZERO, Vec3
from sim_core.devices.base import DeviceContext, Reading, Sensor
from sim_core.devices.field_checks import resolution_of, rounded, total_deviation
from sim_core.devices.lookup_table import LookupTable
from sim_core.devices.noise import Noise
from sim_core.model.frames import own_sizes_of
from sim_core.scene import Node


@dataclass(frozen=True, slots=True)
class VectorReading(Reading):
    """A vector in the axes of the device; NaN on a disabled axis.

    Attributes:
        value: the vector.
        deviation: standard deviation of each component that the noise of the table, resolution and faults
            amount to.
    """

    value: Vec3
    deviation: Vec3 = ZERO


class AxisSensor(Sensor):
    """A sensor that measures a vector in its own axes.

    Each component goes through the lookup table, then is rounded to `resolution`; the components of `xAxis`,
    `yAxis`, `zAxis` that are FALSE are NaN. Axes keep their noise when another one is disabled.
    """

    live_fields = frozenset(("lookupTable", "resolution", "xAxis", "yAxis", "zAxis"))

    def __init__(self, node: Node, context: DeviceContext) -> None:
        super().__init__(node, context)
        self.frame = context.world.frame(node)
        self._seed = context.seed
        self.read_fields()

    def read_fields(self) -> None:
        """Read what may change while the sensor works."""
        node = self.node
        self._table = LookupTable(node)
        self._resolution = resolution_of(node)
        self._noise = Noise(self._seed) if self._table.has_noise else None
        self._enabled_axes = own_sizes_of(node, (node["xAxis"], node["yAxis"], node["zAxis"]))
        self._is_plain = self._table.is_empty and self._resolution is None and all(self._enabled_axes)

    def measure(self) -> Vec3:
        """The exact vector in the axes of the device."""
        raise TypeError(f"{type(self).__name__} does not say what it measures")

    def sample(self, time_ns: int) -> VectorReading:
        """One measurement."""
        exact = self.measure()
        if self._is_plain:
            return VectorReading(time_ns, exact)
        normals = self._noise.normals(time_ns, 3) if self._noise else (0.0, 0.0, 0.0)
        (x, dx), (y, dy), (z, dz) = (
            self._answer(value, normal) if enabled else (math.nan, 0.0)
            for value, normal, enabled in zip(exact, normals, self._enabled_axes, strict=True)
        )
        return VectorReading(time_ns, (x, y, z), (dx, dy, dz))

    def _answer(self, value: float, normal: float) -> tuple[float, float]:
        """The answer for one component, and its standard deviation."""
        output, noise = self._table.lookup(value)
        answer = rounded(output * (1.0 + noise * normal), self._resolution)
        return answer, total_deviation(abs(output) * noise, self._resolution)
