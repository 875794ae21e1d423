"""Gymnasium environments of worlds, without ROS.

    import gymnasium
    import sim_core.experiments.learning  # registers the names odesim/…; not needed if odesim is installed

    env = gymnasium.make("odesim/WallAvoider-v0")

Nothing else of odesim imports Gymnasium. Where odesim is installed, `import gymnasium` calls
`register_environments`, so nothing else is imported here before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register, registry

if TYPE_CHECKING:
    from sim_core.experiments.learning.env import OdesimEnv
    from sim_core.experiments.learning.task import Judged, PlanarPose, Seen, Start, Task, WorldSetup
    from sim_core.experiments.learning.task_env import TaskEnv
    from sim_core.experiments.learning.vector_env import OdesimVectorEnv

__all__ = [
    "Judged", "OdesimEnv", "OdesimVectorEnv", "PlanarPose", "Seen", "Start", "Task", "TaskEnv", "WorldSetup",
    "register_environments",
]  # fmt: skip

_MODULES = {
    "OdesimEnv": "env",
    "OdesimVectorEnv": "vector_env",
    "TaskEnv": "task_env",
    **dict.fromkeys(("Judged", "PlanarPose", "Seen", "Start", "Task", "WorldSetup"), "task"),
}

ENVIRONMENTS = {
    "odesim/World-v0": "sim_core.experiments.learning.env:OdesimEnv",
    "odesim/WallAvoider-v0": "sim_core.experiments.learning.wall_avoider:wall_avoider",
}
"""Environments that `gymnasium.make` finds: the first one takes the arguments of `OdesimEnv`."""

TASKS = {
    "odesim/GoToGoal-v0": "go_to_goal:GoToGoal",
    "odesim/Avoid-v0": "avoid:Avoid",
    "odesim/FollowWall-v0": "follow_wall:FollowWall",
    "odesim/FollowLine-v0": "follow_line:FollowLine",
    "odesim/Dock-v0": "dock:Dock",
    "odesim/PushBall-v0": "push_ball:PushBall",
    "odesim/TwoAgainstTwo-v0": "two_against_two:TwoAgainstTwo",
}
"""Ready tasks in the folder `tasks`: `gymnasium.make` returns a `TaskEnv`, `gymnasium.make_vec` an
`OdesimVectorEnv`."""


def register_environments() -> None:
    """Register the environments, once."""
    making = "sim_core.experiments.learning.making"
    for name, entry_point in ENVIRONMENTS.items():
        if name not in registry:
            register(id=name, entry_point=entry_point)
    for name, task in TASKS.items():
        if name not in registry:
            register(
                id=name,
                entry_point=f"{making}:make_env",
                vector_entry_point=f"{making}:make_vector_env",
                kwargs={"task": task},
            )


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


register_environments()
