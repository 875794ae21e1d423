"""Gymnasium environments over worlds, without ROS.

    import gymnasium
    import sim_core.experiments.learning  # makes the names odesim/… known; installed, it is not needed

    env = gymnasium.make("odesim/WallAvoider-v0")

Nothing else of odesim imports Gymnasium. Where odesim is installed, `import gymnasium` calls
`register_environments`, so nothing else is imported here before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register, registry

if TYPE_CHECKING:
    from sim_core.experiments.learning.env import OdesimEnv

__all__ = ["OdesimEnv", "register_environments"]

ENVIRONMENTS = {
    "odesim/World-v0": "sim_core.experiments.learning.env:OdesimEnv",
    "odesim/WallAvoider-v0": "sim_core.experiments.learning.wall_avoider:wall_avoider",
}
"""What `gymnasium.make` finds: the first takes the arguments of `OdesimEnv`."""


def register_environments() -> None:
    """Make the names known, once."""
    for name, entry_point in ENVIRONMENTS.items():
        if name not in registry:
            register(id=name, entry_point=entry_point)


def __getattr__(name: str) -> Any:
    if name != "OdesimEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sim_core.experiments.learning.env import OdesimEnv

    return OdesimEnv


register_environments()
