"""Changes that come from outside between steps: a supervisor moves, stops and turns things."""

from __future__ import annotations

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import Pose, Vec3
from sim_core.engines.ode.contacts.kernels import copy_state
from sim_core.engines.ode.growing import GrowingWorld
from sim_core.engines.ode.links import Kind, Link
from sim_core.engines.ode.placing import place_subtree, set_joint_position, set_velocity
from sim_core.model.geometry import Plane
from sim_core.scene import Node


class EditableWorld(GrowingWorld):
    """The part of `PhysicsWorld` that a supervisor uses; all of it between steps or in phase 1."""

    def body_of(self, node: Node) -> Link | None:
        """The link with the body that moves a node; None: forces do not move it."""
        link, _ = self._tree.place(node)
        return link.dynamic_ancestor() if link is not None else None

    def place(self, solid: Node, pose: Pose) -> None:
        """Put a solid and all below it at a pose in the world, now; velocities stay. Only in phase 1.

        Raises:
            PhysicsError: the pose is not finite, or the solid is a part that cannot be moved alone.
        """
        link = self._tree.link_of(solid)
        if link is None or link.solid is not solid or link.kind is Kind.CARRIED:
            found = f"{solid.where}: {solid.path()} is a part of something"
            raise PhysicsError(f"{found}, it cannot be moved alone")
        place_subtree(link, pose, self._mover)
        for body in self._bodies:
            body.body.enable()
        self._watch.steps_left = 0
        copy_state(self._states_address)

    def can_place(self, solid: Node) -> bool:
        """Whether `place` can move a solid."""
        link = self._tree.link_of(solid)
        if link is None or link.solid is not solid or link.kind is Kind.CARRIED:
            return False
        return link.kind is Kind.DYNAMIC or not any(
            isinstance(shape.geometry, Plane) for sub in link.subtree() for shape in sub.shapes
        )

    def set_velocity(self, solid: Node, linear: Vec3, angular: Vec3) -> None:
        """Let a solid move: velocity of its origin, m/s, and rad/s, world axes. Only in phase 1.

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        link = self.body_of(solid)
        if link is None:
            raise PhysicsError(f"{solid.where}: {solid.path()} has no Physics, expected a solid with Physics")
        set_velocity(link, self.frame(solid).pose().position, linear, angular)
        copy_state(self._states_address)

    def stop(self, solid: Node) -> None:
        """Take all velocity from a solid and all below it, and the forces that wait for the next step.

        Raises:
            PhysicsError: the solid has no Physics.
        """
        top = self.body_of(solid)
        if top is None:
            raise PhysicsError(f"{solid.where}: {solid.path()} has no Physics, expected a solid with Physics")
        for link in top.subtree():
            if link.kind is Kind.DYNAMIC:
                for set_to in ("setLinearVel", "setAngularVel", "setForce", "setTorque"):
                    getattr(link.body, set_to)((0.0, 0.0, 0.0))
        copy_state(self._states_address)

    def stop_motion(self) -> None:
        """Take all velocity from every body, where it stands (Webots reference, simulationResetPhysics)."""
        for link in self._bodies:
            link.body.setLinearVel((0.0, 0.0, 0.0))
            link.body.setAngularVel((0.0, 0.0, 0.0))
            link.body.enable()
        copy_state(self._states_address)

    def moves_freely(self, solid: Node) -> bool:
        """Whether a solid is the one that a body is named after: its velocity is that of the body."""
        link = self._tree.link_of(solid)
        return link is not None and link.kind is Kind.DYNAMIC and link.solid is solid

    def has_axis(self, joint: Node, index: int) -> bool:
        """Whether there is such an axis."""
        return (joint, index) in self._axes

    def set_joint_position(self, joint: Node, index: int, position: float) -> None:
        """Turn or shift what hangs on a joint until the joint has this position. Only in phase 1.

        Raises:
            PhysicsError: not finite, beyond the stops, or a joint with several axes that forces move.
        """
        plan = next((each for each in self._joints if each.node is joint), None)
        if plan is None or not 0 <= index < len(plan.axes):
            raise PhysicsError(f"{joint.where}: {joint.path()} has no axis {index}")
        set_joint_position(plan, index, position, self._mover)
        self._watch.steps_left = 0
        copy_state(self._states_address)
