"""Accelerometer: what a mass on springs would feel."""

from __future__ import annotations

from sim_core.base.geometry import ZERO, Vec3, add, rotate_back, scale, subtract
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import DEVICE_AXES, Channel, declare
from sim_core.devices.inertial.axis_sensor import AxisSensor
from sim_core.scene import Node


class Accelerometer(AxisSensor):
    """Proper acceleration a - g in m/s², in the axes of the device: +9.81 upwards at rest, 0 in free fall.

    a is the mean acceleration of the device's origin over the last step, (v(t) - v(t - h)) / h, so it holds
    the centripetal part of a turn. It is expressed in the mean of the axes before and after that step, so its
    error is of second order in h. Before the first step a is 0.
    """

    channels = declare(value=Channel("m/s²", (3,), frame=DEVICE_AXES))
    needs_tracking = True

    def __init__(self, node: Node, context: DeviceContext) -> None:
        super().__init__(node, context)
        self._start()

    def _start(self) -> None:
        self._velocity = self.frame.linear_velocity()
        self._rotation = self._rotation_before = self.frame.pose().rotation
        self._acceleration: Vec3 = ZERO

    def track(self, time_ns: int) -> None:
        """Note the change of velocity in this step."""
        velocity = self.frame.linear_velocity()
        self._acceleration = scale(subtract(velocity, self._velocity), 1.0 / self.step_seconds)
        self._velocity = velocity
        self._rotation_before = self._rotation
        self._rotation = self.frame.pose().rotation

    def measure(self) -> Vec3:
        """a - g in the axes of the device, m/s²."""
        felt = subtract(self._acceleration, self.world.gravity)
        before = rotate_back(self._rotation_before, felt)
        after = rotate_back(self._rotation, felt)
        return scale(add(before, after), 0.5)

    def reset(self) -> None:
        """Forget the motion before the reset."""
        super().reset()
        self._start()


DEVICE = Accelerometer
