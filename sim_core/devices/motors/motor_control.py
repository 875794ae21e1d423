"""Control law of motors: the commanded velocity of each step (Webots reference, Motor)."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import NamedTuple

from sim_core.base.state import State

SPEED_TOLERANCE = 1e-9
"""Difference of speeds, rad/s or m/s, below which the target speed is reached."""


class ControlMode(enum.Enum):
    """Quantity that a motor controls: a position, a velocity, or a torque or force."""

    POSITION = "position"
    VELOCITY = "velocity"
    EFFORT = "effort"


class EffortGains(NamedTuple):
    """Gains of a torque in N·m, or a force in N, by an error in rad or m, or in rad/s or m/s."""

    p: float
    i: float = 0.0
    d: float = 0.0
    max_integral: float = math.inf
    """Limit of the integral term, N·m or N."""


@dataclass(eq=False)
class MotorControl(State):
    """Velocity of a motor in each step, from a target, a speed limit and an acceleration limit.

    Units are rad and rad/s for rotational motors, m and m/s for linear ones.

    Attributes:
        step: s.
        pid: gains P in 1/s, I in 1/s² and D.
        acceleration: limit of the change of velocity per second; `math.inf`: none.
        velocity: last commanded velocity, from which the acceleration is limited. It is not the measured
            velocity, from which a motor held back by a load would never accelerate.
        lag: time constants in s of a rising and a falling velocity; 0: none.
        integral, previous_error: of the position, for I and D; in effort control `integral` is the integral
            term.
    """

    step: float
    pid: tuple[float, float, float]
    acceleration: float = math.inf
    lag: tuple[float, float] = (0.0, 0.0)
    velocity: float = 0.0
    integral: float = 0.0
    previous_error: float = 0.0

    def set_pid(self, pid: tuple[float, float, float]) -> None:
        """Set the gains P in 1/s, I in 1/s² and D; the error's integral and its last value become 0."""
        self.pid = pid
        self.integral = 0.0
        self.previous_error = 0.0

    def start_from(self, velocity: float = 0.0) -> None:
        """Clear integral and previous error; acceleration is limited from `velocity` on."""
        self.velocity = velocity
        self.integral = 0.0
        self.previous_error = 0.0

    def hold_velocity(self, target: float) -> float:
        """Return the next velocity towards the target velocity, with the lag, within the acceleration
        limit."""
        limit = self.acceleration * self.step
        lag = self.lag[0 if target > self.velocity else 1]
        if lag > 0.0 and abs(target - self.velocity) > SPEED_TOLERANCE:
            target = self.velocity + (target - self.velocity) * -math.expm1(-self.step / lag)
        change = target - self.velocity
        self.velocity = target if abs(change) <= limit else self.velocity + math.copysign(limit, change)
        return self.velocity

    def approach(self, target: float, position: float, speed: float, lead: float = 0.0) -> float:
        """Return the velocity of position control of a joint with physics, by the PID law on the velocity.

        `lead` is the velocity of a moving target, added to the result of the law. The derivative term is
        D·(error - previous error)/step, which damps; the manual prints the other sign, with which a positive
        D would push away from the target.
        """
        error = target - position
        self.integral += error * self.step
        derivative = (error - self.previous_error) / self.step
        self.previous_error = error
        p, i, d = self.pid
        wanted = p * error + i * self.integral + d * derivative + lead
        return self.hold_velocity(max(-speed, min(speed, wanted)))

    def effort(self, error: float, gains: EffortGains) -> float:
        """Return the torque or force of a joint with physics, by a PID law (as gz::math::PID)."""
        share = self.integral + gains.i * error * self.step
        self.integral = max(-gains.max_integral, min(gains.max_integral, share))
        derivative = (error - self.previous_error) / self.step
        self.previous_error = error
        return gains.p * error + self.integral + gains.d * derivative

    def approach_exactly(self, target: float, position: float, speed: float) -> float:
        """Return the velocity of position control of a joint without physics: as fast as the limits allow,
        without overshoot.

        The speed v is the largest from which the joint can still stop at the target, v·step +
        v²/(2·acceleration) = distance; the last move ends on the target.
        """
        error = target - position
        distance = abs(error)
        step, acceleration = self.step, self.acceleration
        if self.has_arrived(target, position) or acceleration == 0.0:
            return self.hold_velocity(0.0)
        if distance > acceleration * step * step:
            stoppable = acceleration * (math.sqrt(step * step + 2.0 * distance / acceleration) - step)
            speed = min(speed, stoppable)
        return self.hold_velocity(math.copysign(min(speed, distance / step), error))

    @staticmethod
    def has_arrived(target: float, position: float) -> bool:
        """Return True if a joint without physics has reached the target, up to rounding errors."""
        return abs(target - position) < 1e-12
