"""Never answers again."""

import time

from controller import Robot

robot = Robot()
robot.step(16)
while True:
    time.sleep(1.0)
