"""Accelerometer: proper acceleration."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.base.geometry import ZERO, Vec3, rotate_back, scale, subtract
from sim_core.base.turns import composed, inverse, turned
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import DEVICE_AXES, Channel, declare
from sim_core.devices.inertial.axis_sensor import AxisSensor
from sim_core.devices.sensor import SensorState
from sim_core.model.device_spec import DeviceSpec


@dataclass(eq=False)
class AccelerometerState(SensorState):
    """Motion in the last step; vectors along the axes of the world.

    Attributes:
        velocity: m/s, after the step.
        acceleration: m/s², mean of the step.
    """

    velocity: Vec3 = ZERO
    acceleration: Vec3 = ZERO


class Accelerometer(AxisSensor):
    """Proper acceleration a - g in m/s², in the axes of the device: +9.81 upwards at rest, 0 in free fall.

    a is the mean acceleration of the device's origin over the last step, (v(t) - v(t - h)) / h, so it
    includes the centripetal part of a rotation. It is expressed in the axes after that step, as in Webots: in
    a rotation at ω it lags behind by the angle ω·h/2. Before the first step a is 0.
    """

    channels = declare(value=Channel("m/s²", (3,), frame=DEVICE_AXES))
    needs_tracking = True
    state: AccelerometerState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        self._axes = spec.axes
        super().__init__(spec, context)
        self.state = self.initial()

    def read_fields(self) -> None:
        """Read the live fields, and rotate the state if the axes of the world or the device have changed."""
        super().read_fields()
        state, before, now = self.state, self._axes, self.spec.axes
        if now == before:
            return
        world = composed(now.world, inverse(before.world))
        state.velocity, state.acceleration = turned(world, state.velocity), turned(world, state.acceleration)
        self._axes = now

    def initial(self) -> AccelerometerState:
        """Return the present velocity, without acceleration."""
        return AccelerometerState(velocity=self.frame.linear_velocity())

    def read_start(self) -> None:
        """Take the present velocity as that before the first step."""
        self.state.velocity = self.initial().velocity

    def track(self, time_ns: int) -> None:
        """Store the change of velocity in this step."""
        state = self.state
        velocity = self.frame.linear_velocity()
        state.acceleration = scale(subtract(velocity, state.velocity), 1.0 / self.step_seconds)
        state.velocity = velocity

    def measure(self) -> Vec3:
        """Return a - g in the axes of the device, m/s²."""
        proper_acceleration = subtract(self.state.acceleration, self.world.model.gravity)
        return rotate_back(self.frame.pose().rotation, proper_acceleration)
