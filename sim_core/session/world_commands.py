"""What can be changed in the world, as records; nodes are named as `Supervisor.find` takes them.

In a journal these names must mean the same nodes when the run is repeated: `Supervisor.lasting` gives such.
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
from sim_core.session.supervision.present import fields_at

if TYPE_CHECKING:
    from sim_core.session.session import Session
    from sim_core.session.simulation import Simulation

JOINTS = {"HingeJoint": 1, "SliderJoint": 1, "Hinge2Joint": 2, "BallJoint": 3, "Servo": 1}
"""Axes of each."""
Numbers = Sequence[float]


@dataclass(frozen=True, slots=True)
class SetField(Action):
    """Give a field another value."""

    node: str
    field: str
    value: Any

    def _act(self, session: Session) -> None:
        session.sim.supervisor.set(self.node, self.field, self.value)


@dataclass(frozen=True, slots=True)
class ChangeType(Action):
    """Give a node another type."""

    node: str
    type_name: str

    def _act(self, session: Session) -> None:
        session.sim.supervisor.change_type(self.node, self.type_name)


@dataclass(frozen=True, slots=True)
class ImportText(Action):
    """Bring in nodes given as text.

    Attributes:
        text: as `Supervisor.import_text` takes it.
        into: the node that shall hold them; None: the root.
        field, index: where in it.
        importable: its PROTO nodes must be among those that the world declares importable.
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
    """Bring in the nodes of a file; see `ImportText`."""

    file: str
    into: str | None = None
    field: str = "children"
    index: int = -1

    def _act(self, session: Session) -> None:
        session.sim.supervisor.import_file(self.file, self.into, self.field, self.index)


@dataclass(frozen=True, slots=True)
class Remove(Action):
    """Take a node out of the world."""

    node: str

    def _act(self, session: Session) -> None:
        session.sim.supervisor.remove(self.node)


@dataclass(frozen=True, slots=True)
class ShowLabel(Action):
    """Show a text over the world under a number, or none if it is empty; as `Label` has it."""

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
    """Hide a node from a camera or the Viewpoint, or show it; as `Supervisor.set_visibility`."""

    node: str
    viewer: str
    is_visible: bool

    def _act(self, session: Session) -> None:
        session.sim.supervisor.set_visibility(self.node, self.viewer, self.is_visible)


@dataclass(frozen=True, slots=True)
class AddForce(Action):
    """Push a solid during the next step; as `Supervisor.add_force`."""

    node: str
    force: Numbers
    offset: Numbers | None = None
    relative: bool = False

    def _act(self, session: Session) -> None:
        session.sim.supervisor.add_force(self.node, self.force, self.offset, self.relative)


@dataclass(frozen=True, slots=True)
class AddTorque(Action):
    """Turn a solid during the next step; as `Supervisor.add_torque`."""

    node: str
    torque: Numbers
    relative: bool = False

    def _act(self, session: Session) -> None:
        session.sim.supervisor.add_torque(self.node, self.torque, self.relative)


@dataclass(frozen=True, slots=True)
class SetVelocity(Action):
    """Let a solid move: m/s of its origin and rad/s, world axes."""

    node: str
    linear: Numbers
    angular: Numbers

    def _act(self, session: Session) -> None:
        session.sim.supervisor.set_velocity(self.node, self.linear, self.angular)


@dataclass(frozen=True, slots=True)
class Place(Action):
    """Put a solid somewhere with all below it.

    Attributes:
        position: m, in the world.
        rotation: (9,) of the rotation matrix, row by row.
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
    """Take all velocity from a solid and all solids below it."""

    node: str

    def _act(self, session: Session) -> None:
        session.sim.supervisor.reset_physics(self.node)


@dataclass(frozen=True, slots=True)
class StopAll(Action):
    """All bodies stand still."""

    def _act(self, session: Session) -> None:
        session.sim.physics.stop_motion()


@dataclass(frozen=True, slots=True)
class SetJoint(Action):
    """Put a joint to a position, rad or m, or to the stop that is before it; axes count from 1."""

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
        session.sim.supervisor.note_placed(joint)
        if goal < self.position or goal > self.position:
            return f"{joint.path()}: position {self.position:g} is past the stop {goal:g}, clamped"
        return None


@dataclass(frozen=True, slots=True)
class SaveState(Action):
    """Keep poses, velocities and joint positions of a node and all below it under a name."""

    node: str
    name: str

    def _act(self, session: Session) -> None:
        sim = session.sim
        node = sim.supervisor.node(self.node)
        sim.supervisor.saved_states.save(sim.world, node, self.name)


@dataclass(frozen=True, slots=True)
class LoadState(SaveState):
    """Go back to what was kept; `__init__`: to the fields."""

    def _act(self, session: Session) -> None:
        sim = session.sim
        node = sim.supervisor.node(self.node)
        sim.supervisor.saved_states.load(sim.world, sim.supervisor, node, self.name)


@dataclass(frozen=True, slots=True)
class NoteContacts(Action):
    """Note who touches whom from the next step on."""

    def _act(self, session: Session) -> None:
        physics_of(session.sim).record_contacts = True


def physics_of(sim: Simulation) -> Engine:
    """The physics, where things have mass and touch.

    Raises:
        CommandError: it is the fast 2D mode.
    """
    if not sim.physics.can.forces:  # nothing has mass, and nothing touches
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
