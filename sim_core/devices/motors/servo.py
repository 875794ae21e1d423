"""Servo: a joint and its motor in one node, in worlds from before Webots 7.2.

Its children turn about the axis of its `rotation`, or slide along it; its zero is the pose in the file.
Spring, damper and stops are given by its own fields (Webots 7 reference, Servo).
"""

from __future__ import annotations

from sim_core.devices.field_checks import positive_number
from sim_core.devices.motors.motor import Motor
from sim_core.devices.motors.motor_control import ControlMode
from sim_core.devices.motors.motor_fields import MotorFields, read_limits, stop_warnings


class Servo(Motor):
    """A Servo, commanded and read as a RotationalMotor or a LinearMotor, depending on its `type`.

    The old functions are: `wb_servo_set_motor_force` `set_available_effort`, `wb_servo_set_control_p`
    `set_control_pid(p, 0, 0)`, `wb_servo_set_force` `set_effort`.
    """

    turns_back = True

    @property
    def effort(self) -> float:
        """Effort of its motor in the last step; a torque or force set by `set_effort` is not included."""
        return 0.0 if self.state.mode is ControlMode.EFFORT else super().effort

    def _read_fields(self) -> MotorFields:
        spec = self.spec
        limits = read_limits(spec, "maxForce")
        return MotorFields(
            axis=self.world.axis(spec.id),
            multiplier=1.0,
            pid=(positive_number(spec, "controlP"), 0.0, 0.0),
            consumption=0.0,  # a Servo has no such field
            limits=limits,
            warnings=stop_warnings(spec, limits, (spec["minStop"], spec["maxStop"])),
        )
