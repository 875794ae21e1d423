"""Many copies of a world as one Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.random import Generator

from sim_core.base.arrays import BoolArray, Float32Array, FloatArray
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.experiments.learning.episodes import Episodes
from sim_core.experiments.learning.gpu_episodes import GpuEpisodes, not_on_card
from sim_core.experiments.learning.task import FunctionTask, PlanarPose, Seen, Start, Task, WorldSetup
from sim_core.experiments.learning.world_batch import WorldBatch, why_no_batch
from sim_core.experiments.learning.world_copy import WorldCopy
from sim_core.experiments.learning.world_processes import WorldProcesses
from sim_core.experiments.learning.worlds import SimulatedWorlds, Worlds

DEVICES = ("cpu", "cuda")
"""Where copies can be simulated: on the processor, or on a graphics card."""


class OdesimVectorEnv(VectorEnv[Any, Any, Any]):
    """N copies of a world; each develops to the bit as it would alone.

    In the fast 2D mode all copies are one batch of arrays, stepped by compiled code on all cores, if nothing
    is observed except distance sensors and fixed lidars without noise, and nothing commanded except
    velocities of wheels; `why` is the reason if not. On ODE, and in all other cases, each copy is a
    simulation, and they are stepped in several processes.

    After the end of an episode the next one begins according to `autoreset` (see Gymnasium's
    `AutoresetMode`): with `NEXT_STEP` by the next step, whose action for that copy is not used and whose
    reward is 0; with `SAME_STEP` immediately, the last observation is then in `infos["final_obs"]`; with
    `DISABLED` by `reset(options={"reset_mask": …})`.

    `infos` has (n,) arrays: `time` in s and, if the task defines a win, `won`.

    With `device="cuda"`, all that is returned is arrays on the graphics card, with the interface
    `__cuda_array_interface__`, from which `torch.as_tensor` and `cupy.asarray` make their own without a copy.
    The next step overwrites them. Actions are float32, best of torch or CuPy; numbers that are not finite
    count as 0.

    Attributes:
        task: the task.
        why: reason why the copies are not a batch; None: they are.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        world: str | Path | Task,
        num_envs: int,
        observations: Sequence[str] = (),
        actions: Sequence[str] = (),
        *,
        reward: Callable[[Seen], FloatArray] | None = None,
        terminated: Callable[[Seen], BoolArray] | None = None,
        at_reset: Callable[[Generator], Mapping[str, PlanarPose] | Start] | None = None,
        bodies: Sequence[str] = (),
        robot: str | None = None,
        period: float | None = None,
        duration: float | None = None,
        config: SimulationConfig | None = None,
        physics: str | None = None,
        autoreset: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        workers: int | None = None,
        device: str = "cpu",
    ) -> None:
        """Load the world.

        Args:
            world: a world file; or a task, which replaces the arguments that it contains.
            num_envs: number of copies.
            observations, actions, robot, period, duration, config: as in `OdesimEnv`.
            reward, terminated: return (n,) values for the state of all copies; None: 0, and never.
            at_reset: returns the start poses in one copy, drawn from its generator; None: as in the file.
            bodies: robots or nodes whose poses are observed.
            physics: `ode` or `fast2d`; None: from the task or the configuration.
            autoreset: see above.
            workers: number of threads of the batch, or of processes; 0: only this one; None: the number of
                cores, but no more than copies.
            device: `cpu`; or `cuda`: the copies are simulated on a graphics card.

        Raises:
            OdesimError: the world cannot be simulated, on this device, or has no such devices.
        """
        if device not in DEVICES:
            raise ConfigError(f"device: found {device!r}, expected one of {', '.join(DEVICES)}")
        try:
            self.autoreset = AutoresetMode(autoreset)
        except ValueError:
            modes = ", ".join(mode.value for mode in AutoresetMode)
            raise ConfigError(f"autoreset: found {autoreset!r}, expected one of {modes}") from None
        if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
            raise ConfigError(f"num_envs: found {num_envs!r}, expected a whole number of 1 or more")
        if isinstance(world, Task):
            task = world
        else:
            spec = WorldSetup(
                world,
                tuple(observations),
                tuple(actions),
                tuple(bodies),
                robot,
                period,
                config or SimulationConfig(),
            )
            task = FunctionTask(spec, duration, reward, terminated, at_reset)
        self.task, self.num_envs = task, num_envs
        self._card: GpuEpisodes | None = None
        episodes: GpuEpisodes | Episodes
        if device == "cuda":
            self.why = None
            self._card = episodes = make_card(task, num_envs, physics, self.autoreset)
            seconds = episodes.seconds
        else:
            worlds, self.why = make_worlds(task.world, num_envs, physics, workers)
            self._episodes = episodes = Episodes(task, worlds)
            seconds = worlds.seconds
        self.single_observation_space = episodes.observation_space
        self.single_action_space = episodes.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        rate = max(1, round(1.0 / seconds))
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset, "render_fps": rate}
        self._all = np.arange(num_envs)
        self._over = np.zeros(num_envs, np.bool_)
        self._is_fresh = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32Array, dict[str, Any]]:
        """Begin episodes.

        Args:
            seed: seed of the first copy, the next has the next number; or one for each; None: generators
                continue.
            options: `{"reset_mask": (n,) bool}`: begin episodes only in these copies.

        Returns:
            (n, k) observations, and `seed` and `time` of each simulation.
        """
        mask = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, np.bool_)))
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ConfigError(f"reset_mask: found {mask}, expected {self.num_envs} bools, one of them True")
        if not self._is_fresh and not mask.all():
            raise gymnasium.error.ResetNeeded("found a reset of some copies, expected one of all before it")
        if seed is None or isinstance(seed, int):
            seeds = [None if seed is None else seed + row for row in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ConfigError(f"seed: found {len(seeds)} seeds, expected {self.num_envs}")
        if self._card is not None:
            self._card.begin(seeds, mask)
            self._is_fresh = True
            return self._card.state.observation, {**self._card.infos(), "seed": self._card.state.seeds}
        rows = self._all[mask]
        self._episodes.begin(rows, [seeds[row] for row in rows.tolist()])
        self._over[rows] = False
        self._is_fresh = True
        return self._episodes.observe(), {**self._infos(), "seed": self._episodes.seeds.copy()}

    def step(self, actions: Any) -> tuple[Float32Array, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Command, and simulate one period of all copies.

        Returns:
            (n, k) observations; (n,) rewards, terminated, truncated; and infos.

        Raises:
            CommandError: the actions have another shape, or are not finite; nothing has happened.
        """
        if not self._is_fresh:
            raise gymnasium.error.ResetNeeded("found step() before reset(), expected reset() first")
        if self._card is not None:
            return self._card.step(actions)
        episodes = self._episodes
        action = episodes.checked(actions)
        begins = self._over if self.autoreset is AutoresetMode.NEXT_STEP else np.zeros_like(self._over)
        episodes.step(self._all[~begins], action)
        if begins.any():
            rows = self._all[begins]
            episodes.begin(rows, [None] * len(rows))
        observation = episodes.observe()
        judged = episodes.judge()
        reward = np.where(begins, 0.0, judged.reward)
        ended, late = judged.ended & ~begins, episodes.is_late() & ~begins
        infos = {**self._infos(), "won": judged.won & ~begins, "_won": np.ones_like(ended)}
        self._over = ended | late
        if self.autoreset is AutoresetMode.SAME_STEP and self._over.any():
            rows = self._all[self._over]
            infos |= {"final_obs": observation.copy(), "_final_obs": self._over.copy()}
            infos["final_info"] = {"time": infos["time"], "won": infos["won"]}
            infos["_final_info"] = self._over.copy()
            episodes.begin(rows, [None] * len(rows))
            observation[rows] = episodes.observe()[rows]
            infos |= self._infos()
        return observation, reward, ended, late, infos

    def close_extras(self, **kwargs: Any) -> None:
        """End the simulations; may be called twice."""
        self._is_fresh = False
        if self._card is None:
            self._episodes.worlds.close()

    def _infos(self) -> dict[str, Any]:
        return {"time": self._episodes.time, "_time": np.ones(self.num_envs, np.bool_)}


def make_worlds(
    spec: WorldSetup, count: int, physics: str | None, workers: int | None
) -> tuple[Worlds, str | None]:
    """Return copies of a world: a batch, or else simulations; and the reason why they are not a batch."""
    spec = _with_physics(spec, physics)
    if workers is not None and workers < 0:
        raise ConfigError(f"workers: found {workers}, expected 0 or more")
    first = WorldCopy(spec)
    reason = why_no_batch(first)
    if reason is None:
        return WorldBatch(first, count, workers), None
    first.close()
    if workers == 0 or count == 1:
        return SimulatedWorlds(spec, count), reason
    return WorldProcesses(spec, count, workers), reason


def make_card(task: Task, count: int, physics: str | None, autoreset: AutoresetMode) -> GpuEpisodes:
    """Return copies of a task's world on a graphics card.

    Raises:
        OdesimError: the world cannot be simulated on one.
    """
    world = WorldCopy(_with_physics(task.world, physics))
    reason = why_no_batch(world)
    if reason is not None:
        raise not_on_card(reason)
    return GpuEpisodes(task, world, count, autoreset)


def _with_physics(spec: WorldSetup, physics: str | None) -> WorldSetup:
    return spec if physics is None else replace(spec, config=replace(spec.config, physics=physics))
