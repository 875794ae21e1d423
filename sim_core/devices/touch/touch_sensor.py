"""TouchSensor: detects contact, or measures its force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sim_core.base.errors import SceneError
from sim_core.base.geometry import ZERO, Vec3, add, cross, rotate, rotate_back, scale, subtract
from sim_core.devices.base import Actuator, DeviceContext
from sim_core.devices.channels import DEVICE_AXES, FLAG, Channel, Errors, declare
from sim_core.devices.field_checks import one_of, resolution_of, rounded
from sim_core.devices.lookup_table import LookupTable
from sim_core.devices.sensor import Reading, Sensor, SensorState
from sim_core.engines.world_view import Touch
from sim_core.model.device_spec import DeviceSpec


@dataclass(frozen=True, slots=True)
class TouchReading(Reading):
    """Result of a touch sensor.

    Attributes:
        value: bumper: True if touched. force: output of the lookup table, in its units. force-3d: the same
            for each axis of the device.
        force: force on the part that carries the device, of the last step, N, device axes (see
            `TouchSensor`); of a bumper the sum of the contact forces on its bounding object.
        touched: True once a bumper has touched its target for `touchTime` s without a break.
    """

    value: bool | float | Vec3
    force: Vec3
    touched: bool = False


@dataclass(eq=False)
class TouchSensorState(SensorState):
    """State of a touch sensor.

    Attributes:
        last_touch_ns: elapsed time of the last contact; None: there was none.
        velocity: of its centre of mass before the last step, m/s, world axes.
        target_since_ns: elapsed time since which it touches its target; None: it does not.
        has_touched: it has done so for long enough.
    """

    last_touch_ns: int | None = None
    target_since_ns: int | None = None
    has_touched: bool = False
    velocity: Vec3 = ZERO


def total_force(contacts: Iterable[Touch]) -> Vec3:
    """Return the sum of the forces of contacts, N, world axes."""
    total = ZERO
    for contact in contacts:
        total = add(total, contact.force)
    return total


class TouchSensor(Sensor, Actuator):
    """Contacts of the device's own bounding object. By `type` (Webots reference, TouchSensor):

    - bumper: True if something touched it in any step since the sample before, so that a bump shorter than
      the sampling period is not missed. It needs no Physics.
    - force: max(0, -f_x) of the force f on the device, through the lookup table, then `resolution`: the x
      axis points to what presses on it. Perpendicular and tensile forces count as 0.
    - force-3d: each component of f in the device's axes, through table and resolution. A table that begins at
      0 returns its first row for negative components, as in Webots: for signs leave it empty.

    Forces are those of the last step before the sample. In a device with Physics f is the force of the joint
    between it and its parent, as in Webots: Σ contacts + m·(g - a), with the mass m of the device and of what
    is fixed to it, and the acceleration a of their centre in that step. So its own weight and inertia are
    included, and in free fall it is 0. A device without Physics measures the contacts alone; in Webots it
    measures nothing.

    Attributes:
        type: `bumper`, `force` or `force-3d`.
        frame: the frame of the device.
    """

    channels = declare(
        value=Channel(),
        force=Channel("N", (3,), frame=DEVICE_AXES, errors=Errors.IF_NAMED),
    )

    live_fields = frozenset(("lookupTable", "resolution"))
    state: TouchSensorState
    state_type = TouchSensorState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.type = one_of(spec, "type", ("bumper", "force", "force-3d"))
        if spec["boundingObject"] is None:
            found = f"{spec.path} without boundingObject measures nothing"
            self.warnings = [SceneError(*spec.source, found, "the shape that touches")]
        if self.type != "force":
            value = FLAG if self.type == "bumper" else Channel(shape=(3,), frame=DEVICE_AXES)
            self.channels = declare(self.channels, value=value)
        self._target: str = spec["touchTarget"]
        self._target_ns = round(spec["touchTime"] * 1e9)
        if self.type == "bumper" and self._target:
            self.channels = declare(self.channels, touched=FLAG)
        self.frame = context.world.frame(spec.id)
        self._seed = context.seed
        self._watch = context.world.watch_contacts(spec.id)
        self.needs_tracking = self.type == "bumper"
        self.read_fields()

    def read_fields(self) -> None:
        """Read the live fields."""
        self._resolution = resolution_of(self.spec)
        self._table = LookupTable(self.spec)
        self._noise = self._table.noise(self._seed)

    def before_step(self) -> bool:
        """Store the velocity before the step, if the device's own weight is measured."""
        if self.type == "bumper" or self.world.model.weight(self.spec.id) is None:
            return False
        self.state.velocity = self._velocity()
        return True

    def track(self, time_ns: int) -> None:
        """Store the time of a contact."""
        now_ns, state = self.world.clock.elapsed_ns, self.state
        if self._watch.is_touching():
            state.last_touch_ns = now_ns
        if self._target and not state.has_touched:
            label = self.world.model.label
            is_target = any(self._target in label(each.other).path for each in self._watch.contacts)
            since_ns = now_ns if state.target_since_ns is None else state.target_since_ns
            state.target_since_ns = since_ns if is_target else None
            state.has_touched = is_target and now_ns - since_ns >= self._target_ns

    def sample(self, time_ns: int) -> TouchReading:
        """Measure the contact or the force."""
        force = total_force(self._watch.contacts)
        if self.type != "bumper":
            force = add(force, self._own_force())
        if force != (0.0, 0.0, 0.0):
            force = rotate_back(self.frame.pose().rotation, force)
        value: bool | float | Vec3
        if self.type == "bumper":
            last = self.state.last_touch_ns
            value = last is not None and last > self.world.clock.elapsed_ns - self.span_ns(time_ns)
        else:
            normals = self._noise.normals(time_ns, 3) if self._noise is not None else [0.0, 0.0, 0.0]
            if self.type == "force":
                value = self._answer(max(0.0, -force[0]), normals[0])
            else:
                x, y, z = (self._answer(*pair) for pair in zip(force, normals, strict=True))
                value = (x, y, z)
        return TouchReading(time_ns, value, force, self.state.has_touched)

    def _own_force(self) -> Vec3:
        """Return the part of the force by the device's own weight and inertia, N, world axes."""
        weight = self.world.model.weight(self.spec.id)
        if weight is None:
            return ZERO
        proper_acceleration = self.world.model.gravity
        if self.world.is_dynamic(self.spec.id):
            change = subtract(self._velocity(), self.state.velocity)
            proper_acceleration = subtract(proper_acceleration, scale(change, 1.0 / self.step_seconds))
        return scale(proper_acceleration, weight.mass)

    def _velocity(self) -> Vec3:
        """Return the velocity of its centre of mass, m/s, world axes."""
        frame = self.frame
        weight = self.world.model.weight(self.spec.id)
        centre = rotate(frame.pose().rotation, weight.centre) if weight is not None else ZERO
        return add(frame.linear_velocity(), cross(frame.angular_velocity(), centre))

    def _answer(self, newtons: float, normal: float) -> float:
        return rounded(self._table.answer(newtons, normal), self._resolution)
