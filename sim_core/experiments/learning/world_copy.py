"""One copy of a world, with the observed and commanded devices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sim_core.base.arrays import Float32Array
from sim_core.base.clock import to_seconds
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import ZERO, Pose
from sim_core.base.ids import NodeId
from sim_core.base.shipped import find_world
from sim_core.experiments.learning.channels import find_action, find_observation, joined, within
from sim_core.experiments.learning.period import period_of
from sim_core.experiments.learning.task import PlanarPose, WorldSetup
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation


class WorldCopy:
    """A simulation that is stepped by periods, as in `OdesimEnv`.

    Attributes:
        spec: setup of the world.
        sim: the simulation.
        observations, actions: the devices, in their order.
        steps: number of basic time steps of a period.
        read_space, command_space: spaces of all readings and commands, in one row each.
        bodies: nodes of the bodies.
    """

    def __init__(self, spec: WorldSetup) -> None:
        """Load the world.

        Raises:
            OdesimError: it cannot be simulated, or has no such devices or bodies.
        """
        config = spec.config
        scene = load_scene(find_world(spec.world))
        period_ns = period_of(spec.period, scene)
        period = to_seconds(period_ns)
        if config.sampling_period is None:
            config = replace(config, sampling_period=period)
        config = replace(config, odometry_period=max(config.odometry_period, period))  # odometry is not used
        self.spec = spec
        self.sim = Simulation(scene, config)
        self.steps = period_ns // self.sim.step_ns
        self._connect()
        for what, found in (("observations", self.observations), ("actions", self.actions)):
            names = [each.name for each in found]
            if not names or len(set(names)) < len(names):
                raise ConfigError(f"{what}: found the names {names}, expected one or more, each once")
        if any(each.space.dtype != np.float32 for each in self.observations):
            raise ConfigError("observations: found pictures, expected numbers; OdesimEnv has pictures")
        self.read_space = joined([each.space for each in self.observations])
        self.command_space = joined([each.space for each in self.actions])

    @property
    def seconds(self) -> float:
        """Sim time of a period in s."""
        return self.steps * self.sim.step_ns / 1e9

    def begin(self, seed: int | None, places: Mapping[str, PlanarPose]) -> None:
        """Begin an episode.

        Args:
            seed: seed of the simulation; None: the same as before.
            places: see `Start.places`.

        Raises:
            OdesimError: something cannot be placed.
        """
        self.sim.reset(seed)
        if self.sim.world is not self._world:
            self._connect()
        for name, place in places.items():
            self._put(name, place)
        self.sim.sample([each.sensor for each in self.observations])

    def step(self, command: Float32Array) -> None:
        """Command, within the limits, and simulate one period."""
        at = 0
        for each in self.actions:
            size = math.prod(each.space.shape)
            each.apply(command[at : at + size])
            at += size
        self.sim.step(self.steps)

    def latest_readings(self) -> Float32Array:
        """Return the (r,) last readings."""
        return within(np.concatenate([each.raw().ravel() for each in self.observations]), self.read_space)

    def poses(self) -> list[tuple[float, float, float, float]]:
        """Return the poses as in `Seen.poses`."""
        found = []
        for frame in self._frames:
            position, turn = frame.pose()
            found.append((position[0], position[1], turn[0], turn[3]))
        return found

    def close(self) -> None:
        """End the simulation."""
        self.sim.close()

    def _connect(self) -> None:
        """Find the devices and bodies in the present simulation."""
        sim, spec = self.sim, self.spec
        self._world = sim.world
        if not sim.robots:
            raise ConfigError(f"{sim.scene.file}: found no robot, expected one or more")
        robot = sim.robot(spec.robot) if spec.robot is not None else next(iter(sim.robots.values()))
        self.observations = [find_observation(sim, robot, name) for name in spec.observations]
        self.actions = [find_action(sim, robot, name) for name in spec.actions]
        self.bodies = [self._find(name) for name in spec.bodies]
        self._frames = [sim.physics.frame(body) for body in self.bodies]

    def _find(self, name: str) -> NodeId:
        found = self.sim.robots[name].node if name in self.sim.robots else self.sim.supervisor.find(name)
        if found is None:
            file = self.sim.scene.file
            raise ConfigError(f'{file}: found no robot and no DEF "{name}", expected one of this name')
        return found.id

    def _put(self, name: str, place: PlanarPose) -> None:
        sim, body, rolled = self.sim, self._find(name), self.sim.world.rolled
        if rolled is not None:
            if body not in rolled.arrays.robots:
                raise ConfigError(placement_message(name))
            sim.physics.move(body, upright(place), ZERO, ZERO)
            return
        node = sim.robots[name].node if name in sim.robots else name
        z = sim.supervisor.get(node, "translation")[2]
        sim.supervisor.set(node, "translation", (place.x, place.y, z))
        sim.supervisor.set(node, "rotation", (0.0, 0.0, 1.0, place.heading))


def placement_message(name: str) -> str:
    """Return the message about an object that cannot be placed at the start of an episode."""
    return f'at_reset: found "{name}", expected a robot that drives, as nothing else can be placed in fast 2D'


def upright(place: PlanarPose) -> Pose:
    """Return the pose of an upright object."""
    c, s = math.cos(place.heading), math.sin(place.heading)
    return Pose((place.x, place.y, 0.0), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
