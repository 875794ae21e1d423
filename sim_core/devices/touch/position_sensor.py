"""PositionSensor: position of a joint."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import Channel, declare
from sim_core.devices.field_checks import noise_of, resolution_of, rounded, total_deviation
from sim_core.devices.motors.motor_fields import axis_of
from sim_core.devices.noise import Noise
from sim_core.devices.sensor import Reading, Sensor
from sim_core.model.device_spec import DeviceSpec


@dataclass(frozen=True, slots=True)
class PositionReading(Reading):
    """A joint position in rad, or in m for a sliding axis.

    Attributes:
        value: the position.
        deviation: standard deviation of the value by noise, resolution and faults.
    """

    value: float
    deviation: float = 0.0


class PositionSensor(Sensor):
    """Joint position plus N(0, `noise`) in rad or m, rounded to `resolution`; angles do not wrap.

    Attributes:
        axis: axis of the joint.
        place: record of the same axis in the model.
        is_exact: it has neither noise, nor resolution, nor faults.
    """

    channels = declare(value=Channel("rad or m"))

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        """Make the device.

        Raises:
            DeviceError: it is not in a `device` field of a joint, or noise or resolution is not possible.
        """
        super().__init__(spec, context)
        self.place = axis_of(spec)
        self.axis = context.world.axis(*self.place.key)
        self._deviation = noise_of(spec)
        self._resolution = resolution_of(spec)
        self._noise = Noise(context.seed) if self._deviation else None
        self._total_deviation = total_deviation(self._deviation, self._resolution)
        self.is_exact = self._total_deviation == 0.0 and not context.config.faults.is_active

    def sample(self, time_ns: int) -> PositionReading:
        """Measure the position."""
        position = self.axis.position
        if self._noise:
            position += self._deviation * self._noise.normals(time_ns)[0]
        return PositionReading(time_ns, rounded(position, self._resolution), self._total_deviation)
