"""Propellers: thrust and torque from the speed of a motor (Webots reference, Propeller)."""

from __future__ import annotations

from typing import Any

from sim_core.base.geometry import Vec3, cross, rotate, subtract
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import LARGEST
from sim_core.model.dynamics.propulsion import Propeller
from sim_core.model.joint_frames import AxisSpec


class ShaftAxis(KinematicAxis):
    """Shaft of a propeller: it turns exactly as commanded, because it has no mass.

    Attributes:
        torque: torque of the fluid against the shaft in the last step, N·m.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, AxisSpec())
        self.torque = 0.0

    def go_to_start(self) -> None:
        """Reset to rest."""
        super().go_to_start()
        self.torque = 0.0

    def state(self) -> tuple[float | bool, ...]:
        """Whole changing state; see `KinematicAxis.state`."""
        return *super().state(), self.torque

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Restore a state; see `KinematicAxis.set_state`."""
        *own, self.torque = state
        super().set_state(tuple(own))

    def advance(self, step: float) -> bool:
        """Turn by one step; the velocity is exactly the commanded one."""
        self.velocity = self._command
        self.position += self._command * step
        return self._command != 0.0

    def feedback(self) -> float:
        """Return the torque of the motor, N·m, which equals that of the fluid."""
        return self.torque


class Thruster:
    """Propeller in the engine.

        T = t1·|ω|·ω - t2·|ω|·V        along the shaft axis, at the centre of thrust
        Q = q1·|ω|·ω - q2·|ω|·V        against the shaft axis, on the body; at most the motor's torque

    V is the speed of the centre of thrust along the shaft axis.
    """

    def __init__(self, record: Propeller, link: Link | None) -> None:
        """Create it; `link`: the link that it pushes; None: it is not on a dynamic body and only turns."""
        self.id = record.id
        self.axis = ShaftAxis(record.path)
        self._link = link
        self._thrust, self._torque, self._most = record.thrust, record.torque, record.most
        self._direction = record.direction
        self._centre = subtract(record.centre, link.centre) if link is not None else record.centre

    def apply_thrust(self, step: float) -> None:
        """Turn by one step, and apply the thrust for the next step."""
        axis = self.axis
        if not axis.advance(step) or self._link is None:
            axis.torque = 0.0
            return
        body: Any = self._link.body
        rotation = body.getRotation()
        direction, arm = rotate(rotation, self._direction), rotate(rotation, self._centre)
        vx, vy, vz = body.getLinearVel()
        wx, wy, wz = cross(body.getAngularVel(), arm)
        speed = (vx + wx) * direction[0] + (vy + wy) * direction[1] + (vz + wz) * direction[2]
        omega = axis.velocity
        size = abs(omega)
        thrust = _limited(size * (self._thrust[0] * omega - self._thrust[1] * speed), LARGEST)
        axis.torque = _limited(size * (self._torque[0] * omega - self._torque[1] * speed), self._most)
        body.addForce(_times(direction, thrust))
        moment, drag = cross(arm, direction), axis.torque
        body.addTorque(
            (
                thrust * moment[0] - drag * direction[0],
                thrust * moment[1] - drag * direction[1],
                thrust * moment[2] - drag * direction[2],
            )
        )
        body.enable()


def _limited(value: float, most: float) -> float:
    return max(-most, min(most, value))


def _times(a: Vec3, factor: float) -> Vec3:
    return (a[0] * factor, a[1] * factor, a[2] * factor)
