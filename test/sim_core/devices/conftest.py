"""A world with its physics and the sensors of its robots, without the rest of the simulation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sim_core.base.config import DeviceConfig
from sim_core.devices import DEVICES, DeviceContext, Sensor, make_device
from sim_core.devices.media import Media
from sim_core.devices.noise import device_seed
from sim_core.scene import Node, Scene, parse_scene


class Rig:
    """Steps the physics and samples every sensor after every step."""

    def __init__(self, text: str, seed: int = 0) -> None:
        from sim_core.engines.ode import PhysicsWorld  # here: most tests in this folder need no physics
        from sim_core.sensing.raycast import RayScene

        self.scene: Scene = parse_scene("#VRML_SIM R2025a utf8\n" + text, "w.wbt")
        self.physics = PhysicsWorld(self.scene, seed)
        self.rays = RayScene(self.scene, self.physics.frame)
        self.media = Media(self.physics, self.rays.new_batch)
        self.sensors: dict[str, Sensor] = {}
        for node in self.scene.walk():
            if node.type_name in DEVICES:
                device = make_device(node, self.context(node, seed))
                if isinstance(device, Sensor):
                    self.sensors[device.name] = device

    def context(self, node: Node, seed: int) -> DeviceContext:
        robot = next(each for each in (node, *node.ancestors()) if each.is_a("Robot"))
        return DeviceContext(
            self.physics,
            robot,
            robot["name"],
            DeviceConfig(),
            device_seed(seed, node.path()),
            self.media,
        )

    def __getitem__(self, name: str) -> Sensor:
        return self.sensors[name]

    def sense(self) -> None:
        batch = self.rays.batch()
        for sensor in self.sensors.values():
            sensor.prepare(batch)
        batch.cast()
        for sensor in self.sensors.values():
            sensor.update(self.physics.time_ns)

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            for medium in self.media.acting:
                medium.before_step()
            self.physics.step()
            for sensor in self.sensors.values():
                if sensor.needs_tracking:
                    sensor.track(self.physics.time_ns)
            for medium in self.media.observing:
                medium.after_step(self.physics.time_ns)
            self.sense()

    def reset(self) -> None:
        self.physics.reset()
        self.media.reset()
        for sensor in self.sensors.values():
            sensor.reset()


@pytest.fixture
def rig() -> Callable[..., Rig]:
    """Makes a rig from the text of a world, without its header."""
    return Rig
