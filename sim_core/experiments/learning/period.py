"""How long a step of an environment is."""

from __future__ import annotations

from sim_core.base.clock import to_nanoseconds, whole_steps
from sim_core.model.dynamics.world import step_of
from sim_core.scene import Scene

USUAL = 0.1
"""s of sim time that a step takes, as nearly as the basic time step of the world allows."""


def period_of(period: float | None, scene: Scene) -> int:
    """Nanoseconds of a step of an environment: a whole number of the world's basic time steps.

    Args:
        period: s; 0: one basic time step; None: the multiple of it that is nearest to the usual period.
        scene: the world.

    Raises:
        ConfigError: it is no multiple.
        SceneError: the world has no basic time step.
    """
    step_ns = step_of(scene.world_info)
    if period is None:
        return max(1, round(to_nanoseconds(USUAL) / step_ns)) * step_ns
    return whole_steps(period, step_ns, "period")
