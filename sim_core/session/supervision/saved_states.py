"""States of nodes that supervisors save and load by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sim_core.base.errors import CommandError
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.base.state import Stateful, StateOfNodes
from sim_core.model.field_routes import JOINT_POSITIONS
from sim_core.model.kinematics import is_own_joint
from sim_core.scene import Node
from sim_core.session.simulated_world import SimulatedWorld
from sim_core.session.supervision.field_setting import editing_of

if TYPE_CHECKING:
    from sim_core.session.supervision.supervisor import Supervisor

AT_START = "__init__"
"""Webots' name for the state at the start."""


class SavedSolid(NamedTuple):
    """Pose and velocity of a solid: m/s and rad/s, world axes.

    Attributes:
        number: index of the solid among all nodes of the tree.
    """

    number: int
    pose: Pose
    linear: Vec3
    angular: Vec3


class SavedJoint(NamedTuple):
    """Position of a joint's axis, rad or m; `number` is the joint's index among all nodes of the tree."""

    number: int
    axis: int
    position: float


class SavedTree(NamedTuple):
    """State of a node and all below it.

    Attributes:
        size: number of nodes.
    """

    size: int
    solids: tuple[SavedSolid, ...]
    joints: tuple[SavedJoint, ...]


@dataclass(eq=False)
class SavedStatesState(StateOfNodes):
    """Saved states by node and name."""

    records: dict[tuple[NodeId, str], SavedTree] = field(default_factory=dict)


class SavedStates(Stateful):
    """Saves and loads poses and velocities of solids, and positions of joints, by node and name."""

    state: SavedStatesState

    def __init__(self) -> None:
        self.remove_states()

    def remove_states(self) -> None:
        """Remove all saved states."""
        self.state = SavedStatesState()

    def save(self, world: SimulatedWorld, node: Node, name: str) -> None:
        """Save the state of a node and all below it."""
        physics, editing = world.physics, editing_of(world, node)
        solids, joints, nodes = [], [], list(node.walk())
        for number, each in enumerate(nodes):
            if each.is_a("Solid") and editing.can_place(each.id):
                frame = physics.frame(each.id)
                linear, angular = frame.linear_velocity(), frame.angular_velocity()
                solids.append(SavedSolid(number, frame.pose(), linear, angular))
            elif each.is_a("Joint") or is_own_joint(each):
                joints += [
                    SavedJoint(number, axis, physics.axis(each.id, axis).position)
                    for axis in JOINT_POSITIONS.values()
                    if editing.has_axis(each.id, axis)
                ]
        self.state.records[node.id, name] = SavedTree(len(nodes), tuple(solids), tuple(joints))

    def load(self, world: SimulatedWorld, supervisor: Supervisor, node: Node, name: str) -> None:
        """Load a state.

        Raises:
            CommandError: none was saved with that name, or the node has other parts now.
        """
        tree = self.state.records.get((node.id, name))
        if tree is None and name == AT_START:
            self._start(supervisor, node)
            return
        if tree is None:
            raise CommandError(f'{node.path()}: no state "{name}" was saved')
        editing = editing_of(world, node)
        nodes = list(node.walk())
        if len(nodes) != tree.size:
            found = f'found {len(nodes)} nodes, expected the {tree.size} that the state "{name}" is of'
            raise CommandError(f"{node.path()}: {found}; save it again")
        for number, pose, _, _ in tree.solids:
            editing.place(nodes[number].id, pose)
        for number, axis, position in tree.joints:
            editing.set_joint_position(nodes[number].id, axis, position)
        for number, _, linear, angular in tree.solids:
            if world.physics.is_dynamic(nodes[number].id):
                editing.set_velocity(nodes[number].id, linear, angular)
        supervisor.node_moved(node)

    @staticmethod
    def _start(supervisor: Supervisor, node: Node) -> None:
        """Set the start pose of the fields, at rest."""
        for field_name in ("translation", "rotation"):
            supervisor.set(node, field_name, node[field_name])
        supervisor.reset_physics(node)
