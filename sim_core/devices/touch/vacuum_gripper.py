"""VacuumGripper: holds a solid that it touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim_core.base.errors import Mistake
from sim_core.base.ids import NodeId
from sim_core.devices.base import Actuator, DeviceContext
from sim_core.devices.channels import FLAG, declare
from sim_core.devices.commands import command
from sim_core.devices.field_checks import field_error
from sim_core.devices.sensor import Reading, Sensor, SensorState
from sim_core.devices.touch.holding import strength_of, tension_and_shear
from sim_core.engines.world_view import Bond
from sim_core.model.device_spec import DeviceSpec


@dataclass(frozen=True, slots=True)
class GripReading(Reading):
    """State of a gripper.

    Attributes:
        value: a solid is held.
        is_on: the pump runs.
    """

    value: bool
    is_on: bool


@dataclass(eq=False)
class GripperState(SensorState):
    """Pump and bond of a gripper.

    Attributes:
        is_on: the pump runs, or will from the next step on.
        bond: number of the bond with the held solid; None: nothing is held.
    """

    is_on: bool = False
    bond: int | None = None


class VacuumGripper(Sensor, Actuator):
    """Holds the first solid that touches its bounding object while it is on.

    It takes hold in the step after one in which at least `contactPoints` contacts with one solid were made;
    of several such solids, of the one with the deepest contact. Gripper and solid then keep their relative
    pose. One of the two must be moved by forces; the other may be static. (Webots reference, VacuumGripper.)
    It releases the solid when turned off, and in the step after one in which the force exceeded
    `tensileStrength` along its x axis, out of the robot, or `shearStrength` across it. If still on, it then
    takes hold again of what touches it.

    Attributes:
        frame: the frame of the device.
        tensile_strength, shear_strength: N; inf: the bond never breaks.
        held: the solid that is held, or None.
    """

    channels = declare(value=FLAG, is_on=FLAG)

    state: GripperState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        """Make the device.

        Raises:
            DeviceError: a field has a value that is not possible.
        """
        super().__init__(spec, context)
        if spec["boundingObject"] is None:
            found, expected = (
                "VacuumGripper without boundingObject",
                "a shape that touches what it holds",
            )
            self.warnings = [Mistake(*spec.source, found, "it holds nothing", expected)]
        self.frame = context.world.frame(spec.id)
        self.tensile_strength = strength_of(spec, "tensileStrength")
        self.shear_strength = strength_of(spec, "shearStrength")
        self._contact_points: int = spec["contactPoints"]
        if self._contact_points < 1:
            raise field_error(spec, "contactPoints", self._contact_points, "1 or more")
        self._watch = context.world.watch_contacts(spec.id)
        self._bond: Bond | None = None
        self.held: NodeId | None = None
        self.state = self.initial()

    def initial(self) -> GripperState:
        """Return the state of the file; nothing is held."""
        return GripperState(is_on=self.spec["isOn"])

    def field_now(self, field: str) -> Any:
        """Return True if it is on."""
        return self.state.is_on

    def edit_field(self, field: str, value: Any) -> None:
        """Turn it on or off, as its commands do."""
        if value:
            self.turn_on()
        else:
            self.turn_off()

    @property
    def is_on(self) -> bool:
        """True if the pump runs, or will from the next step on."""
        return self.state.is_on

    @command()
    def turn_on(self) -> None:
        """Run the pump from the next step on."""
        self.catch_up()
        self.state.is_on = True
        self.wake()

    @command()
    def turn_off(self) -> None:
        """Stop the pump and release the solid in the next step."""
        self.catch_up()
        self.state.is_on = False
        self.wake()

    def before_step(self) -> bool:
        """Release or take hold; return False while off."""
        if self._bond is not None:
            if not self.is_on or self._is_overloaded(self._bond):
                self.deactivate()
        elif self.is_on:
            self._take_hold()
        return self.is_on

    def deactivate(self) -> None:
        """Release the solid, as the battery is empty."""
        if self._bond is not None:
            self._bond.release()
            self._bond = self.held = self.state.bond = None

    def sample(self, time_ns: int) -> GripReading:
        """Return the present state; a solid that will be held from the next step on counts as held, as in
        Webots."""
        holds = self.held is not None or (self.is_on and self._next() is not None)
        return GripReading(time_ns, holds, self.is_on)

    def reset(self) -> None:
        """Return to the state of the file; nothing is held."""
        super().reset()
        self._bond = self.held = None

    def restored(self) -> None:
        """Hold the solid of the restored state."""
        number = self.state.bond
        self._bond = None if number is None else self.world.find_bond(number)
        self.held = None if self._bond is None else self._bond.solids[1]

    def _take_hold(self) -> None:
        solid = self._next()
        if solid is not None:
            self._bond, self.held = self.world.bond(self.spec.id, solid), solid
            self.state.bond = self._bond.number

    def _next(self) -> NodeId | None:
        """Return the solid to take hold of before the next step; None: there is none."""
        counts: dict[NodeId, int] = {}
        depths: dict[NodeId, float] = {}
        for contact in self._watch.contacts:
            counts[contact.other] = counts.get(contact.other, 0) + 1
            depths[contact.other] = max(depths.get(contact.other, 0.0), contact.depth)
        enough = [solid for solid in counts if counts[solid] >= self._contact_points]
        for solid in sorted(enough, key=lambda solid: -depths[solid]):
            if self.world.can_bond(self.spec.id, solid):
                return solid
        return None

    def _is_overloaded(self, bond: Bond) -> bool:
        r = self.frame.pose().rotation
        pull, slide = tension_and_shear(bond.force(), (r[0], r[3], r[6]))
        return pull > self.tensile_strength or slide > self.shear_strength
