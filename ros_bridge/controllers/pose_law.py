"""Control law that drives a differential robot to a pose, as pure functions.

v = kρ·ρ, ω = kα·α + kβ·β, where ρ is the distance to the goal, α its direction seen from the robot and β the
goal's heading minus that direction (Siegwart & Nourbakhsh, Autonomous Mobile Robots, 3.6.2.4). With these
gains ρ shrinks faster than β, so that a heading error remains at the goal: finally the robot turns on the
spot.
"""

from __future__ import annotations

import math

K_RHO, K_ALPHA, K_BETA = 3.0, 8.0, -1.5
K_TURN = 3.0
"""Gain of the turn on the spot, 1/s."""
STOP_DISTANCE = 0.025
"""Distance at which the turn on the spot begins, m: half of the 0.05 m that count as arrived, so that the
turn does not leave them."""
STOP_ANGLE = math.radians(1.0)

Pose2D = tuple[float, float, float]
"""x and y in m, heading in rad, counter-clockwise from the x axis."""


class PoseLaw:
    """Computes forward speed in m/s and turn rate in rad/s towards a goal."""

    def __init__(self, goal: Pose2D) -> None:
        self.goal = goal
        self.at_place = False

    def __call__(self, pose: Pose2D) -> tuple[float, float]:
        """Return the twist at a pose; at the goal's position it only turns to the goal's heading."""
        dx, dy = self.goal[0] - pose[0], self.goal[1] - pose[1]
        rho = math.hypot(dx, dy)
        self.at_place = self.at_place or rho <= STOP_DISTANCE
        if self.at_place:
            turn = wrap(self.goal[2] - pose[2])
            return (0.0, K_TURN * turn) if abs(turn) > STOP_ANGLE else (0.0, 0.0)
        alpha = wrap(math.atan2(dy, dx) - pose[2])
        beta = wrap(self.goal[2] - pose[2] - alpha)
        return K_RHO * rho, K_ALPHA * alpha + K_BETA * beta


def wrap(angle: float) -> float:
    """Return the angle in [-π, π]."""
    return math.remainder(angle, math.tau)


def wheel_speeds(
    v: float, omega: float, radius: float, half_axle: float, limit: float
) -> tuple[float, float]:
    """Return left and right wheel speed in rad/s; beyond the limit both are scaled, to keep the curve."""
    left, right = (v - half_axle * omega) / radius, (v + half_axle * omega) / radius
    shrink = max(1.0, abs(left) / limit, abs(right) / limit)
    return left / shrink, right / shrink
