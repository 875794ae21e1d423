"""A task in one copy of its world, as a Gymnasium environment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np

from sim_core.base.errors import ConfigError
from sim_core.experiments.learning.episodes import Episodes, Observed, row_of
from sim_core.experiments.learning.task import Task
from sim_core.experiments.learning.worlds import SimulatedWorlds
from sim_core.recording.viewpoint import WorldView
from sim_core.session.simulation import Simulation

_FIRST = np.zeros(1, np.int64)


class TaskEnv(gymnasium.Env[Any, Any]):
    """A task in one simulation; `OdesimVectorEnv` is the same for many copies, to the bit.

    Attributes:
        task: the task.
        sim: the simulation.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 5}  # noqa: RUF012

    def __init__(
        self,
        task: Task,
        *,
        physics: str | None = None,
        render_mode: str | None = None,
        width: int = 640,
        height: int = 360,
    ) -> None:
        """Load the task's world; `physics` and the size of pictures as in `OdesimVectorEnv` and
        `OdesimEnv`.

        Raises:
            OdesimError: the world cannot be simulated.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(f'render_mode: found "{render_mode}", expected rgb_array or None')
        spec = task.world
        if physics is not None:
            spec = replace(spec, config=replace(spec.config, physics=physics))
        self.task = task
        self.render_mode = render_mode
        self._size = (width, height)
        self._eye: WorldView | None = None
        self._worlds = SimulatedWorlds(spec, 1)
        self._episodes = Episodes(task, self._worlds)
        self.observation_space = self._episodes.observation_space
        self.action_space = self._episodes.action_space
        self.metadata = {**self.metadata, "render_fps": max(1, round(1.0 / self._worlds.seconds))}
        self._is_fresh = False

    @property
    def sim(self) -> Simulation:
        """The simulation."""
        return self._worlds.all[0].sim

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begin an episode; a seed makes this and all later ones reproducible."""
        super().reset(seed=seed)
        self._eye = None
        self._episodes.begin(_FIRST, [seed])
        self.np_random = self._episodes.random(0)
        self._is_fresh = True
        return row_of(self._episodes.observe(), 0), {"time": 0.0, "seed": int(self._episodes.seeds[0])}

    def step(self, action: Any) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Command, and simulate one period.

        Raises:
            CommandError: the action has another shape, or is not finite; nothing has happened.
        """
        if not self._is_fresh:
            raise gymnasium.error.ResetNeeded("found step() before reset(), expected reset() first")
        episodes = self._episodes
        episodes.step(_FIRST, episodes.checked([action]))
        reward, ended, won = episodes.judge()
        infos = {"time": float(episodes.time[0]), "won": bool(won[0])}
        return (
            row_of(episodes.observe(), 0),
            float(reward[0]),
            bool(ended[0]),
            bool(episodes.is_late()[0]),
            infos,
        )

    def render(self) -> Any:
        """Return a (height, width, 3) uint8 picture from the Viewpoint; None without render_mode."""
        if self.render_mode is None:
            return None
        if self._eye is None:
            self._eye = WorldView(self.sim, *self._size)
        return self._eye.picture()

    def close(self) -> None:
        """End the simulation; may be called twice."""
        self._is_fresh = False
        self._eye = None
        self._worlds.close()
