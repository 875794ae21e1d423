"""Bodies of a model as links without mass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sim_core.base.geometry import ZERO, Pose, Vec3, add, cross, subtract
from sim_core.base.ids import NodeId
from sim_core.engines.massless_motion import AxisMotion, massless_pose, massless_velocity
from sim_core.engines.planar.axes import AxisTable, PlanarAxis
from sim_core.model.dynamics.bodies import Body, BodyPlacement
from sim_core.model.dynamics.joints import Joint
from sim_core.model.dynamics.model import Kinematics

if TYPE_CHECKING:
    from sim_core.engines.planar.robots import RobotTable


AxisKey = tuple[NodeId, int]
"""Joint node, and index of one of its axes."""


class PlanarLink:
    """Body whose pose is computed when needed; its mass is ignored.

    Attributes:
        record: the body's record; solid, start: from it.
        parent: the link above, connected by a joint or fixed; None: the world.
        number: index among the links of the tree.
        stands: present X_WL of a link without parent that does not drive.
        robots, row: for a driving robot: the table with its pose, and its row.
    """

    def __init__(self, record: Body, parent: PlanarLink | None, number: int) -> None:
        self.record = record
        self.number = number
        self.solid = record.solid
        self.start = self.stands = record.start
        self.parent = parent
        self.robots: RobotTable | None = None
        self.row = -1
        self._start_in_parent = parent.start.inverse() * record.start if parent is not None else record.start
        self._in_parent = self._start_in_parent
        self._motions: list[AxisMotion] = []
        self._joint: Joint | None = None
        self._axes: list[PlanarAxis] = []
        self._table: AxisTable | None = None
        self._placed = -1

    def attach_to_joint(self, joint: Joint, axes: list[PlanarAxis], table: AxisTable) -> None:
        """Attach the link to a joint with these axes."""
        self._joint, self._axes, self._table = joint, axes, table

    def world_pose(self) -> Pose:
        """Return the present X_WL."""
        if self.robots is not None:
            return self.robots.pose_of(self.row)
        if self.parent is None:
            return self.stands
        self._place()
        return self.parent.world_pose() * self._in_parent

    def upwards(self) -> Iterator[PlanarLink]:
        """Iterate over the link and those above it."""
        link: PlanarLink | None = self
        while link is not None:
            yield link
            link = link.parent

    def pose_at_rest(self) -> Pose:
        """Return X_WL with all joints at the start, relative to the present pose of its carrier."""
        *_, top = self.upwards()
        return self.start if top.stands == top.start else top.stands * (top.start.inverse() * self.start)

    def velocity_at(self, point: Vec3) -> tuple[Vec3, Vec3]:
        """Return the linear velocity of a point given in the world, and angular velocity; world axes."""
        if self.robots is not None:
            linear, angular = self.robots.velocity(self.row)
            arm = subtract(point, self.robots.pose_of(self.row).position)
            return add(linear, cross(angular, arm)), angular
        if self.parent is None:
            return ZERO, ZERO
        if self._joint is None:
            return self.parent.velocity_at(point)
        self._place()
        return massless_velocity(self.parent, self._motions, point)

    def _place(self) -> None:
        """Update pose and motion to the positions of the joint."""
        if self._joint is not None and self._table is not None and self._placed != self._table.steps:
            self._in_parent, self._motions = massless_pose(self._joint, self._start_in_parent, self._axes)
            self._placed = self._table.steps


class PlanarTree:
    """All links, and the axes of their joints.

    Attributes:
        links: parents first.
        axes: by joint and axis index.
        moved: poses of links, by number, that have been moved from their start.
    """

    def __init__(self, model: Kinematics, table: AxisTable) -> None:
        self.links: list[PlanarLink] = []
        self.axes: dict[AxisKey, PlanarAxis] = {}
        self.moved: dict[int, Pose] = {}
        self._places = model.places
        self._by_solid: dict[NodeId, PlanarLink] = {}
        for id_, body in model.bodies.items():
            parent = self._by_solid[body.parent] if body.parent is not None else None
            link = self._by_solid[id_] = PlanarLink(body, parent, len(self.links))
            self.links.append(link)
        for joint in model.joints:
            specs = [spec._replace(is_dynamic=False) for spec in joint.specs]
            axes = [table.add_axis(joint.label.path, spec) for spec in specs]
            self.axes.update(((joint.id, index), axis) for index, axis in enumerate(axes))
            child = self._by_solid[joint.child] if joint.child is not None else None
            if child is not None and child.record.joint == joint.id and child.parent is not None:
                child.attach_to_joint(joint, axes, table)

    def link_of(self, solid: NodeId) -> PlanarLink | None:
        """Return the link that is named after a solid."""
        return self._by_solid.get(solid)

    def put(self, link: PlanarLink, pose: Pose) -> None:
        """Move a link without parent to a pose in the world."""
        link.stands = pose
        self.moved.pop(link.number, None)
        if pose != link.start:
            self.moved[link.number] = pose

    def put_all(self, moved: Mapping[int, Pose]) -> None:
        """Move these links, by number, to poses, and all others to their start."""
        for number in {*self.moved, *moved}:
            link = self.links[number]
            self.put(link, moved.get(number, link.start))

    def placement(self, node: NodeId) -> tuple[PlanarLink | None, Pose] | None:
        """Return the link to which a node is fixed (None: the world), and the pose there of the frame that
        contains the node; None: it is not attached."""
        found = self._places.get(node)
        return None if found is None else self.on_link(found)

    def on_link(self, place: BodyPlacement) -> tuple[PlanarLink | None, Pose]:
        """Return a placement with its link instead of its body."""
        return (self._by_solid[place.body] if place.body is not None else None), place.pose


class PlanarFrame:
    """Frame fixed to a link, or to the world."""

    __slots__ = ("__weakref__", "_link", "_offset")

    def __init__(self, link: PlanarLink | None, offset: Pose) -> None:
        self.fix(link, offset)

    def fix(self, link: PlanarLink | None, offset: Pose) -> None:
        """Attach the frame to a link at a pose in it, or to the world (None)."""
        self._link = link
        self._offset = offset

    def pose(self) -> Pose:
        """Return X_WF: pose of the frame in the world."""
        return self._offset if self._link is None else self._link.world_pose() * self._offset

    def linear_velocity(self) -> Vec3:
        """Return the velocity of the frame's origin, m/s, world axes."""
        if self._link is None:
            return ZERO
        return self._link.velocity_at(self._link.world_pose().apply(self._offset.position))[0]

    def angular_velocity(self) -> Vec3:
        """Return the angular velocity, rad/s, world axes."""
        return ZERO if self._link is None else self._link.velocity_at(ZERO)[1]
