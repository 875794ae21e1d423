"""PositionSensor: the position of a joint."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.base.errors import DeviceError
from sim_core.devices.base import DeviceContext, Reading, Sensor
from sim_core.devices.channels import Channel, declare
from sim_core.devices.field_checks import number_at_least, resolution_of, rounded, total_deviation
from sim_core.devices.motors.motor_limits import HOLDERS
from sim_core.devices.noise import Noise
from sim_core.scene import Node

_AXES = {"device": 0, "device2": 1, "device3": 2}


@dataclass(frozen=True, slots=True)
class PositionReading(Reading):
    """A joint position in rad, or in m for a sliding axis.

    Attributes:
        value: the position.
        deviation: standard deviation of the value that noise, resolution and faults amount to.
    """

    value: float
    deviation: float = 0.0


class PositionSensor(Sensor):
    """Joint position plus N(0, `noise`) in rad or m, rounded to `resolution`; angles do not wrap.

    Attributes:
        axis: of the joint.
        is_exact: it reads the truth: no noise, no resolution, no faults.
    """

    channels = declare(value=Channel("rad or m"))

    def __init__(self, node: Node, context: DeviceContext) -> None:
        """Make the device.

        Raises:
            DeviceError: it stands in no `device` field of a joint, or noise or resolution is not possible.
        """
        super().__init__(node, context)
        joint = node.parent
        stands = joint is not None and any(joint.is_a(holder) for holder in HOLDERS)
        if joint is None or not stands or node.parent_field not in _AXES:
            holder = f"field {node.parent_field} of a {joint.type_name}" if joint is not None else "no node"
            raise DeviceError(
                f'{node.where}: PositionSensor "{self.name}": found in {holder}, '
                f"expected in the device field of a joint"
            )
        self.axis = context.world.axis(joint, _AXES[node.parent_field])
        self._deviation = number_at_least(node, "noise", 0.0)
        self._resolution = resolution_of(node)
        self._noise = Noise(context.seed) if self._deviation else None
        self._total_deviation = total_deviation(self._deviation, self._resolution)
        self.is_exact = self._total_deviation == 0.0 and not context.config.faults.is_active

    def sample(self, time_ns: int) -> PositionReading:
        """One measurement."""
        position = self.axis.position
        if self._noise:
            position += self._deviation * self._noise.normals(time_ns)[0]
        return PositionReading(time_ns, rounded(position, self._resolution), self._total_deviation)


DEVICE = PositionSensor
