"""What a simulation is made of, in ODE and in the fast 2D mode; loaded only where it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim_core.base.config import SimulationConfig
from sim_core.engines.ode import PhysicsWorld
from sim_core.scene import Scene

if TYPE_CHECKING:
    from sim_core.engines.planar import PlanarWorld


def make_physics(scene: Scene, config: SimulationConfig, seed: int) -> PhysicsWorld | PlanarWorld:
    """ODE, or the fast 2D mode if the settings or, in old files, WorldInfo.fast2d ask for it.

    Raises:
        PhysicsError, SceneError, SceneErrors: the scene cannot be simulated.
    """
    wanted = config.physics or ("fast2d" if scene.world_info["fast2d"] else "ode")
    if wanted == "fast2d":
        from sim_core.engines.planar import PlanarWorld  # here, for its kernels take time to load

        return PlanarWorld(scene)
    return PhysicsWorld(scene, seed, config.plugins)


def make_ray_scene(scene: Scene, physics: PhysicsWorld | PlanarWorld) -> Any:
    """The ray caster."""
    if isinstance(physics, PhysicsWorld):
        from sim_core.sensing.raycast import RayScene

        return RayScene(scene, physics.frame)
    from sim_core.engines.planar.planar_rays import PlanarRays

    return PlanarRays(physics)
