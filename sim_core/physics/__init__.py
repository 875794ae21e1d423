"""The physics engine: the only folder that imports ode."""

from sim_core.physics.contacts import ContactPoint
from sim_core.physics.state import WorldState
from sim_core.physics.world import PhysicsWorld

__all__ = ["ContactPoint", "PhysicsWorld", "WorldState"]
