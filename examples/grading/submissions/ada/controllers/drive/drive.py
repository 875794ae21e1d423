"""Drives until the sensor at the front sees the wall."""

import math

from controller import Robot

robot = Robot()
step = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
sensor = robot.getDevice("ps0")
sensor.enable(step)
for motor in motors:
    motor.setPosition(math.inf)
speed = 6.0
while robot.step(step) != -1:
    if sensor.getValue() > 120.0:
        speed = 0.0
        robot.setCustomData("there")
    for motor in motors:
        motor.setVelocity(speed)
