"""Interface of engines: ODE, or the fast 2D mode; `sim_core/session/backends.py` chooses one.

Code outside this folder imports nothing from its subfolders. Optional capabilities are in `capabilities.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3
from sim_core.base.ids import NodeId
from sim_core.base.state import State
from sim_core.engines.world_view import World


def places(name: str, world_file: str) -> list[Path]:
    """Return the possible paths of a world's plug-in: beside the world's folder, then beside `worlds` further
    up."""
    folder = Path(world_file).resolve().parent
    tops = [folder.parent]
    tops += [above.parent for above in folder.parents if above.name == "worlds"]
    return [top / "plugins" / "physics" / name / f"{name}.py" for top in tops]


class ContactPoint(NamedTuple):
    """Contact of the last step; the normal points into `first`, away from `second`."""

    position: Vec3
    normal: Vec3
    depth: float
    first: NodeId
    second: NodeId


class Mass(NamedTuple):
    """Mass of a body as it is now.

    Attributes:
        solid: the solid of the body; others may be fixed to it.
        top: the solid at the top of its tree.
        mass: kg, including all that is fixed to it.
        centre: centre of mass, in the world, m.
    """

    solid: NodeId
    top: NodeId
    mass: float
    centre: Vec3


class PluginState(NamedTuple):
    """State of a plug-in.

    Attributes:
        has_begun: True if `init` has been called.
        is_from_plugin: True if the plug-in has a `get_state` function.
        value: the result of that function, or its variables by name.
        received: packets for its next step.
    """

    has_begun: bool
    is_from_plugin: bool
    value: object
    received: tuple[bytes, ...]


@dataclass(eq=False)
class EngineState(State):
    """State of an engine at one moment; subclasses add fields that only the engine uses.

    Attributes:
        time_ns, epoch_ns: sim time, and the elapsed time at which it was 0.
        plugin: state of the physics plug-in; None: there is none.
    """

    time_ns: int
    epoch_ns: int
    plugin: PluginState | None


class Engine(World, Protocol):
    """Engine that moves a world: built from a scene and a seed, stepped and reset.

    The state is checked after each step; a state that is not finite is discarded.

    Attributes:
        record_contacts: True: `contacts` has those of the last step; before the first step the present ones.
    """

    record_contacts: bool

    @property
    def warnings(self) -> Sequence[SceneError]:
        """Settings of the scene that have no effect, one line each."""

    def step(self) -> None:
        """Advance by one basic time step: phase 2 of a simulation step.

        Raises:
            StateNotFiniteError: the new state is not finite; the state before the step is kept.
            PhysicsError: a plug-in or a contact failed.
        """

    def reset(self) -> Set[NodeId]:
        """Reset to the initial state; a run from here equals a run in a new process, to the last bit.

        Returns:
            The solids that are not dynamic and may have been moved.
        """

    def stop(self, solid: NodeId | None = None) -> None:
        """Set all velocities of a solid and all below it (None: of everything) to 0, and drop the forces for
        the next step; running motors accelerate again.

        Raises:
            PhysicsError: the node is not a solid.
        """

    @property
    def builds(self) -> int:
        """Number of times that the world, or a part of it, has been built."""

    def get_state(self) -> EngineState:
        """Return the whole changing state as plain data, to the last bit."""

    def set_state(self, state: State, anew: bool = False) -> Set[NodeId]:
        """Continue from a state of this world, or of one built of an equal scene.

        Args:
            state: from `get_state`.
            anew: check the state, which may come from a file, and build everything again; False: only if the
                state has other bodies or bonds.

        Returns:
            As `reset`.

        Raises:
            PhysicsError: it is the state of another world, or the plug-in raised an error.
        """

    def close(self) -> None:
        """Close the engine at the end of the simulation.

        Raises:
            PhysicsError: the plug-in raised an error.
        """

    @property
    def contacts(self) -> Sequence[ContactPoint]:
        """Contacts of the last step; empty unless `record_contacts` is True."""

    def masses(self, solids: Iterable[NodeId] | None = None) -> Sequence[Mass]:
        """Return the masses of the bodies of these solids, each once; None: all with mass, in file order."""
