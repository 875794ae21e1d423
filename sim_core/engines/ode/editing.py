"""Edits between steps: a supervisor moves, stops, turns and resizes solids; trees of solids are added and
removed.

The cost of adding a tree does not depend on the rest of the world. An added tree is last in the scene, and so
are its bodies, shapes and joints in ODE: the order is that of a build of the whole scene, so that runs after
a reset, or from a snapshot, are exact. The world is built again instead if fluids change (they affect
everything), if frames and axes of a former tree are still in use, or if there are solids that were fixed
until they were moved or that move at a set velocity, whose bodies come last.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.capabilities import NamedState
from sim_core.engines.ode.bodies import choose_surfaces
from sim_core.engines.ode.built_world import BuiltWorld
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import make_mass
from sim_core.engines.ode.placing import place_subtree, set_joint_position, set_velocity
from sim_core.engines.ode.plugin_api import PluginSolid
from sim_core.engines.ode.reading import BuiltParts
from sim_core.engines.ode.rebuilding import NamedPhysicsState
from sim_core.engines.ode.shapes import is_floor, may_be_floor
from sim_core.model.dynamics.bodies import BodyKind
from sim_core.model.dynamics.colliders import Collider
from sim_core.model.dynamics.difference import ModelChange
from sim_core.model.dynamics.model import BodyDynamics, DynamicsModel, ModelPart
from sim_core.model.dynamics.naming import NamedSolid
from sim_core.model.geometry import Box, Capsule, Cylinder, Plane, Sphere

_PLAIN = (Box, Sphere, Cylinder, Capsule)
"""Geometries whose sizes ODE can change."""


class _Resized(NamedTuple):
    """Link with changed shapes or mass (None: no mass)."""

    link: Link
    former: list[Collider]
    colliders: list[Collider]
    weight: BodyDynamics | None

    def is_possible(self, built: BuiltWorld) -> bool:
        """Return whether ODE can apply it in place: the centre of mass is unchanged, and resized links have
        no joints."""
        link, weight, then = self.link, self.weight, self.link.weight
        if weight is None or then is None:
            is_weighed_alike = weight is then
        else:
            is_damped_alike = weight.physics[2:] == then.physics[2:]
            is_weighed_alike = is_damped_alike and weight.physics.mass.centre == link.centre
        if self.former == self.colliders:
            return is_weighed_alike and not (built.fluids or built.reading.belts)
        return (
            is_weighed_alike
            and _has_no_joints(built, link)
            and not any(may_be_floor(link, each.geometry, each.pose) for each in self.colliders)
            and all(map(_differ_in_size, self.former, self.colliders))
        )

    def make(self, built: BuiltWorld) -> None:
        """Apply the change to ODE."""
        link = self.link
        link.weight = self.weight
        if self.weight is not None:
            mass = self.weight.physics.mass
            link.mass = mass.mass
            link.body.setMass(make_mass(mass.mass, mass.inertia))
        if self.former != self.colliders:
            for shape, new in zip(link.shapes, self.colliders, strict=True):
                shape.resize(new)
            built.update_resized(link)
        choose_surfaces([each for each in built.reading.links if each.top == link.top], built.contacts)


class WorldEditing:
    """Edits of an ODE world by a supervisor, between steps or in phase 1; implements `Editing`."""

    def __init__(self, built: BuiltWorld) -> None:
        self._built = built

    @property
    def dynamics(self) -> DynamicsModel:
        """Built model; see `Editing.dynamics`."""
        return self._built.dynamics

    def apply(self, change: ModelChange) -> bool:
        """Apply a change in place; see `Editing.apply`."""
        built = self._built
        if change.rebuilds or bool(change.resized) + bool(change.added) + bool(change.removed) > 1:
            return False
        resized = [
            _Resized(built.reading.owners[id_], then.colliders[id_], now.colliders[id_], now.weights.get(id_))
            for then, now in change.parts
            for id_ in now.bodies
            if id_ in change.resized
        ]
        if not all(each.is_possible(built) for each in resized):
            return False
        if change.added and not self._add_parts(change.added):
            return False
        if change.removed and not self._remove_parts(change.removed):
            return False
        for each in resized:
            built.wake_around([each.link])
            each.make(built)
            built.wake_around([each.link])
        nodes: set[NodeId] = set()
        for then, now in change.parts:
            for node in then.nodes:
                del built.reading.places[node]
            built.reading.places |= now.places
            nodes |= then.nodes | now.nodes
        if nodes:
            built.update_handles(nodes)
        built.dynamics = change.model
        return True

    def place(self, solid: NodeId, pose: Pose) -> None:
        """Move a solid; see `Editing.place`."""
        link = self._built.link_of(solid)
        if link is None or link.is_driven_by_joint:
            found = f"{self._built.label(solid)} is a part of something"
            raise PhysicsError(f"{found}, it cannot be moved alone")
        moved = list(link.subtree())
        self._built.wake_around(moved)
        place_subtree(link, pose, self._built.mover)
        self._built.wake_around(moved)
        self._built.watch.steps_left = 0
        self._built.copy_state()

    def can_place(self, solid: NodeId) -> bool:
        """Return whether `place` can move a solid; see `Editing.can_place`."""
        link = self._built.link_of(solid)
        if link is None or link.is_driven_by_joint:
            return False
        return link.kind is BodyKind.DYNAMIC or not any(
            isinstance(shape.geometry, Plane) for sub in link.subtree() for shape in sub.shapes
        )

    def set_velocity(self, solid: NodeId, linear: Vec3, angular: Vec3) -> None:
        """Set the velocity of a solid; see `Editing.set_velocity`."""
        built = self._built
        link = built.link_of(solid) or built.body_of(solid)
        if link is None:
            if not any((*linear, *angular)):
                return
            found = f"{built.label(solid)} is a part of something without Physics"
            raise PhysicsError(f"{found}, its velocity cannot be set alone")
        if link.kind is BodyKind.DYNAMIC:
            set_velocity(link, built.frame(solid).pose().position, linear, angular)
        elif link.moves_by_itself:
            built.mover.set_velocity(link, linear, angular)
        for joint in built.reading.kinematic:
            if joint.child is link:
                joint.set_axis_velocities(linear, angular)
        built.copy_state()

    def moves_freely(self, solid: NodeId) -> bool:
        """Return whether a body is named after a solid; see `Editing.moves_freely`."""
        link = self._built.link_of(solid)
        if link is None:
            return False
        return link.kind is BodyKind.DYNAMIC or link in self._built.mover.coasting

    def has_axis(self, joint: NodeId, index: int) -> bool:
        """Return whether the axis exists; see `Editing.has_axis`."""
        return (joint, index) in self._built.reading.axes

    def set_joint_position(self, joint: NodeId, index: int, position: float) -> None:
        """Set the position of a joint; see `Editing.set_joint_position`."""
        plan = next((each for each in self._built.reading.joints if each.record.id == joint), None)
        if plan is None or not 0 <= index < len(plan.axes):
            raise PhysicsError(f"{self._built.label(joint)} has no axis {index}")
        set_joint_position(plan, index, position, self._built.mover)
        self._built.watch.steps_left = 0
        self._built.copy_state()

    def add_wrench(self, solid: NodeId, force: Vec3, torque: Vec3, at: Vec3 | None = None) -> None:
        """Apply a force and torque to a solid; see `Editing.add_wrench`."""
        link = self._built.reading.owners.get(solid)
        path = (link.record.label if link is not None else self._built.label(solid)).path
        pushed = PluginSolid(NamedSolid(solid, path, path), self._built)
        pushed.add_force(force, at)
        pushed.add_torque(torque)

    def _add_parts(self, parts: Sequence[ModelPart]) -> bool:
        """Add parts behind all others; False: not possible in place."""
        built = self._built
        if built.mover.loosened or any(
            part.fluids or any(built.is_in_use(node) for node in part.nodes) for part in parts
        ):
            return False
        links: set[Link] = set()
        reading = BuiltParts(parts, built.gravity_per_step, built.are_stiff)
        if reading.velocities:
            return False
        nodes = reading.places.keys() | reading.owners.keys()
        try:
            links.update(reading.links)
            built.fluids.add_parts(parts, reading.links)
            built.reading.add_trees(reading)
            built.users += [*reading.links, *reading.axes.values()]
            built.make(reading)
        except Exception:
            _remove(built, nodes, links)
            raise
        built.islands.add_trees(reading.joints, reading.links)
        new = [link for link in reading.links if link.address]
        built.bodies += new
        built.states.extend([link.address for link in new])
        built.after_building()
        return True

    def _remove_parts(self, parts: Sequence[ModelPart]) -> bool:
        """Remove parts; False: not possible in place."""
        built = self._built
        if any(part.fluids for part in parts):
            return False
        nodes = {node for part in parts for node in part.nodes}
        links = set(filter(None, map(built.link_of, nodes)))
        built.wake_around(links)
        _remove(built, nodes, links)
        built.after_building()
        return True

    def named_state(self) -> NamedPhysicsState:
        """Return the present state by ids; see `Editing.named_state`."""
        return NamedPhysicsState(self._built)

    def rebuild(self, change: ModelChange, former: NamedState | None = None) -> None:
        """Build the model of a change; see `Editing.rebuild`."""
        state = former if former is not None else NamedPhysicsState(self._built)
        assert isinstance(state, NamedPhysicsState)  # states of other engines never get here
        near = self._built.rebuild(change.model, change.touched)
        if former is None:
            state.put_start_into(self._built)
            return
        state.turned(change.turns).put_into(self._built)
        self._built.wake(near)


def _has_no_joints(built: BuiltWorld, link: Link) -> bool:
    """Return whether a link has no joints and no children, so that its size affects only its contacts."""
    return (
        link.kind is not BodyKind.CARRIED
        and link.parent is None
        and link.record.joint is None
        and not (link.children or link.moves or built.fluids or link.record.is_robot)
        and all(
            isinstance(shape.geometry, _PLAIN) and shape.belt is None and not is_floor(shape)
            for shape in link.shapes
        )
    )


def _differ_in_size(then: Collider, now: Collider) -> bool:
    """Return whether two colliders differ only in the sizes of their geometries."""
    size = (now.geometry, now.radius, now.is_wheel)
    is_alike = then._replace(geometry=size[0], radius=size[1], is_wheel=size[2]) == now
    return is_alike and type(then.geometry) is type(now.geometry)


def _remove(built: BuiltWorld, nodes: Set[NodeId], links: set[Link]) -> None:
    """Remove all objects of trees, or of trees whose creation failed."""
    poses = {link: link.world_pose() for link in links}
    for bond in [bond for bond in built.bonds.made if bond.first in links or bond.second in links]:
        bond.release()
    gone_axes = built.axes_of(nodes)
    axes = list(gone_axes.values())
    joints = built.reading.remove_trees(nodes, links)
    if joints:
        built.builder.destroy_joints(joints, links)
    for key, axis in gone_axes.items():
        axis.release_ode()
        if (handle := built.handles.get(key)) is not None:
            handle.stand_still()
    gone = {*links, *axes}
    built.tracked = [axis for axis in built.tracked if axis not in gone]
    built.users[:] = [user for user in built.users if user not in gone]
    built.contacts.remove_links(links)
    built.mover.remove_links(links)
    built.touch.remove_solids(nodes)
    built.fluids.remove_links(links)
    built.islands.remove_links(links)
    if any(link.address for link in links):
        built.bodies = [link for link in built.bodies if link not in links]
        built.states.remove_bodies([link.address for link in links if link.address])
    bodies = {link.body for link in links}
    built.ode_objects.bodies[:] = [body for body in built.ode_objects.bodies if body not in bodies]
    for link in links:
        link.stand_still(poses[link])
