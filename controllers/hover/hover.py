"""Lets a Crazyflie hover above a point, climb, and come down again, for Webots' Python interface.

The argument of the controller is the height in m. The laws are those of any introduction to quadrotors: the
place wanted gives an acceleration, that gives a thrust and a tilt, the tilt gives torques, and thrust and
torques give the speeds of the propellers.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

GRAVITY = 9.81
MASS = 0.027
INERTIA = (1.395e-5, 1.436e-5, 2.173e-5)
"""kg·m², about the body's axes."""
THRUST = 2.88e-8
"""N/(rad/s)²; of one propeller."""
TORQUE = 7.24e-10
"""N·m/(rad/s)²; of one propeller, against its turning."""
ARM = 0.046 / math.sqrt(2.0)
"""m from the middle to a propeller, along x and along y."""
MAX_SPEED = 2272.0
MAX_TILT = 0.35
PLACE, SPEED = 2.2, 2.6
"""1/s², 1/s: how strongly a wrong place and a wrong speed are answered."""
TILT, RATE = 150.0, 22.0
"""1/s², 1/s: the same for the attitude."""

Vector = Sequence[float]


def motor_speeds(thrust: float, torques: Vector) -> list[float]:
    """Speeds of m1 to m4, rad/s, for a thrust in N and torques about the body's axes in N·m.

    m1 and m3 (right front, left back) turn at negative speeds, m2 and m4 at positive ones.
    """
    x, y, z = torques[0] / (4.0 * ARM), torques[1] / (4.0 * ARM), torques[2] * THRUST / (4.0 * TORQUE)
    each = thrust / 4.0
    forces = (each - x - y + z, each - x + y - z, each + x + y + z, each + x - y - z)
    speeds = [min(MAX_SPEED, math.sqrt(max(0.0, force) / THRUST)) for force in forces]
    return [sign * speed for sign, speed in zip((-1.0, 1.0, -1.0, 1.0), speeds, strict=True)]


def hover(goal: Vector, place: Vector, velocity: Vector, attitude: Vector, rates: Vector) -> list[float]:
    """Speeds of the propellers, rad/s, that lead to a place and keep the nose along x.

    Args:
        goal, place: m, in the world's axes.
        velocity: m/s, in the world's axes.
        attitude: roll, pitch, yaw, rad.
        rates: rad/s, about the body's axes.
    """
    ax, ay, az = (PLACE * (g - p) - SPEED * v for g, p, v in zip(goal, place, velocity, strict=True))
    roll, pitch, yaw = attitude
    forward, left = ax * math.cos(yaw) + ay * math.sin(yaw), ay * math.cos(yaw) - ax * math.sin(yaw)
    wanted = (
        max(-MAX_TILT, min(MAX_TILT, -left / GRAVITY)),
        max(-MAX_TILT, min(MAX_TILT, forward / GRAVITY)),
        0.0,
    )
    thrust = MASS * max(0.0, GRAVITY + az) / (math.cos(roll) * math.cos(pitch))
    torques = [
        inertia * (TILT * (w - angle) - RATE * rate)
        for inertia, w, angle, rate in zip(INERTIA, wanted, attitude, rates, strict=True)
    ]
    return motor_speeds(thrust, torques)


def main() -> None:
    """Up to the height, a metre higher after 4 s, down after 8 s; again every 14 s."""
    from controller import Robot  # here, so that the laws can be read without a simulation

    robot = Robot()
    step = int(robot.getBasicTimeStep())
    height = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    motors = [robot.getDevice(f"m{k}_motor") for k in (1, 2, 3, 4)]
    gps, attitude, gyro = (robot.getDevice(name) for name in ("gps", "inertial_unit", "gyro"))
    for sensor in (gps, attitude, gyro):
        sensor.enable(step)
    for motor in motors:
        motor.setPosition(math.inf)
        motor.setVelocity(0.0)
    robot.step(step)
    start = before = gps.getValues()
    while robot.step(step) != -1:
        place, phase = gps.getValues(), robot.getTime() % 14.0
        velocity = [(now - then) * 1000.0 / step for now, then in zip(place, before, strict=True)]
        before = place
        above = (
            height
            if phase < 4.0
            else height + 1.0
            if phase < 8.0
            else max(0.0, height + 1.0 - 0.4 * (phase - 8.0))
        )
        speeds = hover(
            [start[0], start[1], above], place, velocity, attitude.getRollPitchYaw(), gyro.getValues()
        )
        for motor, speed in zip(motors, speeds, strict=True):
            motor.setVelocity(speed)


if __name__ == "__main__":
    main()
