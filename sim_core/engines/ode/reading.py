"""What a scene, or some of its trees, asks for: read once, and built as often as wanted."""

from __future__ import annotations

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3, norm
from sim_core.engines.ode.bodies import BodyPlan
from sim_core.engines.ode.contacts.belts import Belt
from sim_core.engines.ode.frames import LinkFrame, WorldFrame
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.joints.joint_plan import JointPlan, along_hinge, far_stops
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Link, LinkTree
from sim_core.engines.ode.propellers import Propeller, find_propellers
from sim_core.engines.ode.rebuilding import Former
from sim_core.scene import Node, Scene

Frames = dict[Node, LinkFrame | WorldFrame]


class Reading:
    """Links, bodies, joints and what drives them.

    Attributes:
        tree: all links.
        plan: what bodies weigh, and their shapes.
        joints: in file order.
        propellers: those with a motor, in file order.
        belts: by Track node.
        axes: by joint (or propeller, or track) and number: those of joints, of propellers, of belts.
        kinematic: joints that no force moves.
        warnings: what is asked for and cannot be had, one line each.
    """

    def __init__(self, scene: Scene, frames: Frames, impulse: Vec3, former: Former | None = None) -> None:
        """Read a scene.

        Args:
            scene: all of it, or a scene with some of the root nodes of another one.
            frames: those that were handed out, or will be.
            impulse: what gravity adds to a velocity in a step, m/s.
            former: what devices hold already, to be used again.

        Raises:
            SceneError, SceneErrors: something impossible is asked for.
        """
        self.tree = LinkTree(scene)
        self.plan = BodyPlan(scene, self.tree)
        self.joints = [JointPlan(node, link, pose, self.tree) for node, link, pose in self.tree.joints]
        self.warnings = [*self.tree.warnings, *self.plan.warnings]
        for joint in self.joints:
            self._warn_of(joint)
        self.propellers: list[Propeller] = find_propellers(scene, self.tree, self.warnings)
        if former is not None:
            former.place_frames(frames, self.tree)
        self.belts = self._find_belts(frames, norm(impulse))
        if former is not None:
            former.use_axes(self.joints, self.propellers, self.belts)
        self.axes: dict[tuple[Node, int], Axis | KinematicAxis] = {}
        self.kinematic: list[JointPlan] = []
        self._index()

    def add(self, other: Reading) -> None:
        """Take in what trees that stand behind all others ask for; they have no links with these."""
        self.tree.add(other.tree)
        self.plan.physics.update(other.plan.physics)
        self.joints += other.joints
        self.warnings += other.warnings
        self.propellers += other.propellers
        self.belts.update(other.belts)
        if other.axes:
            self._index()

    def drop(self, nodes: set[Node], links: set[Link]) -> list[JointPlan]:
        """Forget all nodes of whole trees, and their links; returns the joints that go. Warnings stay."""
        self.tree.drop(nodes, links)
        for link in links:
            self.plan.physics.pop(link, None)
        gone = [joint for joint in self.joints if joint.node in nodes]
        axes = [key for key in self.axes if key[0] in nodes]
        for key in axes:
            del self.axes[key]
        if axes or gone:
            self.joints[:] = [joint for joint in self.joints if joint.node not in nodes]
            self.kinematic[:] = [joint for joint in self.kinematic if joint.node not in nodes]
            self.propellers[:] = [each for each in self.propellers if each.node not in nodes]
            for track in [track for track in self.belts if track in nodes]:
                del self.belts[track]
        return gone

    def _index(self) -> None:
        """Find the axes by their nodes; the order is that of a scene that is read as a whole."""
        self.axes.clear()
        for joint in self.joints:
            self.axes.update(((joint.node, index), axis) for index, axis in enumerate(joint.axes))
        self.axes.update(((propeller.node, 0), propeller.axis) for propeller in self.propellers)
        self.axes.update(((belt.node, 0), belt.axis) for belt in self.belts.values())
        self.kinematic[:] = [
            joint for joint in self.joints if not joint.is_dynamic and joint.child is not None
        ]

    def _find_belts(self, frames: Frames, impulse: float) -> dict[Node, Belt]:
        """The belts of all Track nodes, told to their shapes."""
        belts: dict[Node, Belt] = {}
        for link in self.tree.links:
            for solid, _ in link.solids:
                if solid.type_name == "Track":
                    belts[solid] = Belt(solid, frame_in(self.tree, frames, solid), link, impulse)
            for shape in link.shapes:
                shape.belt = belts.get(shape.solid)
        return belts

    def _warn_of(self, joint: JointPlan) -> None:
        path, source = joint.node.path(), joint.node.source
        if along_hinge(joint.node):
            text = f"{path}: a suspension along the axis of the hinge does not give way"
            self.warnings.append(SceneError(*source, text))
        if joint.has_aligned_axes:
            text = f"{path} has parallel axes: x and z of the world are used instead"
            self.warnings.append(SceneError(*source, text, "two axes"))
        if far_stops(joint):
            text = f"{path}: a stop more than half a turn from the start does not hold"
            self.warnings.append(SceneError(*source, text))


def frame_in(tree: LinkTree, frames: Frames, node: Node) -> LinkFrame | WorldFrame:
    """The frame of a node of a tree; one object per node."""
    found = frames.get(node)
    if found is None:
        link, pose = tree.place(node)
        found = frames[node] = LinkFrame(link, pose) if link is not None else WorldFrame(pose)
    return found
