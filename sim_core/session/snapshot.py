"""Snapshots of a whole simulation, to which it can be put back, exact to the last bit.

The physics tells its state itself (`engines/ode/snapshots.py`). Everything else says its state as plain data
(`base/state.py`): a snapshot copies these, and gives copies back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim_core.base.errors import PhysicsError
from sim_core.base.state import State, Stateful
from sim_core.engines.ode import PhysicsWorld
from sim_core.engines.ode.snapshots import PhysicsSnapshot
from sim_core.engines.planar.world import PlanarSnapshot

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation


class Snapshot:
    """The state of a simulation at one moment, as made by `Simulation.snapshot`.

    Attributes:
        time_ns: sim time.
        states: what has a state, and a copy of it.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._robots = list(sim.robots.values())
        self._changes = sim.supervisor.changes
        self._edits = tuple(sim.edits)
        physics = sim.physics
        self._physics: PhysicsSnapshot | PlanarSnapshot
        if isinstance(physics, PhysicsWorld):
            self._physics = PhysicsSnapshot(physics)
            self._plugin = None if physics.plugin is None else physics.plugin.get_state()
        else:
            self._physics = physics.snapshot()
        self.states: list[tuple[Stateful, State]] = [(each, each.state.copy()) for each in sim.stateful()]
        self.time_ns = sim.time_ns

    def restore(self, sim: Simulation) -> None:
        """Put the simulation back.

        Raises:
            PhysicsError: it is the snapshot of another simulation, or another world has been loaded since.
        """
        if sim is not self._sim or not all(sim.knows(robot) for robot in self._robots):
            raise PhysicsError("found a snapshot of another world, expected one of this world")
        sim.supervisor.go_to(self._changes)
        if isinstance(sim.physics, PhysicsWorld):
            assert isinstance(self._physics, PhysicsSnapshot)
            self._physics.restore(sim.physics)
            if sim.physics.plugin is not None:
                sim.physics.plugin.set_state(self._plugin)
        else:
            assert isinstance(self._physics, PlanarSnapshot)
            sim.physics.restore(self._physics)
        for owner, state in self.states:
            owner.state = state.copy()
        for owner, _ in self.states:
            owner.restored()
        sim.edits.clear()
        sim.edits.extend(self._edits)
        sim.supervisor.after_restore()
