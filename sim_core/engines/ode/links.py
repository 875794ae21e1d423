"""Links: bodies of a model with their ODE objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sim_core.base.geometry import ZERO, Pose, Vec3, add, cross, rotate, subtract
from sim_core.engines.massless_motion import AxisMotion, massless_velocity
from sim_core.model.dynamics.bodies import Body, BodyKind
from sim_core.model.dynamics.model import BodyDynamics

if TYPE_CHECKING:
    from sim_core.engines.ode.frames import OdeFrame
    from sim_core.engines.ode.shapes import Shape


class Link:
    """Body of the model in its present state.

    Attributes:
        record: the body's record; solid, kind, start, top: from it.
        weight: mass and damping, of a dynamic link.
        parent: the link above, connected by a joint or carrying this one; None: the world.
        in_parent: pose in the parent link's frame at the start.
        in_parent_now: the present pose, for a carried link.
        motions: for a carried link, of each axis.
        body: the ODE body, or None.
        centre: centre of mass in the link's frame; the body's origin.
        address: address of the body's state in ODE.
        linear, angular: velocity of a fixed link that is being moved.
        frames: frames on it that have been created.
    """

    def __init__(self, record: Body, parent: Link | None, weight: BodyDynamics | None) -> None:
        self.record = record
        self.weight = weight
        self.solid = record.solid
        self.kind = record.kind
        self.start = record.start
        self.parent = parent
        self.top = record.top
        self.in_parent = parent.start.inverse() * record.start if parent is not None else record.start
        self.children: list[Link] = []
        self.shapes: list[Shape] = []
        self.centre: Vec3 = weight.physics.mass.centre if weight is not None else ZERO
        self.mass = weight.physics.mass.mass if weight is not None else 0.0
        self.body: Any = None
        self.address = 0
        self.in_parent_now = self.in_parent
        self.motions: list[AxisMotion] = []
        self.moves = False
        self.pose = record.start
        self.linear: Vec3 = ZERO
        self.angular: Vec3 = ZERO
        self.frames: list[OdeFrame] = []
        if parent is not None:
            parent.children.append(self)

    def world_pose(self) -> Pose:
        """Return the present X_WL."""
        if self.body is not None and self.kind is BodyKind.DYNAMIC:
            rotation = self.body.getRotation()
            return Pose(subtract(self.body.getPosition(), rotate(rotation, self.centre)), rotation)
        return self.pose if self.kind is BodyKind.FIXED else self.carried_pose()

    @property
    def moves_by_itself(self) -> bool:
        """True if it moves at a velocity that is set: it is not dynamic and has no joint."""
        return self.kind is not BodyKind.DYNAMIC and not self.is_driven_by_joint

    @property
    def is_driven_by_joint(self) -> bool:
        """True if a joint determines its pose in its parent, without forces."""
        return self.kind is BodyKind.CARRIED and self.record.joint is not None

    def carried_pose(self) -> Pose:
        """Return X_WL of a link without body, through its parent."""
        parent = self.parent.world_pose() if self.parent is not None else Pose()
        return parent * self.in_parent_now

    def has_moved(self) -> bool:
        """Return whether a link without mass has been moved from its start."""
        if self.kind is BodyKind.CARRIED and self.parent is not None:
            return self.in_parent_now != self.in_parent or self.parent.has_moved()
        return self.world_pose() != self.start

    def velocity_at(self, point: Vec3) -> tuple[Vec3, Vec3]:
        """Return the linear velocity of a point of the link, given in the world, and the angular velocity;
        world axes."""
        if self.kind is BodyKind.DYNAMIC:
            return self.body.getPointVel(point), self.body.getAngularVel()
        if self.kind is BodyKind.CARRIED and self.parent is not None:
            return massless_velocity(self.parent, self.motions, point)
        return add(self.linear, cross(self.angular, subtract(point, self.pose.position))), self.angular

    def dynamic_ancestor(self) -> Link | None:
        """Return this link or the nearest above it that has a body of its own; None: none is dynamic."""
        link: Link | None = self
        while link is not None and link.kind is not BodyKind.DYNAMIC:
            link = link.parent if link.kind is BodyKind.CARRIED else None
        return link

    def release_ode(self) -> None:
        """Drop all references to ODE's objects."""
        self.body = None
        for shape in self.shapes:
            shape.body = shape.geom = None

    def stand_still(self, pose: Pose) -> None:
        """Keep the frames, which may be in use, where the link was when it was removed."""
        self.release_ode()
        self.frames.clear()
        self.kind, self.parent, self.address, self.pose = BodyKind.FIXED, None, 0, pose

    def rigid_subtree(self) -> list[Link]:
        """Return this link and all without mass below it."""
        found = [self]
        for child in self.children:
            if child.kind is not BodyKind.DYNAMIC:
                found += child.rigid_subtree()
        return found

    def subtree(self) -> Iterator[Link]:
        """Iterate over this link and all below it."""
        yield self
        for child in self.children:
            yield from child.subtree()
