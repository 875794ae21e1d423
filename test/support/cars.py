"""The shipped car and the law of its pilot, in this process."""

from __future__ import annotations

from pathlib import Path

from ros_bridge.controllers.ute_law import REAR, STROKE, UteLaw, UteReadings
from ros_bridge.controllers.ute_pilot import PERIOD
from sim_core import SimulationConfig
from sim_core.base.geometry import yaw_of
from sim_core.base.shipped import shipped_worlds
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation


class Car:
    """The shipped car, its law called every 25 ms with what its sensors and its odometry say."""

    def __init__(self, law: UteLaw, world: Path | None = None) -> None:
        """In the shipped world, or in another one."""
        self.sim = Simulation(
            load_scene(world or shipped_worlds()["ute"]),
            SimulationConfig(odometry_period=PERIOD, synchronization=False),
        )
        self.robot = self.sim.robot("ute")
        self.law = law
        self.track: list[tuple[float, float]] = []

    @property
    def speed(self) -> float:
        """m/s along the car."""
        assert self.robot.drive is not None
        return self.robot.drive.twist().linear

    def measured(self) -> UteReadings:
        robot = self.robot
        left, right = (robot[f"{side} steering"].position for side in ("left", "right"))
        accelerator, brake = (robot[name].position for name in STROKE)
        left_wheel, right_wheel = (robot[name].velocity for name in REAR)
        x, y, _ = robot.frame.pose().position
        heading = yaw_of(robot.frame.pose().rotation)
        return UteReadings(
            left, right, accelerator, brake, left_wheel, right_wheel, x, y, heading, self.speed
        )

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD)):
            commands = self.law.commands(self.measured(), PERIOD)
            for name, velocity in commands.velocities.items():
                self.robot[name].set_velocity(velocity)
            for name, effort in commands.efforts.items():
                self.robot[name].set_effort(effort)
            self.sim.run(PERIOD)
            self.track.append(self.robot.frame.pose().position[:2])
