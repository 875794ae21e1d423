"""What an engine may be able to do beyond `World`: each ability is a part that it has, or has not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.rolling import Rolling
from sim_core.model.dynamics.difference import ModelChange
from sim_core.model.dynamics.model import DynamicsModel


class NamedState:
    """The state of an engine with the ids of what its rows are of, so that it fits an edited scene.

    The engine alone reads it.
    """


class Editing(Protocol):
    """Changes of a running world, as a supervisor asks for them; all of it between steps or in phase 1.

    All that is handed out (frames, axes, watches) stays valid; what is gone stands still for ever.
    """

    @property
    def dynamics(self) -> DynamicsModel:
        """The model that is built."""

    def apply(self, change: ModelChange) -> bool:
        """Change in place what differs between two models; of all others no bit changes.

        Returns:
            Whether it could be done; if not, nothing has changed, and `rebuild` does it.

        Raises:
            SceneError, SceneErrors, PhysicsError: what comes asks for something impossible; nothing has
                changed.
        """

    def can_place(self, solid: NodeId) -> bool:
        """Whether `place` can move a solid."""

    def place(self, solid: NodeId, pose: Pose) -> None:
        """Put a solid and all below it at a pose in the world, now; velocities stay.

        Raises:
            PhysicsError: the pose is not finite, or the solid is a part that cannot be moved alone.
        """

    def moves_freely(self, solid: NodeId) -> bool:
        """Whether a solid is the one that a body is named after: its velocity is that of the body.

        One without Physics only while it goes on at a velocity.
        """

    def set_velocity(self, solid: NodeId, linear: Vec3, angular: Vec3) -> None:
        """Let a solid move: velocity of its origin, m/s, and rad/s, world axes.

        One without Physics goes on at it, whatever is in the way; at the end of a joint as far as that lets
        it, until a motor drives it.

        Raises:
            PhysicsError: not finite, or the solid is fixed to another one without Physics, or has a Plane.
        """

    def stop(self, solid: NodeId) -> None:
        """Take all velocity from a solid and all below it, and the forces that wait for the next step.

        Raises:
            PhysicsError: it is no solid.
        """

    def has_axis(self, joint: NodeId, index: int) -> bool:
        """Whether there is such an axis."""

    def set_joint_position(self, joint: NodeId, index: int, position: float) -> None:
        """Turn or shift what hangs on a joint until the joint has this position, rad or m.

        Raises:
            PhysicsError: not finite, beyond the stops, or past ±π/2 about the second axis of a ball joint.
        """

    def add_wrench(self, solid: NodeId, force: Vec3, torque: Vec3, at: Vec3 | None = None) -> None:
        """Push and turn a solid during the next step: N and N·m, world axes.

        Args:
            solid: see above.
            force: at a point in the world. torque: beside that of the force.
            at: the point; None: the centre of mass.

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """

    def named_state(self) -> NamedState:
        """The state of now, by the ids of what it is of, for `rebuild`."""

    def rebuild(self, change: ModelChange, former: NamedState | None = None) -> None:
        """Build the model of a change; what is still there goes on from a `named_state`, exactly.

        What the change touches, and what was near it, is awake afterwards.

        Args:
            change: to the model.
            former: the state of before; None, before the first step: all begins as the model says, but for
                what joints are driven at, forces that wait, and bonds.

        Raises:
            SceneError, SceneErrors, PhysicsError: the scene asks for something impossible. Then the world
                cannot be used: put the scene right, and rebuild again from the same state.
        """


@dataclass(frozen=True)
class Capabilities:
    """What an engine can do that not all can. Who asks outside the engines says there why.

    Attributes:
        forces: bodies have mass: they fall and touch, and have velocities of their own.
        editing: takes up changes of a running world; None: it cannot.
        rolling: moves robots with a differential drive by itself; None: devices and forces move them.
    """

    forces: bool = False
    editing: Editing | None = None
    rolling: Rolling | None = None
