"""Functions that `gymnasium.make` and `gymnasium.make_vec` call for the ready tasks."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sim_core.experiments.learning.task import Task
from sim_core.experiments.learning.task_env import TaskEnv
from sim_core.experiments.learning.vector_env import OdesimVectorEnv

_TASK_ARGUMENTS = ("duration", "period")


def make_task(task: str, **arguments: Any) -> Task:
    """Return a ready task.

    Args:
        task: module in `tasks`, and class.
        arguments: arguments of the class.
    """
    module, _, name = task.partition(":")
    made = getattr(import_module(f"sim_core.experiments.learning.tasks.{module}"), name)(**arguments)
    assert isinstance(made, Task)
    return made


def make_env(task: str, **arguments: Any) -> TaskEnv:
    """Return an environment with one copy; arguments are those of the task and of `TaskEnv`."""
    own = {name: arguments.pop(name) for name in _TASK_ARGUMENTS if name in arguments}
    return TaskEnv(make_task(task, **own), **arguments)


def make_vector_env(task: str, num_envs: int = 1, **arguments: Any) -> OdesimVectorEnv:
    """Return an environment with many copies; arguments are those of the task and of `OdesimVectorEnv`."""
    own = {name: arguments.pop(name) for name in _TASK_ARGUMENTS if name in arguments}
    return OdesimVectorEnv(make_task(task, **own), num_envs, **arguments)
