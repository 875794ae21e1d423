"""Ends with an error after a while."""

from controller import Robot

robot = Robot()
for _ in range(10):
    robot.step(16)
print(1 / 0)
