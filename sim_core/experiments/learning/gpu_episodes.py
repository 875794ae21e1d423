"""Episodes of a task in copies of its world on a graphics card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode

from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import CommandError, ConfigError, MissingPackageError
from sim_core.experiments.learning.compiled_task import rules_of
from sim_core.experiments.learning.draws import WIDTH, to_row
from sim_core.experiments.learning.gpu_tables import GpuState, GpuWorld, make_sizes, make_state, make_world
from sim_core.experiments.learning.task import Task
from sim_core.experiments.learning.world_batch import WorldBatch
from sim_core.experiments.learning.world_copy import WorldCopy

MEMORY = 1 << 17
"""Bytes that the buffers of a copy may need on the card; CUDA has 512 KiB, for all that run at a time."""
THREADS = 128
"""Threads in a block."""


class GpuEpisodes:
    """Copies of a world with a task on a card. Only seeds and masks of resets are copied to it, nothing back.

    Attributes:
        state: the arrays on the card, overwritten by each step.
        read_space, command_space, seconds: see `Worlds`.
    """

    def __init__(self, task: Task, world: WorldCopy, count: int, autoreset: AutoresetMode) -> None:
        """Copy a world to the card, which `why_no_batch` found fit for a batch.

        Raises:
            ConfigError: there is no card, or the world or the task cannot be simulated on it.
            MissingPackageError: numba's part for cards is not installed.
        """
        rules = rules_of(task)
        if rules is None:
            raise not_on_card("the task consists of Python functions, not of compiled rules")
        cuda = _check_card()
        from sim_core.experiments.learning.gpu_kernels import make_kernels

        self.read_space, self.command_space = world.read_space, world.command_space
        self.seconds = world.seconds
        spaces = task.spaces(world.read_space, world.command_space)
        self.observation_space, self.action_space = spaces
        last = np.iinfo(np.int64).max
        if task.duration is not None:
            last = -(-to_nanoseconds(task.duration) // to_nanoseconds(world.seconds))
        worlds = WorldBatch(world, 1)
        tables = make_world(world, worlds, task, rules)
        sizes = make_sizes(worlds, tables, last)
        if sizes.bytes > MEMORY:
            raise not_on_card(f"a copy needs {sizes.bytes:,} bytes for collisions and rays, above {MEMORY:,}")
        self._cuda, self._count, self._autoreset = cuda, count, autoreset
        self._world: GpuWorld = self._to_card(tables)
        observed = self.observation_space.shape[0]
        self.state: GpuState = self._to_card(make_state(tables, rules, observed, count))
        self._kernels = make_kernels(sizes, rules, autoreset)
        self._threads = min(THREADS, count)
        self._is_seeded = False
        self._all = self._to_card(np.ones(count, np.bool_))

    def begin(self, seeds: Sequence[int | None], mask: Any) -> None:
        """Begin episodes in the copies of a mask (n,); without a seed their generators continue."""
        given = [
            row for row in np.flatnonzero(mask).tolist() if seeds[row] is not None or not self._is_seeded
        ]
        if given:
            rows = np.zeros((self._count, WIDTH), np.uint64, "F")
            if self._is_seeded:
                rows[:] = self._to_host(self.state.random)
            for row in given:
                to_row(seeding.np_random(seeds[row])[0], rows[row])
            self.state = self.state._replace(random=self._to_card(rows))
            self._is_seeded = True
        self._launch(self._kernels.begin, self._to_card(np.ascontiguousarray(mask)))

    def infos(self) -> dict[str, Any]:
        """Return the times of the episodes, as `OdesimVectorEnv`."""
        return {"time": self.state.time, "_time": self._all}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Simulate a step of all copies; see `OdesimVectorEnv.step`.

        Raises:
            CommandError: the actions have another shape.
        """
        shape = self.state.seen.action.shape
        if hasattr(actions, "__cuda_array_interface__"):
            actions = self._cuda.as_cuda_array(actions)
        else:
            actions = self._to_card(np.ascontiguousarray(actions, np.float32))
        if tuple(actions.shape) != tuple(shape) or actions.dtype != np.float32:
            found = f"an array of {actions.dtype}, shape {tuple(actions.shape)}"
            raise CommandError(f"action: found {found}, expected float32, shape {tuple(shape)}")
        self._launch(self._kernels.step, actions)
        state = self.state
        infos = {**self.infos(), "won": state.judged.won, "_won": self._all}
        if self._autoreset is AutoresetMode.SAME_STEP:
            infos |= {"final_obs": state.last, "_final_obs": state.over}
        return state.observation, state.judged.reward, state.judged.ended, state.late, infos

    def _launch(self, kernel: Any, argument: Any) -> None:
        blocks = -(-self._count // self._threads)
        kernel[blocks, self._threads](self._world, self.state, argument)

    def _to_card(self, what: Any) -> Any:
        """Copy an array, or the arrays of a record, to the card; the simulated card works on copies here."""
        if isinstance(what, tuple):
            parts = [self._to_card(each) for each in what]
            return type(what)(*parts) if hasattr(what, "_fields") else tuple(parts)
        if not isinstance(what, np.ndarray):
            return what
        return what.copy() if _is_simulated() else self._cuda.to_device(what)

    def _to_host(self, array: Any) -> Any:
        return array if _is_simulated() else array.copy_to_host()


def not_on_card(reason: str) -> ConfigError:
    """Return the error of a world that cannot be simulated on a card."""
    return ConfigError(f'device: found "cuda", expected "cpu": {reason}')


def _is_simulated() -> bool:
    from numba import config

    return bool(config.ENABLE_CUDASIM)


def _check_card() -> Any:
    """Return numba's module for cards, or raise."""
    from numba import config, cuda

    if (
        not config.ENABLE_CUDASIM and cuda.implementation == "Built-in"
    ):  # compiles no min and max in numba 0.68
        raise MissingPackageError(
            'numba\'s part for graphics cards is not installed: pip install "odesim[cuda]"'
        )
    if not cuda.is_available():
        raise not_on_card("numba finds no graphics card, or no driver, or no CUDA toolkit")
    return cuda
