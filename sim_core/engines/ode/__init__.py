"""The physics engine: the only folder that imports ode."""

from sim_core.engines.ode.contacts.contacts import ContactPoint
from sim_core.engines.ode.world import PhysicsWorld

__all__ = ["ContactPoint", "PhysicsWorld"]
