"""Rays for distance sensors and whatever else must know what lies in a direction.

`RayScene` is loaded when first used: numba is imported only in worlds that cast rays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim_core.sensing.raycast.ray_scene import RayHits, RayScene

__all__ = ["RayHits", "RayScene"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sim_core.sensing.raycast' has no attribute {name!r}")
    from sim_core.sensing.raycast import ray_scene

    return getattr(ray_scene, name)
