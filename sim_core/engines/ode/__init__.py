"""ODE engine: the only folder that imports ode."""

from sim_core.engines.ode.world import PhysicsWorld

__all__ = ["PhysicsWorld"]
