"""Servo: a joint and its motor in one node, of worlds from before Webots 7.2.

Its children turn about the axis of its `rotation`, or slide along it; its zero is the pose in the file.
Spring, damper and stops stand in its own fields (Webots 7 reference, Servo).
"""

from __future__ import annotations

from sim_core.devices.field_checks import positive_number
from sim_core.devices.motors.motor import Motor
from sim_core.devices.motors.motor_fields import MotorFields
from sim_core.devices.motors.motor_limits import limits_past_stops, read_limits


class Servo(Motor):
    """A Servo; commanded and read as a RotationalMotor or a LinearMotor, as its `type` says.

    The old functions are: `wb_servo_set_motor_force` `set_available_effort`, `wb_servo_set_control_p`
    `set_control_pid(p, 0, 0)`, `wb_servo_set_force` `set_effort`.
    """

    def _read_fields(self) -> MotorFields:
        node = self.node
        limits = read_limits(node, "maxForce")
        return MotorFields(
            axis=self.world.axis(node),
            multiplier=1.0,
            pid=(positive_number(node, "controlP"), 0.0, 0.0),
            consumption=0.0,  # the node has no field for it
            limits=limits,
            warnings=limits_past_stops(node, limits, node),
        )


DEVICE = Servo
