"""Connector: docks to another connector."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sim_core.base.errors import CommandError
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import FLAG, Channel, Errors, declare
from sim_core.devices.commands import command
from sim_core.devices.field_checks import field_error, number_at_least, one_of
from sim_core.devices.sensor import Reading, Sensor, SensorState
from sim_core.devices.touch.docking import AlignmentTolerances, DockingMedium
from sim_core.devices.touch.holding import strength_of
from sim_core.model.device_spec import DeviceSpec

PARTNERS = {"symmetric": "symmetric", "active": "passive", "passive": "active"}
"""Type that each type of connector can dock to."""


@dataclass(frozen=True, slots=True)
class ConnectorReading(Reading):
    """State of a connector.

    Attributes:
        value: presence of a peer: 1, 0, or -1 for a passive connector, which has no such sensor.
        is_locked: the latch is closed, with or without a peer.
        is_attached: a peer is attached.
    """

    value: int
    is_locked: bool
    is_attached: bool


@dataclass(eq=False)
class ConnectorState(SensorState):
    """Latch and pending command of a connector.

    Attributes:
        is_locked: the latch is closed, with or without a peer.
        command: to execute in the next step: lock (True), unlock (False) or none.
    """

    is_locked: bool = False
    command: bool | None = None


class Connector(Sensor):
    """Attaches to another connector in contact with it (Webots reference, Connector).

    A peer is present if its `type` fits, its `model` is the same and it is in position: its origin within
    `distanceTolerance`, its z axis opposite to this one's within `axisTolerance`, its y axis within
    `rotationTolerance` of one of `numberOfRotations` directions. Locking with a peer present makes a rigid
    bond; with `snap` the two are pulled into exact alignment within some steps. `autoLock` does so as soon as
    a peer is present, once the connector is locked. The bond breaks in the step after one in which its force
    exceeded the strengths of the locked sides together: `tensileStrength` along z, `shearStrength` across it.

    Attributes:
        type: `symmetric`, `active` or `passive`.
        frame: the frame of the device.
        tolerances: of its presence sensor.
        tensile_strength, shear_strength: N; inf: it never breaks.
        snap, auto_lock, unilateral_lock, unilateral_unlock: the fields.
    """

    channels = declare(
        value=Channel(dtype="int64", low=-1.0, high=1.0, errors=Errors.REFUSED),
        is_locked=FLAG,
        is_attached=FLAG,
    )

    state: ConnectorState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.type = one_of(spec, "type", PARTNERS)
        self.frame = context.world.frame(spec.id)
        rotations: int = spec["numberOfRotations"]
        if rotations < 0:
            raise field_error(spec, "numberOfRotations", rotations, "0 or more")
        self.tolerances = AlignmentTolerances(
            number_at_least(spec, "distanceTolerance", 0.0),
            min(number_at_least(spec, "axisTolerance", 0.0, math.pi + 1e-4), math.pi),
            min(number_at_least(spec, "rotationTolerance", 0.0, math.pi + 1e-4), math.pi),
            rotations,
        )
        self.tensile_strength = strength_of(spec, "tensileStrength")
        self.shear_strength = strength_of(spec, "shearStrength")
        self.snap: bool = spec["snap"]
        self.auto_lock: bool = spec["autoLock"]
        self.unilateral_lock: bool = spec["unilateralLock"]
        self.unilateral_unlock: bool = spec["unilateralUnlock"]
        if spec["isLocked"] and self.type == "passive":
            raise field_error(spec, "isLocked", "TRUE", "FALSE: a passive connector cannot lock")
        self.state = self.initial()
        self._docking = context.media.of(DockingMedium)

    def on_added(self) -> None:
        """Register with the docking medium."""
        self._docking.add_connector(self)

    def initial(self) -> ConnectorState:
        """Return the state of the file; if locked, the first step attaches a peer in position."""
        is_locked: bool = self.spec["isLocked"]
        return ConnectorState(is_locked=is_locked, command=True if is_locked else None)

    def field_now(self, field: str) -> Any:
        """Return True if the latch is closed."""
        return self.state.is_locked

    def edit_field(self, field: str, value: Any) -> None:
        """Close or open the latch alone, as in Webots: an attached peer stays attached, and `autoLock`
        applies.

        Raises:
            CommandError: the connector is passive, and the latch should be closed.
        """
        if value and self.type == "passive":
            raise CommandError(f"{self.robot_name}/{self.name}: a passive connector cannot lock or unlock")
        self.state.is_locked = bool(value)

    @property
    def is_locked(self) -> bool:
        """True if the latch is closed, with or without a peer."""
        return self.state.is_locked

    @property
    def peer(self) -> Connector | None:
        """Attached connector, or None."""
        return self._docking.peer(self)

    @command()
    def lock(self) -> None:
        """Close the latch in the next step: on the peer that is then present, or without a peer.

        Raises:
            CommandError: the connector is passive.
        """
        self._set_command(True)

    @command()
    def unlock(self) -> None:
        """Open the latch in the next step; a peer is released if `unilateralUnlock` is set or it is open
        as well.

        Raises:
            CommandError: the connector is passive.
        """
        self._set_command(False)

    def take_command(self) -> bool | None:
        """Return and clear the command of this step: lock (True), unlock (False) or none; called by the
        medium in phase 1."""
        state = self.state
        command, state.command = state.command, None
        if command is not None:
            state.is_locked = command
        return command

    def is_compatible(self, other: Connector) -> bool:
        """Return True if the types and models of both connectors fit."""
        fits = PARTNERS[self.type] == other.type
        return fits and self.spec["model"] == other.spec["model"]

    def sample(self, time_ns: int) -> ConnectorReading:
        """Return the present state."""
        attached = self.peer is not None
        if self.type == "passive":
            presence = -1
        else:
            presence = int(attached or self._docking.present(self) is not None)
        return ConnectorReading(time_ns, presence, self.is_locked, attached)

    def _set_command(self, lock: bool) -> None:
        if self.type == "passive":
            raise CommandError(f"{self.robot_name}/{self.name}: a passive connector cannot lock or unlock")
        self.state.command = lock
