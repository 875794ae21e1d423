"""States of nodes that supervisors save and load by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sim_core.base.errors import CommandError
from sim_core.base.geometry import Pose, Vec3
from sim_core.engines.capabilities import Editing
from sim_core.engines.world_view import World
from sim_core.model.kinematics import is_own_joint
from sim_core.scene import Node
from sim_core.session.supervision.present import JOINT_POSITIONS

if TYPE_CHECKING:
    from sim_core.session.supervision.supervisor import Supervisor

AT_START = "__init__"
"""The name under which Webots keeps the state of the start."""


class _Solid(NamedTuple):
    solid: Node
    pose: Pose
    linear: Vec3
    angular: Vec3


class _State(NamedTuple):
    solids: list[_Solid]
    joints: list[tuple[Node, int, float]]


class NodeStates:
    """Poses and velocities of solids, and positions of joints, by node and name."""

    def __init__(self) -> None:
        self._states: dict[tuple[Node, str], _State] = {}

    def save(self, world: World, editing: Editing, supervisor: Supervisor, node: Node, name: str) -> None:
        """Keep the state of a node and all below it."""
        solids, joints = [], []
        for each in node.walk():
            if each.is_a("Solid") and editing.can_place(each.id):
                solids.append(_Solid(each, supervisor.pose(each), *supervisor.velocity(each)))
            elif each.is_a("Joint") or is_own_joint(each):
                joints += [
                    (each, index, world.axis(each.id, index).position)
                    for index in JOINT_POSITIONS.values()
                    if editing.has_axis(each.id, index)
                ]
        self._states[node, name] = _State(solids, joints)

    def load(self, world: World, editing: Editing, supervisor: Supervisor, node: Node, name: str) -> None:
        """Go back to a state.

        Raises:
            CommandError: none was saved under that name.
        """
        state = self._states.get((node, name))
        if state is None and name == AT_START:
            self._start(supervisor, node)
            return
        if state is None:
            raise CommandError(f'{node.path()}: no state "{name}" was saved')
        for solid, pose, _, _ in state.solids:
            editing.place(solid.id, pose)
        for joint, index, position in state.joints:
            editing.set_joint_position(joint.id, index, position)
        for solid, _, linear, angular in state.solids:
            if world.is_dynamic(solid.id):
                editing.set_velocity(solid.id, linear, angular)
        supervisor.after_reset()

    @staticmethod
    def _start(supervisor: Supervisor, node: Node) -> None:
        """What the fields say, at rest."""
        for field in ("translation", "rotation"):
            supervisor.set(node, field, node[field])
        supervisor.reset_physics(node)
