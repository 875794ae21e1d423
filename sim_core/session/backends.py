"""Builds the physics engine and the ray caster of a simulation; each is imported only where it is needed."""

from __future__ import annotations

from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.base.trust import NO_PLUGIN
from sim_core.engines.engine import Engine
from sim_core.engines.rolling import Rolling
from sim_core.model.world_model import WorldModel
from sim_core.scene import Scene
from sim_core.sensing.rays import RayCaster


def make_engine(scene: Scene, model: WorldModel, config: SimulationConfig, seed: int) -> Engine:
    """Build the engine: ODE, or the fast 2D mode if the settings or (old files) WorldInfo.fast2d ask for it.

    Args:
        scene: of the world.
        model: compiled from it.
        config: settings.
        seed: of the solver's random numbers.

    Raises:
        PhysicsError, ConfigError, SceneError, SceneErrors: the scene cannot be simulated.
    """
    wanted = config.physics or ("fast2d" if scene.world_info["fast2d"] else "ode")
    if wanted == "fast2d":
        from sim_core.engines.planar import PlanarWorld  # here, for its kernels take time to load

        return PlanarWorld(model)
    if config.threads is not None:
        where = config.places.get("threads", "threads")
        raise ConfigError(f"{where}: found {config.threads} threads and physics ode, expected physics fast2d")
    if scene.folded:
        raise ConfigError(
            f"instanced: found {len(scene.folded)} robots held as arrays and physics ode, expected physics "
            "fast2d, or instanced: false"
        )
    from sim_core.engines.ode import PhysicsWorld  # here, for a look at a world needs no PyODE

    runs = config.plugins and model.world().plugin not in NO_PLUGIN
    return PhysicsWorld(model, seed, scene.permission() if runs else None, config.contacts)


def load_ode() -> bool:
    """Load the ODE library and return True, or return False if it is not installed."""
    try:
        import sim_core.engines.ode  # noqa: F401
    except ImportError:
        return False
    return True


def make_ray_caster(engine: Engine, rolling: Rolling | None) -> RayCaster:
    """Build the ray caster of the sensors; rays of robots that the engine rolls lie in the plane."""
    from sim_core.sensing.raycast.ray_scene import RayScene  # here, for numba takes time to load

    space = RayScene(engine)
    if rolling is None:
        return space
    from sim_core.sensing.raycast.planar_rays import PlanarRays

    return PlanarRays(rolling, space)
