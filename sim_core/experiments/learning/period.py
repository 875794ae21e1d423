"""Length of a step of an environment."""

from __future__ import annotations

from sim_core.base.clock import to_nanoseconds, whole_steps
from sim_core.model.dynamics.world import step_of
from sim_core.scene import Scene

DEFAULT_PERIOD = 0.1
"""Default sim time of a step in s, rounded to basic time steps of the world."""


def period_of(period: float | None, scene: Scene) -> int:
    """Return the time in ns of a step of an environment: a whole number of the world's basic time steps.

    Args:
        period: in s; 0: one basic time step; None: the multiple of it that is nearest to the default.
        scene: the world.

    Raises:
        ConfigError: it is not a multiple.
        SceneError: the world has no basic time step.
    """
    step_ns = step_of(scene.world_info)
    if period is None:
        return max(1, round(to_nanoseconds(DEFAULT_PERIOD) / step_ns)) * step_ns
    return whole_steps(period, step_ns, "period")
