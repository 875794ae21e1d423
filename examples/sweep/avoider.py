"""The wall avoider's rule with other numbers, as a controller of sweeps; and what is measured."""

from __future__ import annotations

import math

import numpy as np


class Avoider:
    """Drives one robot; made once for each robot and run."""

    def __init__(self, robot, seed, front=0.95, side=0.5, cruise=5.0, turn=2.0):
        """Distances in m, wheel speeds in rad/s. Each run starts by a turn of its own, by its seed."""
        self.robot, self.front, self.side, self.cruise, self.turn = robot, front, side, cruise, turn
        random = np.random.default_rng([seed, *robot.name.encode()])
        self.turns_until = random.uniform(0.0, 2.0)

    def step(self, time: float) -> None:
        """Called after each period, with the sim time in s."""
        robot = self.robot
        front, left, right = (robot[name].value for name in ("ds_front", "ds_left", "ds_right"))
        speeds = (self.cruise, self.cruise)
        if time < self.turns_until or front <= self.front or left < min(right, self.side):
            speeds = (self.turn, -self.turn)
        elif right < min(left, self.side):
            speeds = (-self.turn, self.turn)
        robot["motor_left"].set_velocity(speeds[0])
        robot["motor_right"].set_velocity(speeds[1])


def mean_distance(sim) -> float:
    """Mean distance in m of all robots from the middle of the arena, at the end of the run."""
    places = [robot.frame.pose().position for robot in sim.robots.values()]
    return sum(math.hypot(x, y) for x, y, _ in places) / len(places)
