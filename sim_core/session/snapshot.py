"""Snapshots of a whole simulation, from which it can be restored exactly, to the last bit.

A snapshot is plain data: the state of the physics in rows (`engines/ode/snapshots.py`), and the state of all
other objects by name (`base/state.py`). It can be saved as a file and opened in another process
(`snapshot_file.py`).
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
    """State of a simulation at one moment, made by `Simulation.snapshot`.

    Attributes:
        time_ns: sim time.
        physics: the state of the physics.
        states: of all other objects, by name.
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
        """Restore the simulation to this state.

        Raises:
            PhysicsError: the snapshot is of another simulation, or another world has been loaded since.
        """
        if sim is not self._sim or sim.scene is not self._scene or sim.seed != self._seed:
            raise PhysicsError("found a snapshot of another world, expected one of this world")
        sim.supervisor.history.go_to(self._changes)
        anew = sim.physics.builds != self._build
        restore_simulation(sim, self.physics, self.states, anew)

    def save(self, path: str | Path) -> Path:
        """Write the snapshot to a file that `Simulation.from_snapshot` can open, in this process or another.

        The file does not include controllers' processes, listeners of readings, tasks of `Simulation.every`
        and movies that are being recorded.

        Raises:
            SnapshotError: a value cannot be written, or the file cannot be written.
        """
        from sim_core.session.snapshot_file import saved, write_run

        with self._sim.supervisor.history.scene_at(self._changes) as scene:
            text = write_scene(scene)
            numbers = {node.id: NodeId(number) for number, node in enumerate(scene.walk())}
        run = saved(self, self._scene, text, self._config, self._seed)
        return write_run(replace(run, states=with_nodes_renamed(run.states, numbers.get)), path)


def restore_simulation(sim: Simulation, physics: EngineState, states: dict[str, State], anew: bool) -> None:
    """Set a simulation of an equal scene to a state.

    Args:
        sim: the simulation.
        physics: of its physics.
        states: of all other objects, by name; missing media are created.
        anew: see `Engine.set_state`.
    """
    sim.world.solids_moved(sim.physics.set_state(physics, anew))
    sim.media.reset()  # media created after the snapshot too
    owners = dict(sim.stateful())
    for name, state in states.items():
        owners[name].state = state.copy()
    for owner in owners.values():
        owner.restored()
    sim.edits.clear()
