"""A world as a Gymnasium environment: observations and actions are devices, named as in the world."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sim_core.base.arrays import Float32Array
from sim_core.base.clock import to_nanoseconds, to_seconds
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import CommandError, ConfigError
from sim_core.base.shipped import find_world
from sim_core.experiments.learning.channels import (
    ActionChannel,
    Observation,
    find_action,
    find_observation,
    joined,
)
from sim_core.experiments.learning.period import period_of
from sim_core.recording.viewpoint import WorldView
from sim_core.scene import load_scene
from sim_core.sensing.picture_view import FAST
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

Observed = NDArray[Any] | dict[str, NDArray[Any]]


class OdesimEnv(gymnasium.Env[Any, Any]):
    """One world, in which an agent drives one robot, or several.

    A step of the environment is `period` seconds of sim time: the action is commanded, the world is
    simulated, the observed sensors are read, the functions `reward` and `terminated` are called. An episode
    is truncated after `duration` seconds.

    `reset(seed=…)` makes all episodes reproducible, in any process: the seed of the simulation's noise is
    drawn for each episode from the environment's generator `np_random`.

    Attributes:
        sim: the simulation, a new one in each episode; `sim.supervisor` may change the world.
        robot: robot of names without a robot's name.
        action: last action, in the units of the devices; zeros before the first.
        observation: last observation.
        memory: dictionary for reward and termination functions; empty at the start of an episode.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 25}  # noqa: RUF012

    def __init__(
        self,
        world: str | Path,
        observations: Sequence[str],
        actions: Sequence[str],
        *,
        reward: Callable[[OdesimEnv], float] | None = None,
        terminated: Callable[[OdesimEnv], bool] | None = None,
        at_reset: Callable[[OdesimEnv], object] | None = None,
        robot: str | None = None,
        period: float | None = None,
        duration: float | None = None,
        config: SimulationConfig | None = None,
        dict_observations: bool = False,
        dict_actions: bool = False,
        render_mode: str | None = None,
        width: int = 640,
        height: int = 360,
    ) -> None:
        """Load the world.

        Args:
            world: a world file.
            observations: sensors: `ds_front`, or `robot2.ds_front` of another robot.
            actions: motors by velocity (`motor_left`), `arm.position`, `arm.effort`, or `drive`.
            reward: returns the reward of the last step; None: 0.
            terminated: returns whether the episode has ended by itself; None: never.
            at_reset: called when an episode begins, to place objects: `env.sim.supervisor`, `env.np_random`.
            robot: robot of names without a robot's name; None: the first one of the world.
            period: s of sim time, a multiple of the basic time step; 0: one basic time step; None: the
                multiple nearest to 0.1 s.
            duration: s of sim time; None: no limit.
            config: settings of the simulation; without other values sensors are sampled once per period.
            dict_observations, dict_actions: Dict spaces by these names, instead of one flat Box.
            render_mode: `rgb_array`: pictures from the world's Viewpoint.
            width, height: size of these pictures in pixels.

        Raises:
            OdesimError: the world cannot be simulated, or has no such devices.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(f'render_mode: found "{render_mode}", expected rgb_array or None')
        if duration is not None and not (math.isfinite(duration) and duration > 0.0):
            raise ConfigError(f"duration: found {duration}, expected seconds above 0")
        self.render_mode = render_mode
        self._scene = load_scene(find_world(world))
        config = config or SimulationConfig()
        period_ns = period_of(period, self._scene)
        if config.sampling_period is None:
            config = replace(config, sampling_period=to_seconds(period_ns))
        self._config = config
        self._robot_name = robot
        self._names = (tuple(observations), tuple(actions))
        self._functions = (reward, terminated, at_reset)
        self._size = (width, height)
        self._eye: WorldView | None = None
        self.sim = Simulation(self._scene, self._config)
        self._steps = period_ns // self.sim.step_ns
        self._end_ns = None if duration is None else to_nanoseconds(duration)
        self.metadata = {**self.metadata, "render_fps": max(1, round(1e9 / (self._steps * self.sim.step_ns)))}
        self._connect()
        self._dicts = (dict_observations, dict_actions)
        self.observation_space = _joined([(o.name, o.space) for o in self._observations], dict_observations)
        self.action_space = _joined([(a.name, a.space) for a in self._actions], dict_actions)
        self._is_fresh = False
        self.memory: dict[str, Any] = {}
        self.observation: Observed = {}
        self.action = np.zeros(sum(math.prod(each.space.shape) for each in self._actions), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: makes this and all later episodes reproducible.
            options: `{"seed": n}` sets the seed of the simulation alone.

        Returns:
            The observation of the start, and `{"time": 0.0, "seed": of the simulation}`.
        """
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2**31))
        sim_seed = int((options or {}).get("seed", drawn))
        self._restore_scene()
        self.sim = Simulation(self._scene, replace(self._config, seed=sim_seed))
        self._connect()
        self._is_fresh = True
        self.memory = {}
        self.action = np.zeros_like(self.action)
        if self._functions[2] is not None:
            self._functions[2](self)
        self.sim.sample([each.sensor for each in self._observations])
        self.observation = self._observe()
        return self.observation, {"time": self.sim.time, "seed": sim_seed}

    def step(self, action: Any) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Command, and simulate one period.

        Returns:
            Observation, reward, terminated, truncated, and `{"time": sim time in s}`.

        Raises:
            CommandError: the action has another shape, or is not finite; nothing has happened.
        """
        if not self._is_fresh:
            raise gymnasium.error.ResetNeeded("found step() before reset(), expected reset() first")
        self.action = self._checked(action)
        at = 0
        for each in self._actions:
            size = math.prod(each.space.shape)
            each.apply(self.action[at : at + size])
            at += size
        self.sim.step(self._steps)
        self.observation = self._observe()
        reward, terminated, _ = self._functions
        gain = float(reward(self)) if reward is not None else 0.0
        ended = bool(terminated(self)) if terminated is not None else False
        late = self._end_ns is not None and self.sim.time_ns >= self._end_ns
        return self.observation, gain, ended, late, {"time": self.sim.time}

    def render(self) -> Any:
        """Return a (height, width, 3) uint8 picture from the Viewpoint; None without render_mode."""
        if self.render_mode is None:
            return None
        if self._eye is None:
            self._eye = WorldView(self.sim, *self._size, look=FAST)
        return self._eye.picture()

    def close(self) -> None:
        """End the simulation and its render process; may be called twice."""
        self._is_fresh = False
        self._eye = None
        self.sim.close()

    def _restore_scene(self) -> None:
        """Restore the scene as it was loaded."""
        if self._is_fresh:
            self.sim.reset()
        self._eye = None
        self.sim.close()

    def _connect(self) -> None:
        """Find the devices in the present simulation."""
        sim = self.sim
        if self._robot_name is not None:
            self.robot: Robot = sim.robot(self._robot_name)
        elif sim.robots:
            self.robot = next(iter(sim.robots.values()))
        else:
            raise ConfigError(f"{self._scene.file}: found no robot, expected one or more")
        observed, acted = self._names
        self._observations: list[Observation] = [find_observation(sim, self.robot, name) for name in observed]
        self._actions: list[ActionChannel] = [find_action(sim, self.robot, name) for name in acted]

    def _observe(self) -> Observed:
        parts = {each.name: each.latest() for each in self._observations}
        if self._dicts[0]:
            return parts
        if len(parts) == 1:
            return next(iter(parts.values()))
        return np.concatenate([part.ravel() for part in parts.values()])

    def _checked(self, action: Any) -> Float32Array:
        """Return the action as one row of numbers, limited to the space."""
        if self._dicts[1]:
            try:
                action = np.concatenate([np.ravel(action[each.name]) for each in self._actions])
            except (KeyError, TypeError, ValueError):
                raise CommandError(f"action: found {action}, expected {self.action_space}") from None
        try:
            row = np.asarray(action, np.float32).ravel()
        except (TypeError, ValueError):
            raise CommandError(f"action: found {action!r}, expected {self.action.size} numbers") from None
        if row.shape != self.action.shape or not np.isfinite(row).all():
            raise CommandError(f"action: found {row.tolist()}, expected {self.action.size} finite numbers")
        low = np.concatenate([each.space.low.ravel() for each in self._actions])
        high = np.concatenate([each.space.high.ravel() for each in self._actions])
        clipped: Float32Array = np.clip(row, low, high)
        return clipped


def _joined(parts: list[tuple[str, spaces.Box]], as_dict: bool) -> spaces.Space[Any]:
    """Return one space of several: a Dict, or one flat Box.

    Raises:
        ConfigError: there are none, a name occurs twice, or pictures would be flattened with numbers.
    """
    names = [name for name, _ in parts]
    if not parts or len(set(names)) < len(names):
        raise ConfigError(f"found the names {names}, expected one or more, each once")
    if as_dict:
        return spaces.Dict(dict(parts))
    if len(parts) == 1:
        return parts[0][1]
    if any(space.dtype == np.uint8 for _, space in parts):
        raise ConfigError(f"found pictures among {names}, expected them alone, or dict_observations")
    return joined([space for _, space in parts])
