"""Snapshots of a whole simulation, to which it can be put back, exact to the last bit.

A snapshot is plain data: the state of the physics, in rows (`engines/ode/snapshots.py`), and that of all else
(`base/state.py`), by name. So it can be kept as a file and opened in another process (`snapshot_file.py`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sim_core.base.errors import PhysicsError
from sim_core.base.ids import NodeId
from sim_core.base.state import State, with_nodes_renamed
from sim_core.engines.engine import EngineState
from sim_core.scene import write_scene

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation


class Snapshot:
    """The state of a simulation at one moment, as made by `Simulation.snapshot`.

    Attributes:
        time_ns: sim time.
        physics: the state of the physics.
        states: those of all else, by name.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._scene = sim.scene
        self._changes = list(sim.supervisor.history.done)
        self._config, self._seed = sim.config, sim.seed
        self._build = sim.physics.builds
        self.time_ns = sim.time_ns
        self.physics = sim.physics.get_state()
        self.states: dict[str, State] = {name: each.state.copy() for name, each in sim.stateful()}

    def restore(self, sim: Simulation) -> None:
        """Put the simulation back.

        Raises:
            PhysicsError: it is the snapshot of another simulation, or another world has been loaded since.
        """
        if sim is not self._sim or sim.scene is not self._scene or sim.seed != self._seed:
            raise PhysicsError("found a snapshot of another world, expected one of this world")
        sim.supervisor.history.go_to(self._changes)
        anew = sim.physics.builds != self._build
        put_simulation_back(sim, self.physics, self.states, anew)

    def save(self, path: str | Path) -> Path:
        """Write it into a file, from which `Simulation.from_snapshot` goes on, in this process or another.

        Controllers' processes are not in it, nor who listens to readings, tasks of `Simulation.every`, and
        movies under way.

        Raises:
            SnapshotError: something in it cannot be written down, or the file cannot be written.
        """
        from sim_core.session.snapshot_file import saved, write_run

        with self._sim.supervisor.history.scene_at(self._changes) as scene:
            text = write_scene(scene)
            numbers = {node.id: NodeId(number) for number, node in enumerate(scene.walk())}
        run = saved(self, self._scene, text, self._config, self._seed)
        return write_run(replace(run, states=with_nodes_renamed(run.states, numbers.get)), path)


def put_simulation_back(sim: Simulation, physics: EngineState, states: dict[str, State], anew: bool) -> None:
    """Put a simulation of an equal scene to a state.

    Args:
        sim: it.
        physics: of its physics.
        states: of all else, by name; media that nobody has asked for yet are made.
        anew: see `Engine.set_state`.
    """
    sim.world.look_at(sim.physics.set_state(physics, anew))
    sim.media.reset()  # also those that came after the snapshot
    owners = dict(sim.stateful())
    for name, state in states.items():
        owners[name].state = state.copy()
    for owner in owners.values():
        owner.restored()
    sim.edits.clear()
