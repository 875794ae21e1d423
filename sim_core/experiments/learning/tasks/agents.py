"""Tasks of several agents with PettingZoo's parallel interface."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from pettingzoo import ParallelEnv

from sim_core.experiments.learning.task_env import TaskEnv
from sim_core.experiments.learning.tasks.two_against_two import PLAYERS, VIEW, TwoAgainstTwo


class TwoAgainstTwoEnv(ParallelEnv[str, Any, Any]):
    """`TwoAgainstTwo` with PettingZoo's parallel interface: one agent for each player."""

    metadata: dict[str, Any] = {"name": "odesim_two_against_two_v0", "render_modes": ["rgb_array"]}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None, **arguments: Any) -> None:
        """Create the environment; `arguments` are those of `TwoAgainstTwo`."""
        self.render_mode = render_mode
        self.possible_agents = list(PLAYERS)
        self.agents: list[str] = []
        self._env = TaskEnv(TwoAgainstTwo(**arguments), render_mode=render_mode)
        self.observation_spaces = {name: Box(-1.0, 1.0, (VIEW,), np.float32) for name in PLAYERS}
        self.action_spaces = {name: Box(-1.0, 1.0, (2,), np.float32) for name in PLAYERS}

    def observation_space(self, agent: str) -> Box:
        """Return the observation space of a player."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Box:
        """Return the action space of a player."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Kick-off."""
        observation, info = self._env.reset(seed=seed)
        self.agents = list(PLAYERS)
        return self._views(observation), {name: dict(info) for name in PLAYERS}

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Apply the actions of all players at once; a player without action stops."""
        still = np.zeros(2, np.float32)
        joint = np.concatenate([np.ravel(actions.get(name, still)) for name in PLAYERS])
        observation, reward, ended, late, info = self._env.step(joint)
        agents = self.agents
        if ended or late:
            self.agents = []
        rewards = {name: reward if name.startswith("blue") else -reward for name in agents}
        return (
            self._views(observation),
            rewards,
            dict.fromkeys(agents, ended),
            dict.fromkeys(agents, late),
            {name: dict(info) for name in agents},
        )

    def render(self) -> Any:
        """See `TaskEnv.render`."""
        return self._env.render()

    def close(self) -> None:
        """End the simulation."""
        self._env.close()

    @staticmethod
    def _views(observation: Any) -> dict[str, Any]:
        return {name: observation[VIEW * k : VIEW * (k + 1)] for k, name in enumerate(PLAYERS)}
