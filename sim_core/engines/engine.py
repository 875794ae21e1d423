"""The seam to what moves a world: ODE, or the fast 2D mode; who chooses is `sim_core/session/backends.py`.

Nobody outside this folder imports from the folders in it. What not all engines can is in `capabilities.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.base.state import State
from sim_core.engines.world_view import World


def places(name: str, world_file: str) -> list[Path]:
    """Where a plug-in of a world may be: beside the world's folder, then beside `worlds` further up."""
    folder = Path(world_file).resolve().parent
    tops = [folder.parent]
    tops += [above.parent for above in folder.parents if above.name == "worlds"]
    return [top / "plugins" / "physics" / name / f"{name}.py" for top in tops]


class ContactPoint(NamedTuple):
    """One contact of the last step; the normal points into `first`, away from `second`."""

    position: Vec3
    normal: Vec3
    depth: float
    first: NodeId
    second: NodeId


class Mass(NamedTuple):
    """A body as it is now.

    Attributes:
        solid: whose body it is; others may be fixed to it.
        top: the solid at the top of the tree that it is in.
        mass: kg, of all that is fixed to it.
        centre: of its mass, in the world, m.
    """

    solid: NodeId
    top: NodeId
    mass: float
    centre: Vec3


class PluginState(NamedTuple):
    """What a plug-in knows at one moment.

    Attributes:
        has_begun: `init` has been called.
        says_it: it has its own `get_state`.
        value: its answer, or its variables by name.
        heard: packets that its next step hears.
    """

    has_begun: bool
    says_it: bool
    value: object
    heard: tuple[bytes, ...]


@dataclass(eq=False)
class EngineState(State):
    """The state of an engine at one moment; what else is in it the engine alone knows.

    Attributes:
        time_ns, epoch_ns: sim time, and the elapsed time at which it was 0.
        plugin: of the physics plug-in; None: there is none.
    """

    time_ns: int
    epoch_ns: int
    plugin: PluginState | None


class Engine(World, Protocol):
    """What moves a world: built from a scene and a seed, stepped, put back.

    After each step the state is checked; one that is not finite is not kept.

    Attributes:
        time_ns, epoch_ns: sim time, and the elapsed time at which it was 0.
        record_contacts: True: `contacts` holds those of the last step; before the first one, those of now.
    """

    time_ns: int
    epoch_ns: int
    record_contacts: bool

    @property
    def warnings(self) -> Sequence[SceneError]:
        """What the scene asks for and does not get, one line each."""

    def step(self) -> None:
        """Advance by one basic time step: phase 2 of a simulation step.

        Raises:
            StateNotFiniteError: the new state is not finite; the state before the step is kept.
            PhysicsError: a plug-in or a contact went wrong.
        """

    def reset(self) -> Set[NodeId]:
        """Back to the initial state; a run from here equals a run in a new process, to the last bit.

        Returns:
            The solids that forces do not move and that may be elsewhere than before.
        """

    def stop_motion(self) -> None:
        """Take all velocity from everything, where it stands; motors that are on set it going again."""

    @property
    def builds(self) -> int:
        """How often the world, or a part of it, has been built."""

    def get_state(self) -> EngineState:
        """All that changes, to the last bit, as plain data."""

    def set_state(self, state: State, anew: bool = False) -> Set[NodeId]:
        """Go on from a state of this world, or of one built of an equal scene.

        Args:
            state: as `get_state` told it.
            anew: check the state, which may come from a file, and build everything anew; False: only if other
                bodies or bonds are there than then.

        Returns:
            As `reset`.

        Raises:
            PhysicsError: it is the state of another world, or the plug-in raised something.
        """

    def close(self) -> None:
        """The simulation is over.

        Raises:
            PhysicsError: the plug-in raised something.
        """

    @property
    def contacts(self) -> Sequence[ContactPoint]:
        """Contacts of the last step; empty unless `record_contacts` is True."""

    def masses(self, solids: Iterable[NodeId] | None = None) -> Sequence[Mass]:
        """The bodies that move these solids, each once; None: all that have mass, in file order."""

    def wheel_turn(self, track: NodeId, wheel: NodeId) -> Pose | None:
        """Pose of a TrackWheel, as it has turned, in the frame in which it stands at the start; None: the
        belt of the Track never runs."""
