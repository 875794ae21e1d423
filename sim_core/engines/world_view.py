"""The world as devices see and change it: protocols that engines implement.

Devices do not use the physics engine directly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from sim_core.base.arrays import FloatArray
from sim_core.base.clock import SimClock
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.model.joint_frames import AxisSpec
from sim_core.model.world_model import WorldModel

if TYPE_CHECKING:
    from sim_core.engines.capabilities import Capabilities


class Frame(Protocol):
    """Coordinate frame F fixed to a solid (or to the world); reading it changes nothing."""

    def pose(self) -> Pose:
        """Return X_WF: pose of the frame in the world."""

    def linear_velocity(self) -> Vec3:
        """Return the velocity of the frame's origin, m/s, world axes."""

    def angular_velocity(self) -> Vec3:
        """Return the angular velocity, rad/s, world axes."""


PoseReader: TypeAlias = Callable[[FloatArray], None]
"""Writes the present poses of many frames into their rows of (n, 12), without gaps in memory: position and
rotation, row by row. Reading changes nothing."""


class JointAxis(Protocol):
    """One degree of freedom of a joint: angle, rad/s and N·m, or length, m/s and N."""

    @property
    def spec(self) -> AxisSpec:
        """Its record in the model."""

    @property
    def position(self) -> float:
        """Joint position, rad or m; angles are continuous: they do not wrap at ±π."""

    @property
    def velocity(self) -> float:
        """Joint velocity, rad/s or m/s."""

    def drive(self, velocity: float, max_effort: float, /) -> None:
        """Drive at a velocity with at most this torque or force, until changed."""

    def release(self) -> None:
        """Switch the motor off; friction, spring and damper of the joint remain."""

    def apply_effort(self, effort: float, /) -> None:
        """Apply a torque or force along the axis during the next step only."""

    def set_brake(self, damping: float, /) -> None:
        """Set extra damping, N·m·s/rad or N·s/m, until changed; 0 removes it."""

    def enable_feedback(self) -> None:
        """Measure the motor's effort from now on; this costs a little in each step."""

    def feedback(self) -> float:
        """Return the torque or force that the motor applied along the axis in the last step."""


class Touch(NamedTuple):
    """Contact of a watched solid in the last step, in world axes.

    Attributes:
        position: m.
        normal: unit vector, from the other solid into the watched one.
        depth: penetration, m.
        force: N, on the watched solid, including friction.
        other: the other solid.
    """

    position: Vec3
    normal: Vec3
    depth: float
    force: Vec3
    other: NodeId


class ContactWatch(Protocol):
    """Contacts of a solid's own bounding object; reading them changes nothing."""

    @property
    def contacts(self) -> Sequence[Touch]:
        """Contacts of the last step in which a force can act, that is with a dynamic solid on one side."""

    def is_touching(self) -> bool:
        """Return whether anything touched it in the last step, with or without a force."""


class Bond(Protocol):
    """Rigid connection of two solids."""

    @property
    def number(self) -> int:
        """Number of the bond in its world, for `World.find_bond`."""

    @property
    def solids(self) -> tuple[NodeId, NodeId]:
        """The two solids."""

    def force(self) -> Vec3:
        """Return the force of the bond on the first solid in the last step, N, world axes; zero before a
        step."""

    def release(self) -> None:
        """Separate the two solids; only in phase 1."""


@dataclass
class PluginPort:
    """The physics plug-in, and its packets to and from radio devices.

    Attributes:
        file: path of the plug-in.
        received: packets for the next step of the plug-in.
        sent: packets that it has sent in the present step, with their channels.
    """

    file: Path
    received: list[bytes] = field(default_factory=list)
    sent: list[tuple[bytes, int]] = field(default_factory=list)


class World(Protocol):
    """The world as devices see it."""

    @property
    def clock(self) -> SimClock:
        """Sim time, elapsed time and length of a step; always the same object."""

    @property
    def model(self) -> WorldModel:
        """Compiled model of the scene."""

    @property
    def plugin(self) -> PluginPort | None:
        """The physics plug-in; None: there is none."""

    @property
    def can(self) -> Capabilities:
        """Optional capabilities of the engine."""

    def is_dynamic(self, node: NodeId) -> bool:
        """Return whether the solid of a node is dynamic."""

    def frame(self, node: NodeId) -> Frame:
        """Return the frame of a Solid, Pose or device node, or of the nearest above; one object per node."""

    def pose_reader(self, frames: Mapping[int, Frame]) -> PoseReader:
        """Return a reader of these frames of this world, by their rows; it stays valid as they do."""

    def axis(self, joint: NodeId, index: int = 0) -> JointAxis:
        """Return a degree of freedom of a joint node (index 0, 1, 2 for `device`, `device2`, `device3`), of a
        Servo, or of a wheel solid of DifferentialWheels.

        Raises:
            PhysicsError: the node has no such axis.
        """

    def watch_contacts(self, solid: NodeId) -> ContactWatch:
        """Return the contacts of a solid's own bounding object, updated in each step from now on; one object
        per solid.

        Raises:
            PhysicsError: the node is not a solid.
        """

    def can_bond(self, first: NodeId, second: NodeId) -> bool:
        """Return whether a bond can connect two solids: they are not rigidly connected, and one is
        dynamic."""

    def bond(self, first: NodeId, second: NodeId, relative: Pose | None = None) -> Bond:
        """Connect two solids rigidly from the next step on, until released or reset; only in phase 1.

        They do not collide with each other while the bond holds.

        Args:
            relative: pose of the second solid's frame in the first one's, to which the bond pulls them within
                some steps; None: the present one.

        Raises:
            PhysicsError: `can_bond` is False.
        """

    def find_bond(self, number: int) -> Bond | None:
        """Return the bond of that number; None: it does not hold any more."""

    def is_blocked(self, solid: NodeId, pose: Pose) -> bool:
        """Return True if a solid without Physics, moved to this pose in the world, would penetrate another
        solid.

        A solid that it touches already blocks it only if the penetration would increase.

        Raises:
            PhysicsError: the solid has Physics, or the pose is not finite.
        """

    def move(self, solid: NodeId, pose: Pose, linear: Vec3, angular: Vec3) -> None:
        """Move a solid without Physics, and all that it carries, to a pose in the world at the end of the
        next step.

        Args:
            linear: velocity of its origin, m/s. angular: rad/s; both in world axes and for the next step
                only.

        Raises:
            PhysicsError: the solid has Physics, or a value is not finite.
        """
