"""The solids of a scene as links, none of which has mass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim_core.base.geometry import Pose, Vec3, add, cross, subtract
from sim_core.engines.ode.joints.carried import place_carried
from sim_core.engines.ode.joints.joint_plan import JointPlan
from sim_core.engines.ode.links import Kind, Link, LinkTree
from sim_core.engines.planar.axes import AxisTable, PlanarAxis
from sim_core.model.joint_frames import AxisSpec
from sim_core.scene import Node

if TYPE_CHECKING:
    from sim_core.engines.planar.robots import RobotTable


class PlanarLink(Link):
    """A link whose pose is worked out when somebody asks for it.

    Attributes:
        plan: of a carried link: its joint.
        robots, row: of a robot that drives: the table with its pose, and the row there.
    """

    def __init__(self, solid: Node, kind: Kind, start: Pose, parent: Link | None, joint: Node | None) -> None:
        super().__init__(solid, kind, start, parent, joint)
        self.plan: JointPlan | None = None
        self.axes: AxisTable | None = None
        self.robots: RobotTable | None = None
        self.row = -1
        self._placed = -1

    def world_pose(self) -> Pose:
        """X_WL now."""
        if self.robots is not None:
            return self.robots.pose(self.row)
        if self.parent is None:
            return self.start
        self._place()
        return self.parent.world_pose() * self.in_parent_now

    def velocity_at(self, point: Vec3) -> tuple[Vec3, Vec3]:
        """Linear velocity of a point given in the world, and angular velocity; world axes."""
        if self.robots is not None:
            linear, angular = self.robots.velocity(self.row)
            arm = subtract(point, self.robots.pose(self.row).position)
            return add(linear, cross(angular, arm)), angular
        if self.parent is None:
            return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if self.kind is not Kind.CARRIED:
            return self.parent.velocity_at(point)
        self._place()
        return self.carried_velocity(self.parent, point)

    def _place(self) -> None:
        """Bring pose and motion of a carried link up to the positions of its joint."""
        if self.plan is not None and self.axes is not None and self._placed != self.axes.steps:
            place_carried(self.plan)
            self._placed = self.axes.steps


class PlanarTree(LinkTree):
    """All links, as if no solid had Physics: what hangs on a joint is carried, all else is fixed."""

    def _take_in(self, solid: Node, link: Link | None, pose: Pose, joint: Node | None) -> tuple[Link, Pose]:
        if link is not None and joint is None and not solid.is_a("Robot"):
            link.solids.append((solid, pose))
            return link, pose
        start = link.start * pose if link is not None else pose
        kind = Kind.CARRIED if joint is not None and link is not None else Kind.FIXED
        new = PlanarLink(solid, kind, start, link, joint)
        self.links.append(new)
        return new, Pose()


class PlanarJoint(JointPlan):
    """One joint node; its axes are rows of the table."""

    def __init__(
        self, node: Node, parent: Link | None, frame: Pose, tree: LinkTree, table: AxisTable
    ) -> None:
        self._table = table
        super().__init__(node, parent, frame, tree)
        if isinstance(self.child, PlanarLink) and self.child.joint is node:
            self.child.plan, self.child.axes = self, table

    def _has_mass(self) -> bool:
        return False

    def _make_axis(self, name: str, index: int, spec: AxisSpec, suspended: bool) -> PlanarAxis:  # type: ignore[override]
        return self._table.add(name, spec, self.slides)


class PlanarFrame:
    """A frame fixed to a link."""

    __slots__ = ("_link", "_offset")

    def __init__(self, link: PlanarLink, offset: Pose) -> None:
        self._link = link
        self._offset = offset

    def pose(self) -> Pose:
        """X_WF: pose of the frame in the world."""
        return self._link.world_pose() * self._offset

    def linear_velocity(self) -> Vec3:
        """Velocity of the frame's origin, m/s, world axes."""
        return self._link.velocity_at(self._link.world_pose().apply(self._offset.position))[0]

    def angular_velocity(self) -> Vec3:
        """Angular velocity, rad/s, world axes."""
        return self._link.velocity_at((0.0, 0.0, 0.0))[1]
