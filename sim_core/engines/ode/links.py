"""Which solids are one rigid body: the scene's solids as links.

A link is a solid with everything that is fixed to it. It is

- dynamic: its solid has Physics and is free or hangs on a joint; solids with Physics below it that no joint
  separates are merged into it (Webots reference, Physics, "Implicit Solid Merging and Joints");
- carried: a joint's end point without Physics; it follows its parent link, moved only by its joint's axis;
- fixed: anything else without Physics; it stands still unless `PhysicsWorld.move` moves it.

A solid without Physics below a dynamic one is fixed to it: it collides, and weighs nothing. A solid with
Physics below a fixed one, with no joint between, is fixed as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from sim_core.base.errors import SceneError
from sim_core.base.geometry import ZERO, Pose, Vec3, add, cross, rotate, scale, subtract
from sim_core.model.frames import pose_of
from sim_core.model.kinematics import attached, end_point, is_own_joint
from sim_core.scene import Node, Scene

FARTHEST = 1e9
"""m that a solid may be away from the origin, along each axis of the world."""
NOT_SIMULATED = {
    "JointLink": "is a draft of Webots and does nothing",
    "TransmissionJoint": "is a draft of Webots, simulated as one hinge without gear and backlash",
}


class Kind(Enum):
    """How a link moves."""

    FIXED = 0
    DYNAMIC = 1
    CARRIED = 2


class Link:
    """Solids that move as one.

    Attributes:
        solid: the topmost solid; its frame is the link's frame L.
        parent: the link that the joint leads to or that holds this one; None: the world.
        joint: the joint node (or the Servo, or the wheel of a DifferentialWheels) it hangs on.
        joint_frame: pose, in this link's frame at the start, of the frame that anchor and axes are given in.
        top: the solid at the top of the tree; links of one top do not collide unless it says so.
        solids: (solid, X_LS) of all solids of this link.
        start: X_WL at the start.
        in_parent: pose in the parent link's frame at the start.
        in_parent_now: the same now, for a carried link.
        motions: of a carried link: (axis, anchor, speed, whether it slides) in the parent's frame, for each
            axis.
        body: the ODE body, or None.
        centre: centre of mass in the link's frame; the body's origin.
        address: where ODE keeps the body's state.
        linear, angular: velocity of a fixed link that is being moved.
    """

    def __init__(self, solid: Node, kind: Kind, start: Pose, parent: Link | None, joint: Node | None) -> None:
        self.solid = solid
        self.kind = kind
        self.start = start
        self.parent = parent
        self.joint = joint
        self.top: Node = parent.top if parent is not None else solid
        self.in_parent = parent.start.inverse() * start if parent is not None else start
        self.solids: list[tuple[Node, Pose]] = [(solid, Pose())]
        self.joint_frame = Pose()
        self.children: list[Link] = []
        self.shapes: list[Any] = []
        self.centre: Vec3 = ZERO
        self.mass = 0.0
        self.body: Any = None
        self.address = 0
        self.in_parent_now = self.in_parent
        self.motions: list[tuple[Vec3, Vec3, float, bool]] = []
        self.moves = False
        self.pose = start
        self.linear: Vec3 = ZERO
        self.angular: Vec3 = ZERO
        if parent is not None:
            parent.children.append(self)

    def world_pose(self) -> Pose:
        """X_WL now."""
        if self.body is not None and self.kind is Kind.DYNAMIC:
            rotation = self.body.getRotation()
            return Pose(subtract(self.body.getPosition(), rotate(rotation, self.centre)), rotation)
        return self.pose if self.kind is Kind.FIXED else self.carried_pose()

    def carried_pose(self) -> Pose:
        """X_WL of a link without body: through its parent."""
        parent = self.parent.world_pose() if self.parent is not None else Pose()
        return parent * self.in_parent_now

    def velocity_at(self, point: Vec3) -> tuple[Vec3, Vec3]:
        """Linear velocity of a point of the link given in the world, and angular velocity; world axes."""
        if self.kind is Kind.DYNAMIC:
            return self.body.getPointVel(point), self.body.getAngularVel()
        if self.kind is Kind.CARRIED and self.parent is not None:
            return self.carried_velocity(self.parent, point)
        return add(self.linear, cross(self.angular, subtract(point, self.pose.position))), self.angular

    def carried_velocity(self, parent: Link, point: Vec3) -> tuple[Vec3, Vec3]:
        """As `velocity_at`, of a carried link: the parent's motion and that of the joint."""
        linear, angular = parent.velocity_at(point)
        pose = parent.world_pose()
        for axis, anchor, rate, slides in self.motions:
            direction = rotate(pose.rotation, axis)
            if slides:
                linear = add(linear, scale(direction, rate))
            else:
                arm = subtract(point, pose.apply(anchor))
                linear = add(linear, scale(cross(direction, arm), rate))
                angular = add(angular, scale(direction, rate))
        return linear, angular

    def dynamic_ancestor(self) -> Link | None:
        """This link or the nearest above it that has a body of its own; None: nothing there is dynamic."""
        link: Link | None = self
        while link is not None and link.kind is not Kind.DYNAMIC:
            link = link.parent if link.kind is Kind.CARRIED else None
        return link

    def let_go(self) -> None:
        """Forget ODE's objects."""
        self.body = None
        for shape in self.shapes:
            shape.body = shape.geom = None

    def stand_still(self, pose: Pose) -> None:
        """It is gone: its frames, which somebody may hold, stay where it was."""
        self.let_go()
        self.kind, self.parent, self.address, self.pose = Kind.FIXED, None, 0, pose

    def subtree(self) -> Iterator[Link]:
        """This link and all below it."""
        yield self
        for child in self.children:
            yield from child.subtree()


