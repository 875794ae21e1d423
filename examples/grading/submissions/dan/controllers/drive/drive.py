"""Drives into the wall."""

import math

from controller import Robot

robot = Robot()
for side in ("left", "right"):
    motor = robot.getDevice(f"{side} wheel motor")
    motor.setPosition(math.inf)
    motor.setVelocity(6.0)
while robot.step(16) != -1:
    pass
