"""Brake: damping of a joint that commands set while the simulation runs."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.devices.base import Actuator, DeviceContext, DeviceState
from sim_core.devices.command_checks import check_not_negative
from sim_core.devices.commands import Number, command
from sim_core.devices.motors.motor_fields import axis_of
from sim_core.model.device_spec import DeviceSpec


@dataclass(eq=False)
class BrakeState(DeviceState):
    """State of a brake: damping in N·m·s/rad or N·s/m."""

    damping: float = 0.0


class Brake(Actuator):
    """A brake at one axis of a joint; its damping is added to the joint's own dampingConstant.

    See Webots reference, Brake.
    """

    state: BrakeState
    state_type = BrakeState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        place = axis_of(spec)
        self._axis = self.world.axis(*place.key)

    @property
    def is_linear(self) -> bool:
        """True: damping in N·s/m; False: in N·m·s/rad."""
        return self._axis.spec.is_linear

    @property
    def damping(self) -> float:
        """Commanded damping, N·m·s/rad or N·s/m."""
        return self.state.damping

    @command(damping=Number("N·m·s/rad or N·s/m"))
    def set_damping(self, damping: float) -> None:
        """Set the damping, N·m·s/rad or N·s/m, from the next step on; 0 releases the brake.

        Raises:
            CommandError: negative or not finite; nothing changes.
        """
        self.state.damping = check_not_negative(f"{self.robot_name}/{self.name}: damping", damping)
        self.wake()

    def before_step(self) -> bool:
        """Apply the damping to the joint; return False, as it stays until the next command."""
        self._axis.set_brake(self.state.damping)
        return False

    def reset(self) -> None:
        """Release the brake."""
        super().reset()
        self.wake()
