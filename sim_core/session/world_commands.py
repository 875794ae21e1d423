"""Actions on the world, as records; nodes are named as in `Supervisor.find`.

In a journal these names must mean the same nodes in a repeated run: `Supervisor.lasting` returns such names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim_core.base.errors import CommandError, SceneError
from sim_core.base.geometry import Pose
from sim_core.engines.engine import Engine
from sim_core.recording.label_pictures import Label
from sim_core.session.pipeline import Action
from sim_core.session.supervision.field_setting import editing_of
from sim_core.session.supervision.imports import read_nodes
from sim_core.session.supervision.present_state import fields_at

if TYPE_CHECKING:
    from sim_core.session.session import Session
    from sim_core.session.simulation import Simulation

JOINTS = {"HingeJoint": 1, "SliderJoint": 1, "Hinge2Joint": 2, "BallJoint": 3, "Servo": 1}
"""Number of axes of each joint type."""
Numbers = Sequence[float]


@dataclass(frozen=True, slots=True)
class SetField(Action):
    """Set a field."""

    node: str
    field: str
    value: Any

    def _act(self, session: Session) -> None:
        session.sim.supervisor.set(self.node, self.field, self.value)


@dataclass(frozen=True, slots=True)
class ChangeType(Action):
    """Change the type of a node."""

    node: str
    type_name: str

    def _act(self, session: Session) -> None:
        session.sim.supervisor.change_type(self.node, self.type_name)


@dataclass(frozen=True, slots=True)
class ImportText(Action):
    """Add nodes given as text.

    Attributes:
        text: as `Supervisor.import_text` takes it.
        into: the node to add them to; None: the root.
        field, index: place in it.
        importable: True: accept only PROTO nodes that the world declares importable.
    """

    text: str
    into: str | None = None
    field: str = "children"
    index: int = -1
    importable: bool = False

    def _act(self, session: Session) -> None:
        nodes = read_nodes(session.sim.scene, self.text, importable=self.importable)
        session.sim.supervisor.import_nodes(nodes, self.into, self.field, self.index)


@dataclass(frozen=True, slots=True)
class ImportFile(Action):
    """Add the nodes of a file; see `ImportText`."""

    file: str
    into: str | None = None
    field: str = "children"
    index: int = -1

    def _act(self, session: Session) -> None:
        session.sim.supervisor.import_file(self.file, self.into, self.field, self.index)


@dataclass(frozen=True, slots=True)
class Remove(Action):
    """Remove a node."""

    node: str

    def _act(self, session: Session) -> None:
        session.sim.supervisor.remove(self.node)


@dataclass(frozen=True, slots=True)
class ShowLabel(Action):
    """Show a label with a number, or remove it if the text is empty; see `Label`."""

    number: int
    text: str
    x: float = 0.0
    y: float = 0.0
    size: float = 0.1
    colour: Numbers = (1.0, 1.0, 1.0)
    transparency: float = 0.0
    font: str = "Arial"

    def _act(self, session: Session) -> None:
        colour: Any = tuple(self.colour)
        shown = Label(self.text, self.x, self.y, self.size, colour, self.transparency, self.font)
        session.sim.supervisor.set_label(self.number, shown)


@dataclass(frozen=True, slots=True)
class SetVisibility(Action):
    """Hide a node from a camera or the Viewpoint, or show it; see `Supervisor.set_visibility`."""

    node: str
    viewer: str
    is_visible: bool

    def _act(self, session: Session) -> None:
        session.sim.supervisor.set_visibility(self.node, self.viewer, self.is_visible)


@dataclass(frozen=True, slots=True)
class AddForce(Action):
    """Apply a force to a solid during the next step; see `Supervisor.add_force`."""

    node: str
    force: Numbers
    offset: Numbers | None = None
    relative: bool = False

    def _act(self, session: Session) -> None:
        session.sim.supervisor.add_force(self.node, self.force, self.offset, self.relative)


@dataclass(frozen=True, slots=True)
class AddTorque(Action):
    """Apply a torque to a solid during the next step; see `Supervisor.add_torque`."""

    node: str
    torque: Numbers
    relative: bool = False

    def _act(self, session: Session) -> None:
        session.sim.supervisor.add_torque(self.node, self.torque, self.relative)


@dataclass(frozen=True, slots=True)
class SetVelocity(Action):
    """Set the velocity of a solid: m/s of its origin and rad/s, world axes."""

    node: str
    linear: Numbers
    angular: Numbers

    def _act(self, session: Session) -> None:
        session.sim.supervisor.set_velocity(self.node, self.linear, self.angular)


@dataclass(frozen=True, slots=True)
class Place(Action):
    """Move a solid with all below it.

    Attributes:
        position: m, in the world.
        rotation: (9,) rotation matrix, row by row.
    """

    node: str
    position: Numbers
    rotation: Numbers

    def _act(self, session: Session) -> None:
        sim = session.sim
        supervisor, node = sim.supervisor, sim.supervisor.node(self.node)
        pose = Pose(tuple(self.position), tuple(self.rotation))  # type: ignore[arg-type]
        translation, rotation = fields_at(sim.physics, node, pose)
        before = supervisor.get(node, "translation")
        supervisor.set(node, "translation", translation)
        try:
            supervisor.set(node, "rotation", rotation)
        except Exception:
            supervisor.set(node, "translation", before)
            raise


@dataclass(frozen=True, slots=True)
class StopSolid(Action):
    """Stop a solid and all solids below it."""

    node: str

    def _act(self, session: Session) -> None:
        session.sim.supervisor.reset_physics(self.node)


@dataclass(frozen=True, slots=True)
class StopAll(Action):
    """Stop all bodies."""

    def _act(self, session: Session) -> None:
        session.sim.physics.stop()


@dataclass(frozen=True, slots=True)
class SetJoint(Action):
    """Set the position of a joint, rad or m, clamped to its stops; axes are counted from 1."""

    node: str
    axis: int
    position: float

    def _act(self, session: Session) -> str | None:
        joint = session.sim.supervisor.node(self.node)
        axes = JOINTS.get(joint.type_name, 0)
        if not 1 <= self.axis <= axes:
            found = f"axis {self.axis} of {joint.path()}, a {joint.type_name}"
            raise SceneError(*joint.source, found, f"1 to {axes}" if axes else "a joint")
        editing, goal = editing_of(session.sim.world, joint), self.position
        spec = session.sim.physics.axis(joint.id, self.axis - 1).spec
        if spec.has_stops:
            goal = spec.min_stop if goal < spec.min_stop else spec.max_stop if goal > spec.max_stop else goal
        editing.set_joint_position(joint.id, self.axis - 1, goal)
        session.sim.supervisor.node_moved(joint)
        if goal < self.position or goal > self.position:
            return f"{joint.path()}: position {self.position:g} is past the stop {goal:g}, clamped"
        return None


@dataclass(frozen=True, slots=True)
class SaveState(Action):
    """Save poses, velocities and joint positions of a node and all below it with a name."""

    node: str
    name: str

    def _act(self, session: Session) -> None:
        sim = session.sim
        node = sim.supervisor.node(self.node)
        sim.supervisor.saved_states.save(sim.world, node, self.name)


@dataclass(frozen=True, slots=True)
class LoadState(SaveState):
    """Load a saved state; `__init__`: the state of the fields."""

    def _act(self, session: Session) -> None:
        sim = session.sim
        node = sim.supervisor.node(self.node)
        sim.supervisor.saved_states.load(sim.world, sim.supervisor, node, self.name)


@dataclass(frozen=True, slots=True)
class NoteContacts(Action):
    """Record contacts from the next step on."""

    def _act(self, session: Session) -> None:
        physics_of(session.sim).record_contacts = True


def physics_of(sim: Simulation) -> Engine:
    """Return the engine if it has masses and contacts.

    Raises:
        CommandError: the engine is the fast 2D mode.
    """
    if not sim.physics.can.forces:  # in the fast 2D mode
        raise CommandError("not in the fast 2D mode, expected physics ode")
    return sim.physics


ACTIONS = (
    SetField,
    ChangeType,
    ImportText,
    ImportFile,
    Remove,
    ShowLabel,
    AddForce,
    AddTorque,
    SetVelocity,
    Place,
    StopSolid,
    StopAll,
    SetJoint,
    SaveState,
    LoadState,
    NoteContacts,
)
