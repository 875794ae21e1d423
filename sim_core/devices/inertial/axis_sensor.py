"""Base of sensors with three axes and a lookup table."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim_core.base.geometry import ZERO, Vec3
from sim_core.base.turns import inverse, permuted, turned
from sim_core.devices.base import DeviceContext
from sim_core.devices.field_checks import resolution_of, rounded, total_deviation
from sim_core.devices.lookup_table import LookupTable
from sim_core.devices.sensor import Reading, Sensor
from sim_core.model.device_spec import DeviceSpec


@dataclass(frozen=True, slots=True)
class VectorReading(Reading):
    """A vector in the axes of the device; NaN on a disabled axis, 0 in files of Webots 6.

    Attributes:
        value: the vector.
        deviation: standard deviation of each component by the noise of the table, resolution and faults.
    """

    value: Vec3
    deviation: Vec3 = ZERO


class AxisSensor(Sensor):
    """A sensor that measures a vector in its own axes.

    Each component goes through the lookup table, then is rounded to `resolution`, both in the axes of the
    file; the components of `xAxis`, `yAxis`, `zAxis` that are FALSE are NaN, in files of Webots 6 they are 0.
    Axes keep their noise when another one is disabled.
    """

    live_fields = frozenset(("lookupTable", "resolution", "xAxis", "yAxis", "zAxis"))

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self._seed = context.seed
        self.read_fields()

    def read_fields(self) -> None:
        """Read the live fields."""
        spec = self.spec
        self._table = LookupTable(spec)
        self._resolution = resolution_of(spec)
        self._noise = self._table.noise(self._seed)
        self._enabled_axes = (spec["xAxis"], spec["yAxis"], spec["zAxis"])
        self._disabled = 0.0 if spec.axes.is_v6 else math.nan
        self._is_plain = self._table.is_empty and self._resolution is None and all(self._enabled_axes)

    def measure(self) -> Vec3:
        """Return the exact vector in the axes of the device."""
        raise TypeError(f"{type(self).__name__} does not implement measure()")

    def sample(self, time_ns: int) -> VectorReading:
        """Measure the vector, with table, noise and resolution."""
        exact = self.measure()
        if self._is_plain:
            return VectorReading(time_ns, exact)
        normals = self._noise.normals(time_ns, 3) if self._noise else (0.0, 0.0, 0.0)
        own = self.spec.axes.own
        (x, dx), (y, dy), (z, dz) = map(self._answer, turned(inverse(own), exact), normals)
        value, deviation = turned(own, (x, y, z)), permuted(own, (dx, dy, dz))
        if not all(self._enabled_axes):
            value, deviation = self._masked(value, self._disabled), self._masked(deviation, 0.0)
        return VectorReading(time_ns, value, deviation)

    def _masked(self, vector: Vec3, disabled: float) -> Vec3:
        x, y, z = self._enabled_axes
        return (
            vector[0] if x else disabled,
            vector[1] if y else disabled,
            vector[2] if z else disabled,
        )

    def _answer(self, value: float, normal: float) -> tuple[float, float]:
        """Return the output for one component, and its standard deviation."""
        output, noise = self._table.lookup(value)
        answer = rounded(output * (1.0 + noise * normal), self._resolution)
        return answer, total_deviation(abs(output) * noise, self._resolution)
