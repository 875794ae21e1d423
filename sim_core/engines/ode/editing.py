"""Changes that come from outside between steps: a supervisor moves, stops and turns things."""

from __future__ import annotations

from collections.abc import Set

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import Pose, Vec3
from sim_core.engines.ode import growing, resizing
from sim_core.engines.ode.built_world import BuiltWorld
from sim_core.engines.ode.links import Kind
from sim_core.engines.ode.placing import place_subtree, set_joint_position, set_velocity
from sim_core.engines.ode.plugin_api import PluginSolid
from sim_core.engines.ode.rebuilding import Kept
from sim_core.model.changes import Edits
from sim_core.model.geometry import Plane
from sim_core.scene import Node


class WorldEditing:
    """What a supervisor does to a physics world, all of it between steps or in phase 1; meets `Editing`."""

    def __init__(self, built: BuiltWorld) -> None:
        self._built = built

    @property
    def is_at_start(self) -> bool:
        """Whether all is as the scene says: nothing has moved since the last build or reset."""
        return self._built.is_at_start

    def starts_so(self) -> None:
        """What was moved is in the scene, too: all is as it says, but for rounding."""
        self._built.is_at_start = True

    def outdate(self) -> None:
        """The scene has other poses or velocities than when it was read; a reset follows, and reads it."""
        self._built.is_outdated = True

    def take_edits(self, edits: Edits) -> bool:
        """Change in place what edits of the scene have changed; see `resizing.take_edits`."""
        return resizing.take_edits(self._built, edits)

    def stands_alone(self, solid: Node) -> bool:
        """Whether a solid hangs on nothing: where it starts is for nobody else to know."""
        link = self._built.reading.tree.link_of(solid)
        return link is not None and link.solid is solid and link.parent is None and link.joint is None

    def place(self, solid: Node, pose: Pose) -> None:
        """Put a solid and all below it at a pose in the world, now; velocities stay. Only in phase 1.

        Raises:
            PhysicsError: the pose is not finite, or the solid is a part that cannot be moved alone.
        """
        link = self._built.reading.tree.link_of(solid)
        if link is None or link.solid is not solid or link.kind is Kind.CARRIED:
            found = f"{solid.where}: {solid.path()} is a part of something"
            raise PhysicsError(f"{found}, it cannot be moved alone")
        place_subtree(link, pose, self._built.mover)
        for body in self._built.bodies:
            body.body.enable()
        self._built.watch.steps_left = 0
        self._built.copy_out()

    def can_place(self, solid: Node) -> bool:
        """Whether `place` can move a solid."""
        link = self._built.reading.tree.link_of(solid)
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
        link = self._built.body_of(solid)
        if link is None:
            raise PhysicsError(f"{solid.where}: {solid.path()} has no Physics, expected a solid with Physics")
        set_velocity(link, self._built.frame(solid).pose().position, linear, angular)
        self._built.copy_out()

    def stop(self, solid: Node) -> None:
        """Take all velocity from a solid and all below it, and the forces that wait for the next step.

        Raises:
            PhysicsError: the solid has no Physics.
        """
        top = self._built.body_of(solid)
        if top is None:
            raise PhysicsError(f"{solid.where}: {solid.path()} has no Physics, expected a solid with Physics")
        for link in top.subtree():
            if link.kind is Kind.DYNAMIC:
                for set_to in ("setLinearVel", "setAngularVel", "setForce", "setTorque"):
                    getattr(link.body, set_to)((0.0, 0.0, 0.0))
        self._built.copy_out()

    def moves_freely(self, solid: Node) -> bool:
        """Whether a solid is the one that a body is named after: its velocity is that of the body."""
        link = self._built.reading.tree.link_of(solid)
        return link is not None and link.kind is Kind.DYNAMIC and link.solid is solid

    def has_axis(self, joint: Node, index: int) -> bool:
        """Whether there is such an axis."""
        return (joint, index) in self._built.reading.axes

    def set_joint_position(self, joint: Node, index: int, position: float) -> None:
        """Turn or shift what hangs on a joint until the joint has this position. Only in phase 1.

        Raises:
            PhysicsError: not finite, beyond the stops, or a joint with several axes that forces move.
        """
        plan = next((each for each in self._built.reading.joints if each.node is joint), None)
        if plan is None or not 0 <= index < len(plan.axes):
            raise PhysicsError(f"{joint.where}: {joint.path()} has no axis {index}")
        set_joint_position(plan, index, position, self._built.mover)
        self._built.watch.steps_left = 0
        self._built.copy_out()

    def add_force(self, solid: Node, force: Vec3, at: Vec3 | None = None) -> None:
        """Push a solid during the next step: N, at a point in the world (None: its centre of mass).

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        self._pushed(solid).add_force(force, at)

    def add_torque(self, solid: Node, torque: Vec3) -> None:
        """Turn a solid during the next step: N·m, world axes.

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        self._pushed(solid).add_torque(torque)

    def take_in(self, roots: list[Node]) -> bool:
        """Take in root nodes that now stand behind all others in the scene; see `growing.take_in`."""
        return growing.take_in(self._built, roots)

    def let_go_of(self, roots: list[Node]) -> bool:
        """Let go of root nodes that are no longer in the scene; see `growing.let_go_of`."""
        return growing.let_go_of(self._built, roots)

    def keep(self, roots: list[Node] | None = None) -> Kept:
        """The state of now, of all or of the trees of some root nodes, for `rebuild`."""
        return self._built.keep(roots)

    def rebuild(self, kept: Kept, renewed: Set[Node] = frozenset()) -> None:
        """Read the scene again, which has changed; see `BuiltWorld.rebuild`."""
        self._built.rebuild(kept, renewed)

    def _pushed(self, solid: Node) -> PluginSolid:
        self._built.is_at_start = False
        return PluginSolid(solid, self._built)
