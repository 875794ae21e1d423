"""Optional capabilities of engines beyond `World`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.rolling import Rolling
from sim_core.model.dynamics.difference import ModelChange
from sim_core.model.dynamics.model import DynamicsModel


class NamedState:
    """State of an engine by node ids, so that it fits an edited scene.

    Only the engine reads it.
    """


class Editing(Protocol):
    """Edits of a running world for a supervisor; all calls are made between steps or in phase 1.

    Frames, axes and watches that were returned stay valid; those of removed nodes stand still from then on.
    """

    @property
    def dynamics(self) -> DynamicsModel:
        """The model that has been built."""

    def apply(self, change: ModelChange) -> bool:
        """Apply the difference between two models in place; all other objects keep their exact state.

        Returns:
            True if applied; False: nothing has changed, and `rebuild` is needed.

        Raises:
            SceneError, SceneErrors, PhysicsError: the additions are impossible to simulate; nothing has
                changed.
        """

    def can_place(self, solid: NodeId) -> bool:
        """Return whether `place` can move a solid."""

    def place(self, solid: NodeId, pose: Pose) -> None:
        """Move a solid and all below it to a pose in the world, now; velocities are kept.

        Raises:
            PhysicsError: the pose is not finite, or the solid is a part that cannot be moved alone.
        """

    def moves_freely(self, solid: NodeId) -> bool:
        """Return whether a solid is the one after which a body is named: its velocity is that of the body.

        A solid without Physics only while it moves at a set velocity.
        """

    def set_velocity(self, solid: NodeId, linear: Vec3, angular: Vec3) -> None:
        """Set the velocity of a solid: of its origin, m/s, and rad/s, world axes.

        A solid without Physics keeps the velocity whatever is in the way; at the end of a joint only along
        the joint's axes, until a motor drives it.

        Raises:
            PhysicsError: a value is not finite, or the solid is fixed to another one without Physics, or has
                a Plane.
        """

    def has_axis(self, joint: NodeId, index: int) -> bool:
        """Return whether the axis exists."""

    def set_joint_position(self, joint: NodeId, index: int, position: float) -> None:
        """Move the end of a joint so that the joint has this position, rad or m.

        Raises:
            PhysicsError: not finite, past the stops, or past ±π/2 about the second axis of a ball joint.
        """

    def add_wrench(self, solid: NodeId, force: Vec3, torque: Vec3, at: Vec3 | None = None) -> None:
        """Apply a force and torque to a solid during the next step: N and N·m, world axes.

        Args:
            solid: the solid.
            force: at a point in the world. torque: in addition to that of the force.
            at: the point; None: the centre of mass.

        Raises:
            PhysicsError: a value is not finite, or the solid has no Physics.
        """

    def named_state(self) -> NamedState:
        """Return the present state by node ids, for `rebuild`."""

    def rebuild(self, change: ModelChange, former: NamedState | None = None) -> None:
        """Build the model of a change; existing objects continue from a `named_state`, exactly.

        Bodies that the change touches, and those near them, are awake afterwards.

        Args:
            change: the change to the new model.
            former: the state before; None, before the first step: start as in the model, but keep motor
                commands, forces for the next step, and bonds.

        Raises:
            SceneError, SceneErrors, PhysicsError: the scene is impossible to simulate. Then the world is
                unusable: undo the edit, and rebuild again from the same state.
        """


@dataclass(frozen=True)
class Capabilities:
    """Optional capabilities of an engine.

    Attributes:
        forces: True if bodies have mass: they fall, touch, and have velocities of their own.
        editing: interface for edits of a running world; None: not possible.
        rolling: interface of robots with a differential drive that the engine moves itself; None: not in this
            engine.
    """

    forces: bool = False
    editing: Editing | None = None
    rolling: Rolling | None = None
