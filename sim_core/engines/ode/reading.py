"""Bodies, joints and drives of a model as objects of this engine, independent of builds in ODE."""

from __future__ import annotations

from collections.abc import Iterable, Set

from sim_core.base.geometry import Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.ode.contacts.belts import Belt
from sim_core.engines.ode.flow import FlowForce, flow_force
from sim_core.engines.ode.frames import OdeFrame
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.joints.joint_plan import JointPlan
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.propellers import Thruster
from sim_core.engines.ode.shapes import Shape
from sim_core.model.dynamics.bodies import BodyPlacement
from sim_core.model.dynamics.model import ModelPart

AxisKey = tuple[NodeId, int]
"""Joint (or Servo, wheel, propeller, track) and index of one of its axes."""


class BuiltParts:
    """Links, shapes, joints and drives.

    Attributes:
        links: parents first.
        owners: the link of each solid.
        velocities: see `ModelPart`.
        places: see `Kinematics`; a body is given by the link that is named after that solid.
        joints: in file order.
        propellers: those with a motor, in file order.
        flows: forces of air and water, in file order.
        belts: by Track.
        axes: those of joints, of propellers, of belts.
        kinematic: joints that are not dynamic.
    """

    def __init__(self, parts: Iterable[ModelPart], gravity_per_step: float, are_stiff: bool) -> None:
        """Create the objects; `gravity_per_step`: velocity that gravity adds in a step, m/s; `are_stiff`: see
        `Surfaces`."""
        self.links: list[Link] = []
        self.owners: dict[NodeId, Link] = {}
        self.velocities: dict[Link, tuple[Vec3, Vec3]] = {}
        self.places: dict[NodeId, BodyPlacement] = {}
        self.joints: list[JointPlan] = []
        self.propellers: list[Thruster] = []
        self.flows: list[FlowForce] = []
        self.belts: dict[NodeId, Belt] = {}
        self.axes: dict[AxisKey, Axis | KinematicAxis] = {}
        self.kinematic: list[JointPlan] = []
        for part in parts:
            self._read(part, gravity_per_step, are_stiff)
        self._index(self.joints)

    def _read(self, part: ModelPart, gravity_per_step: float, are_stiff: bool) -> None:
        for id_, body in part.bodies.items():
            parent = self.owners[body.parent] if body.parent is not None else None
            link = Link(body, parent, part.weights.get(id_))
            link.shapes = [Shape(each, link, are_stiff) for each in part.colliders[id_]]
            self.links.append(link)
            self.owners.update((solid, link) for solid, _ in body.solids)
        self.velocities.update((self.owners[id_], each) for id_, each in part.velocities.items())
        self.places.update(part.places)
        self.joints += [
            JointPlan(joint, self._owner(joint.parent), self._owner(joint.child)) for joint in part.joints
        ]
        self.propellers += [Thruster(each, self._owner(each.body)) for each in part.propellers]
        self.flows += [flow_force(each, self.owners[each.body], self.joints) for each in part.flows]
        for track, record in part.tracks.items():
            link = self.owners[track]
            self.belts[track] = Belt(record, OdeFrame(link, self.places[track].pose), link, gravity_per_step)
            for shape in link.shapes:
                if shape.solid == track:
                    shape.belt = self.belts[track]

    def add_trees(self, other: BuiltParts) -> None:
        """Add trees behind all others, without links in common."""
        self.links += other.links
        self.owners |= other.owners
        self.velocities |= other.velocities
        self.places |= other.places
        self.joints += other.joints
        self.propellers += other.propellers
        self.flows += other.flows
        self.belts |= other.belts
        self._index(other.joints)

    def remove_trees(self, nodes: Set[NodeId], links: Set[Link]) -> list[JointPlan]:
        """Remove all nodes of whole trees, and their links; return the removed joints."""
        self.links[:] = [link for link in self.links if link not in links]
        for link in links:
            self.velocities.pop(link, None)
        for node in nodes:
            self.places.pop(node, None)
            self.owners.pop(node, None)
        gone = [joint for joint in self.joints if joint.record.id in nodes]
        axes = [key for key in self.axes if key[0] in nodes]
        self.flows[:] = [each for each in self.flows if each.solid not in nodes]
        for key in axes:
            del self.axes[key]
        if axes or gone:
            self.joints[:] = [joint for joint in self.joints if joint.record.id not in nodes]
            self.kinematic[:] = [joint for joint in self.kinematic if joint.record.id not in nodes]
            self.propellers[:] = [each for each in self.propellers if each.id not in nodes]
            for track in [track for track in self.belts if track in nodes]:
                del self.belts[track]
        return gone

    def _owner(self, body: NodeId | None) -> Link | None:
        return self.owners[body] if body is not None else None

    def _index(self, new: list[JointPlan]) -> None:
        """Index the axes by node, including those of new joints; the order is that of a scene that is read as
        a whole: joints, propellers, belts."""
        others: dict[AxisKey, Axis | KinematicAxis] = {}
        others.update(((propeller.id, 0), propeller.axis) for propeller in self.propellers)
        others.update(((belt.id, 0), belt.axis) for belt in self.belts.values())
        for key in others:
            self.axes.pop(key, None)
        for joint in new:
            self.axes.update(((joint.record.id, index), axis) for index, axis in enumerate(joint.axes))
        self.axes |= others
        self.kinematic += [joint for joint in new if not joint.record.is_dynamic and joint.child is not None]
