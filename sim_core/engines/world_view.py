"""What a device may see of the world, and do to it: protocols, which engines meet.

A device never touches the physics engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.model.joint_frames import AxisSpec
from sim_core.model.world_model import WorldModel

if TYPE_CHECKING:
    from sim_core.engines.capabilities import Capabilities


class Frame(Protocol):
    """A coordinate frame F fixed to a solid (or to the world); reading it changes nothing."""

    def pose(self) -> Pose:
        """X_WF: pose of the frame in the world."""

    def linear_velocity(self) -> Vec3:
        """Velocity of the frame's origin, m/s, world axes."""

    def angular_velocity(self) -> Vec3:
        """Angular velocity, rad/s, world axes."""


class JointAxis(Protocol):
    """One degree of freedom of a joint: angle and rad/s and N·m, or length and m/s and N."""

    @property
    def is_linear(self) -> bool:
        """True for a sliding axis."""

    @property
    def spec(self) -> AxisSpec:
        """What the scene says about it."""

    @property
    def is_dynamic(self) -> bool:
        """True if the physics engine moves it; False if the end point has no Physics and is moved by hand."""

    @property
    def position(self) -> float:
        """Joint position, rad or m; angles are continuous: they do not wrap at ±π."""

    @property
    def velocity(self) -> float:
        """Joint velocity, rad/s or m/s."""

    def drive(self, velocity: float, max_effort: float, /) -> None:
        """Drive at a velocity with at most this torque or force; holds until changed."""

    def release(self) -> None:
        """Take the motor off; friction, spring and damper of the joint stay."""

    def apply_effort(self, effort: float, /) -> None:
        """Torque or force along the axis during the next step only."""

    def set_brake(self, damping: float, /) -> None:
        """Extra damping, N·m·s/rad or N·s/m, until changed; 0 takes it off."""

    def enable_feedback(self) -> None:
        """Measure from now on; costs a little in each step."""

    def feedback(self) -> float:
        """Torque or force that the joint's motor applied along the axis in the last step."""


class Touch(NamedTuple):
    """One contact of a watched solid in the last step, in world axes.

    Attributes:
        position: m.
        normal: unit vector, out of the other solid into the watched one.
        depth: m by which the two are in each other.
        force: N, on the watched solid, friction included.
        other: the solid that it touches.
    """

    position: Vec3
    normal: Vec3
    depth: float
    force: Vec3
    other: NodeId


class ContactWatch(Protocol):
    """What touches a solid's own bounding object; reading it changes nothing."""

    @property
    def contacts(self) -> Sequence[Touch]:
        """Those of the last step in which a force can act, that is with a dynamic solid on one side."""

    def is_touching(self) -> bool:
        """Whether anything touched it in the last step, with or without a force."""

    def force(self) -> Vec3:
        """Sum of the contact forces on the solid in the last step, N, world axes."""


class Bond(Protocol):
    """Holds two solids rigidly together."""

    @property
    def number(self) -> int:
        """Of the bond in its world, by which `World.find_bond` finds it."""

    @property
    def solids(self) -> tuple[NodeId, NodeId]:
        """The two."""

    @property
    def holds(self) -> bool:
        """False once it was released, or the world reset."""

    def force(self) -> Vec3:
        """Force of the bond on the first solid in the last step, N, world axes; zero before a step."""

    def release(self) -> None:
        """Let the two go; only in phase 1."""


@dataclass
class PluginPort:
    """The physics plug-in, and what it and the radio say to each other.

    Attributes:
        file: where the plug-in is.
        heard: packets for the plug-in, which its next step hears.
        sent: what it has sent in the present step, with the channel of each.
    """

    file: Path
    heard: list[bytes] = field(default_factory=list)
    sent: list[tuple[bytes, int]] = field(default_factory=list)


class World(Protocol):
    """The world as devices see it."""

    @property
    def time_ns(self) -> int:
        """Sim time in nanoseconds, for stamps and noise."""

    @property
    def epoch_ns(self) -> int:
        """Elapsed time, in nanoseconds, at which sim time was 0."""

    @property
    def elapsed_ns(self) -> int:
        """Nanoseconds since the start, however often sim time has begun again since.

        Who notes a time to count from it notes this one.
        """

    @property
    def step_ns(self) -> int:
        """Length of a step in nanoseconds."""

    @property
    def gravity(self) -> Vec3:
        """Acceleration of free fall, m/s², world axes."""

    @property
    def model(self) -> WorldModel:
        """What the scene means, for those who know no nodes."""

    @property
    def plugin(self) -> PluginPort | None:
        """The physics plug-in; None: there is none."""

    @property
    def can(self) -> Capabilities:
        """What the engine can do beyond this."""

    def is_dynamic(self, node: NodeId) -> bool:
        """Whether forces move the solid that a node is part of."""

    def frame(self, node: NodeId) -> Frame:
        """The frame of a Solid, Pose or device node, or of the nearest above; one object per node."""

    def axis(self, joint: NodeId, index: int = 0) -> JointAxis:
        """A degree of freedom of a joint node (index 0, 1, 2 for `device`, `device2`, `device3`), of a Servo,
        or of a wheel solid of DifferentialWheels.

        Raises:
            PhysicsError: the node has no such axis.
        """

    def watch_contacts(self, solid: NodeId) -> ContactWatch:
        """What touches a solid's own bounding object in each step from now on; one object per solid.

        Raises:
            PhysicsError: the node is no solid.
        """

    def can_bond(self, first: NodeId, second: NodeId) -> bool:
        """Whether a bond could hold two solids together: they are not rigidly one, and forces move one."""

    def bond(self, first: NodeId, second: NodeId, relative: Pose | None = None) -> Bond:
        """Hold two solids rigidly together from the next step on, until released or reset; only in phase 1.

        They do not collide with each other while the bond holds.

        Args:
            relative: pose of the second solid's frame in the first one's, into which the bond pulls the two
                within some steps; None: as they now stand.

        Raises:
            PhysicsError: `can_bond` says no.
        """

    def find_bond(self, number: int) -> Bond | None:
        """The bond of that number; None: it does not hold any more."""

    def is_blocked(self, solid: NodeId, pose: Pose) -> bool:
        """True if a solid without Physics, moved to this pose in the world, would run into another solid.

        What it already touches blocks only if it would go deeper in.

        Raises:
            PhysicsError: the solid has Physics, or the pose is not finite.
        """

    def move(self, solid: NodeId, pose: Pose, linear: Vec3, angular: Vec3) -> None:
        """Put a solid without Physics, and all that it carries, at a pose in the world at the end of the
        next step.

        Args:
            linear: velocity of its origin, m/s. angular: rad/s; both in world axes and for the next step
                only.

        Raises:
            PhysicsError: the solid has Physics, or a value is not finite.
        """
