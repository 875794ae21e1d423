"""ForceTorque: force and torque between a solid and what it is attached to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim_core.base.geometry import (
    IDENTITY,
    ZERO,
    Mat3,
    Vec3,
    add,
    cross,
    rotate,
    rotate_back,
    scale,
    subtract,
)
from sim_core.base.ids import NodeId
from sim_core.devices.base import Actuator, DeviceContext
from sim_core.devices.channels import DEVICE_AXES, Channel, declare
from sim_core.devices.field_checks import one_of
from sim_core.devices.sensor import Reading, Sensor, SensorState
from sim_core.engines.world_view import Frame
from sim_core.model.device_spec import DeviceSpec
from sim_core.model.physics import SolidPhysics


@dataclass(frozen=True, slots=True)
class WrenchReading(Reading):
    """Force in N, and torque in N·m about the origin of the device."""

    force: Vec3
    torque: Vec3


@dataclass(eq=False)
class ForceTorqueState(SensorState):
    """State of the sensor.

    Attributes:
        momenta: before the last step, in world axes, of each part: linear, kg·m/s, and angular about its
            centre of mass, kg·m²/s.
    """

    momenta: tuple[tuple[Vec3, Vec3], ...] = ()


class ForceTorque(Sensor, Actuator):
    """Wrench of the joint, or of the rigid connection, above the solid that contains the device.

    By Newton and Euler for all parts below it, of the last step before the sample, with the momenta p and L
    of each part, its centre of mass c, and its contacts f at x:

        F = Σ dp/dt - m·g - Σ f        M = Σ (c - o) × (dp/dt - m·g) + dL/dt - Σ (x - o) × f

    is what acts on these parts; `direction` may turn the signs. So motors, springs and stops of the joint are
    included. Forces of fluids, propellers, connectors and plug-ins on the parts count as those of the joint.

    Attributes:
        frame: of the device.
    """

    channels = declare(
        force=Channel("N", (3,), frame=DEVICE_AXES), torque=Channel("N·m", (3,), frame=DEVICE_AXES)
    )
    state: ForceTorqueState
    state_type = ForceTorqueState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        """Create the device.

        Raises:
            DeviceError: a field has another value than those that exist.
        """
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        axes = one_of(spec, "frame", ("child", "parent", "sensor"))
        direction = one_of(spec, "direction", ("child_to_parent", "parent_to_child"))
        self._sign = -1.0 if direction == "child_to_parent" else 1.0
        self._axes: Frame | None = self.frame
        if axes != "sensor":
            above = spec.above if axes == "child" else self._above_solid()
            self._axes = context.world.frame(above[0]) if above else None
        self._revision = -1
        self._parts: list[tuple[Frame, SolidPhysics]] = []
        self._find_parts()

    def _above_solid(self) -> tuple[NodeId, ...]:
        above = self.spec.above
        return above[above.index(self.spec.solid) + 1 :] if self.spec.solid in above else ()

    def _find_parts(self) -> None:
        """Find the parts below the connection, and watch their contacts."""
        model, world, solid = self.world.model, self.world, self.spec.solid
        if self._revision == model.revision:
            return
        self._revision = model.revision
        found = model.solids_below(solid) if solid is not None else {}
        self._parts = [(world.frame(id_), each) for id_, each in found.items() if each is not None]
        self._watches = [world.watch_contacts(id_) for id_ in found]

    def before_step(self) -> bool:
        """Store the momenta before the step."""
        self._find_parts()
        self.state.momenta = tuple(self._momenta())
        return True

    def _momenta(self) -> Iterator[tuple[Vec3, Vec3]]:
        for frame, physics in self._parts:
            mass, rotation, spin = physics.mass, frame.pose().rotation, frame.angular_velocity()
            velocity = add(frame.linear_velocity(), cross(spin, rotate(rotation, mass.centre)))
            own = rotate(mass.inertia, rotate_back(rotation, spin))
            yield scale(velocity, mass.mass), rotate(rotation, own)

    def sample(self, time_ns: int) -> WrenchReading:
        """Measure the wrench."""
        rate = 1.0 / self.step_seconds
        origin = self.frame.pose().position
        force, torque = ZERO, ZERO
        now = list(self._momenta())
        before = self.state.momenta if len(self.state.momenta) == len(now) else now
        for (frame, physics), (p, spin), (p0, spin0) in zip(self._parts, now, before, strict=True):
            push = scale(subtract(p, p0), rate)
            if physics.falls:
                push = subtract(push, scale(self.world.model.gravity, physics.mass.mass))
            arm = subtract(frame.pose().apply(physics.mass.centre), origin)
            force = add(force, push)
            torque = add(torque, add(cross(arm, push), scale(subtract(spin, spin0), rate)))
        for watch in self._watches:
            for contact in watch.contacts:
                force = subtract(force, contact.force)
                torque = subtract(torque, cross(subtract(contact.position, origin), contact.force))
        axes: Mat3 = self._axes.pose().rotation if self._axes is not None else IDENTITY
        force, torque = (scale(rotate_back(axes, each), self._sign) for each in (force, torque))
        return WrenchReading(time_ns, force, torque)
