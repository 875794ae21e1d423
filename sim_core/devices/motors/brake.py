"""Brake: damping of a joint that is set while the simulation runs."""

from __future__ import annotations

from sim_core.base.errors import CommandError
from sim_core.devices.base import Actuator, DeviceContext, check_finite
from sim_core.devices.commands import Number, command
from sim_core.devices.motors.motor_limits import joint_axis_of
from sim_core.scene import Node


class Brake(Actuator):
    """A brake at one axis of a joint; it comes on top of the joint's own dampingConstant.

    See Webots reference, Brake.
    """

    def __init__(self, node: Node, context: DeviceContext) -> None:
        super().__init__(node, context)
        self._axis = self.world.axis(*joint_axis_of(node))
        self._damping = 0.0

    @property
    def is_linear(self) -> bool:
        """True: damping in N·s/m; False: in N·m·s/rad."""
        return self._axis.is_linear

    @property
    def damping(self) -> float:
        """Damping set, N·m·s/rad or N·s/m."""
        return self._damping

    @command(damping=Number("N·m·s/rad or N·s/m"))
    def set_damping(self, damping: float) -> None:
        """Brake with this damping, N·m·s/rad or N·s/m, from the next step on; 0 lets go.

        Raises:
            CommandError: negative or not finite; nothing changes.
        """
        what = f"{self.robot_name}/{self.name}: damping"
        damping = check_finite(what, damping)
        if damping < 0.0:
            raise CommandError(f"{what}: found {damping:g}, expected 0 or more")
        self._damping = damping
        self.wake()

    def before_step(self) -> bool:
        """Hand the damping on; sleeps until it changes."""
        self._axis.set_brake(self._damping)
        return False

    def reset(self) -> None:
        """Let go."""
        self._damping = 0.0
        self.wake()


DEVICE = Brake
