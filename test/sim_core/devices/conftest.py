"""Fixture with a world whose sensors are all sampled after each step."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sim_core.base.config import SimulationConfig
from sim_core.devices import Sensor
from sim_core.scene import Scene, parse_scene
from sim_core.session.simulation import Simulation


class Rig:
    """A simulation, and its sensors by name."""

    def __init__(self, text: str, seed: int = 0) -> None:
        self.scene: Scene = parse_scene("#VRML_SIM R2025a utf8\n" + text, "w.wbt")
        self.sim = Simulation(self.scene, SimulationConfig(seed=seed, sampling_period=0.0))
        self.physics = self.sim.physics
        self.sensors: dict[str, Sensor] = {
            sensor.name: sensor for robot in self.sim.robots.values() for sensor in robot.sensors()
        }

    def __getitem__(self, name: str) -> Sensor:
        return self.sensors[name]

    def sense(self) -> None:
        self.sim.sample(list(self.sensors.values()))

    def step(self, count: int = 1) -> None:
        self.sim.step(count)

    def reset(self) -> None:
        self.sim.reset()


@pytest.fixture
def rig() -> Callable[..., Rig]:
    """Return a function that makes a rig from the text of a world without its header."""
    return Rig