class LinkTree:
    """All links of a scene.

    Attributes:
        roots: the root nodes of the scene.
        links: each after its parent.
        places: for every Solid, Pose, Transform: the link that it is fixed to (None: the world), and its
            pose in that link's frame (in the world).
        joints: (joint node, parent link, pose of the joint's frame in it) in file order.
    """

    def __init__(self, scene: Scene) -> None:
        self.roots = scene.nodes
        self.links: list[Link] = []
        self.places: dict[Node, tuple[Link | None, Pose]] = {}
        self.joints: list[tuple[Node, Link | None, Pose]] = []
        self.warnings: list[SceneError] = []
        for node in scene.nodes:
            self._visit(node, None, Pose())

    def place(self, node: Node) -> tuple[Link | None, Pose]:
        """The link that a node is fixed to, and the pose there of the frame that the node is in."""
        found = self.places.get(node)
        if found is None:
            found = next(
                (self.places[above] for above in node.ancestors() if above in self.places), (None, Pose())
            )
        return found

    def link_of(self, solid: Node) -> Link | None:
        """The link that a solid is part of."""
        return self.places[solid][0] if solid in self.places else None

    def add(self, other: LinkTree) -> None:
        """Take in the links of trees that stand behind all others."""
        self.links += other.links
        self.places.update(other.places)
        self.joints += other.joints
        self.warnings += other.warnings

    def drop(self, nodes: set[Node], links: set[Link]) -> None:
        """Forget nodes and their links."""
        self.links[:] = [link for link in self.links if link not in links]
        for node in nodes:
            self.places.pop(node, None)
        if any(node in nodes for node, _, _ in self.joints):
            self.joints[:] = [joint for joint in self.joints if joint[0] not in nodes]

    def _visit(self, node: Node, link: Link | None, pose: Pose, joint: Node | None = None) -> None:
        """Take in a node whose parent frame has this pose in the link's frame."""
        if node.type_name in NOT_SIMULATED:
            found = f"{node.path()}: {node.type_name} {NOT_SIMULATED[node.type_name]}"
            self.warnings.append(SceneError(*node.source, found))
        if node.is_a("Joint"):
            self.joints.append((node, link, pose))
            end = end_point(node)
            if end is not None and end.is_a("Solid"):
                self._visit(end, link, pose, node)
            return
        outer = pose
        if node.is_a("Pose"):
            pose = pose * pose_of(node)
        if node.is_a("Solid"):
            _refuse_scale(node)
            _refuse_far(node, link.start.apply(pose.position) if link is not None else pose.position)
            if joint is None and is_own_joint(node):
                self.joints.append((node, link, outer))
                joint = node
            frame = link.start * outer if link is not None else outer
            link, pose = self._take_in(node, link, pose, joint)
            if joint is not None and link.solid is node:
                link.joint_frame = link.start.inverse() * frame
        elif node.is_a("Transform") and any(below.is_a("Solid") for below in node.walk()):
            _refuse_scale(node)
        if node.is_a("Pose"):
            self.places[node] = (link, pose)
        for below in attached(node):
            self._visit(below, link, pose)

    def _take_in(self, solid: Node, link: Link | None, pose: Pose, joint: Node | None) -> tuple[Link, Pose]:
        """The link of a solid and its pose there: a new link, or the one above it."""
        has_physics = solid["physics"] is not None
        if link is not None and joint is None:
            fixed = link.dynamic_ancestor() is None
            if has_physics and fixed and solid.type_name != "Track":  # conveyors are written so
                self.warnings.append(
                    SceneError(
                        *solid.source,
                        f"{solid.path()} has Physics, the solids above it have none, so it is fixed to them",
                    )
                )
            if not (solid.is_a("Robot") and fixed):
                link.solids.append((solid, pose))
                return link, pose
        start = link.start * pose if link is not None else pose
        if has_physics:
            kind = Kind.DYNAMIC
        elif joint is not None and link is not None:
            kind = Kind.CARRIED
        else:
            kind = Kind.FIXED
        new = Link(solid, kind, start, link, joint)
        self.links.append(new)
        return new, Pose()


def _refuse_far(solid: Node, position: Vec3) -> None:
    """What stands too far away for its coordinates to be reckoned with: ODE ends the process at it."""
    if not all(abs(value) <= FARTHEST for value in position):
        at = " ".join(f"{value:g}" for value in position)
        expected = f"a place within {FARTHEST:g} m of the world's origin in x, y and z (see its translation)"
        raise SceneError(*solid.source, f"{solid.path()} at {at}", expected)


def _refuse_scale(node: Node) -> None:
    """What collides must not be stretched."""
    if not node.has_field("scale"):
        return
    scale = node["scale"]
    if any(abs(value - 1.0) > 1e-9 for value in scale):
        raise SceneError(
            *node.source,
            f"{node.type_name}.scale {' '.join(f'{value:g}' for value in scale)} at or above a Solid",
            "scale 1 1 1 (change the sizes of the shapes instead)",
        )
