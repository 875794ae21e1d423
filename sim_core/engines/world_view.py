"""What a device may see of the world, and do to it: protocols, which engines meet.

A device never touches the physics engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from sim_core.base.geometry import Pose, Vec3
from sim_core.model.joint_frames import AxisSpec
from sim_core.scene import Node, Scene

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

    def drive(self, velocity: float, max_effort: float) -> None:
        """Drive at a velocity with at most this torque or force; holds until changed."""

    def release(self) -> None:
        """Take the motor off; friction, spring and damper of the joint stay."""

    def apply_effort(self, effort: float) -> None:
        """Torque or force along the axis during the next step only."""

    def set_brake(self, damping: float) -> None:
        """Extra damping, N·m·s/rad or N·s/m, until changed; 0 takes it off."""

    def enable_feedback(self) -> None:
        """Measure from now on; costs a little in each step."""

    def feedback(self) -> float:
        """Torque or force that the joint's motor applied along the axis in the last step."""


class Touch(Protocol):
    """One contact of a watched solid in the last step, world axes."""

    @property
    def position(self) -> Vec3:
        """Where, m."""

    @property
    def normal(self) -> Vec3:
        """Unit vector, out of the other solid into the watched one."""

    @property
    def depth(self) -> float:
        """How far the two are in each other, m."""

    @property
    def force(self) -> Vec3:
        """N, on the watched solid, friction included."""

    @property
    def other(self) -> Node:
        """The solid that it touches."""


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
    def solids(self) -> tuple[Node, Node]:
        """The two."""

    @property
    def holds(self) -> bool:
        """False once it was released, or the world reset."""

    def force(self) -> Vec3:
        """Force of the bond on the first solid in the last step, N, world axes; zero before a step."""

    def release(self) -> None:
        """Let the two go; only in phase 1."""


class World(Protocol):
    """The world as devices see it."""

    @property
    def time_ns(self) -> int:
        """Sim time in nanoseconds."""

    @property
    def step_ns(self) -> int:
        """Length of a step in nanoseconds."""

    @property
    def gravity(self) -> Vec3:
        """Acceleration of free fall, m/s², world axes."""

    @property
    def info(self) -> Node:
        """The WorldInfo node."""

    @property
    def scene(self) -> Scene:
        """The scene graph, for devices that look for nodes elsewhere in it."""

    @property
    def can(self) -> Capabilities:
        """What the engine can do beyond this."""

    def is_dynamic(self, node: Node) -> bool:
        """Whether forces move the solid that a node is part of."""

    def frame(self, node: Node) -> Frame:
        """The frame of a Solid, a Pose or a device node."""

    def axis(self, joint: Node, index: int = 0) -> JointAxis:
        """A degree of freedom of a joint node: index 0, 1, 2 for `device`, `device2`, `device3`."""

    def watch_contacts(self, solid: Node) -> ContactWatch:
        """What touches a solid's own bounding object in each step from now on."""

    def can_bond(self, first: Node, second: Node) -> bool:
        """Whether a bond could hold two solids together: they are not rigidly one, and forces move one."""

    def bond(self, first: Node, second: Node, relative: Pose | None = None) -> Bond:
        """Hold two solids together from the next step on; only in phase 1.

        They do not collide with each other while it holds. `relative`: pose of the second solid's frame in
        the first one's, into which they are pulled; None: as they now stand.
        """

    def find_bond(self, number: int) -> Bond | None:
        """The bond of that number; None: it does not hold any more."""

    def is_blocked(self, solid: Node, pose: Pose) -> bool:
        """True if the solid without Physics, moved to this world pose, would run into another solid."""

    def move(self, solid: Node, pose: Pose, linear: Vec3, angular: Vec3) -> None:
        """Put a solid without Physics at a pose in the world, moving at these world velocities."""
