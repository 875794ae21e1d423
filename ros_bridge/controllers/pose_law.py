"""The law that leads a differential robot to a pose, as plain functions of numbers.

v = kρ·ρ, ω = kα·α + kβ·β, with ρ the distance to the goal, α its direction seen from the robot and β the
goal's heading less that direction (Siegwart & Nourbakhsh, Autonomous Mobile Robots, 3.6.2.4). With these
gains ρ shrinks faster than β, so the robot would arrive with a part of its heading error left: the last thing
it does is to turn on the spot.
"""

from __future__ import annotations

import math

K_RHO, K_ALPHA, K_BETA = 3.0, 8.0, -1.5
K_TURN = 3.0
"""1/s; gain of the turn on the spot."""
STOP_DISTANCE = 0.025
"""m; half of the 0.05 m that count as arrived, so that the turn on the spot does not leave them."""
STOP_ANGLE = math.radians(1.0)

Pose2D = tuple[float, float, float]
"""x and y in m, heading in rad, counter-clockwise from the x axis."""


class PoseLaw:
    """Forward speed in m/s and turning rate in rad/s that lead to a goal."""

    def __init__(self, goal: Pose2D) -> None:
        self.goal = goal
        self.at_place = False

    def __call__(self, pose: Pose2D) -> tuple[float, float]:
        """The twist at a pose; once at the goal's place, it only turns to the goal's heading."""
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
    """The angle in [-π, π]."""
    return math.remainder(angle, math.tau)


def wheel_speeds(
    v: float, omega: float, radius: float, half_axle: float, limit: float
) -> tuple[float, float]:
    """Left and right wheel speed in rad/s; past the limit both shrink alike, which keeps the curve."""
    left, right = (v - half_axle * omega) / radius, (v + half_axle * omega) / radius
    shrink = max(1.0, abs(left) / limit, abs(right) / limit)
    return left / shrink, right / shrink
