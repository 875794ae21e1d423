"""Changes that come from outside between steps: a supervisor moves, stops, turns, resizes things; trees of
solids come and go.

What a tree costs does not depend on the rest of the world. A tree that comes stands behind all others in the
scene, and so do its bodies, shapes and joints in ODE: all is in the order in which a build of the whole scene
would make it, which is what makes runs after a reset, or from a snapshot, exact. Fluids and floors concern
everything; what was there before has its former frames and axes; and solids that stood still until they were
moved, or that go on at a velocity, have bodies that come behind all others: then the world is built anew.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import ZERO, Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.ode.built_world import BuiltWorld
from sim_core.engines.ode.contacts.surfaces import SurfaceKind
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import make_mass
from sim_core.engines.ode.placing import place_subtree, set_joint_position, set_velocity
from sim_core.engines.ode.plugin_api import PluginSolid
from sim_core.engines.ode.reading import Reading
from sim_core.engines.ode.rebuilding import NamedState
from sim_core.engines.ode.shapes import is_floor, may_be_floor
from sim_core.model.changes import Aspect, Edit, Edits
from sim_core.model.dynamics.bodies import Kind
from sim_core.model.dynamics.colliders import Collider
from sim_core.model.dynamics.model import Weight, is_felt, part_of, resized, solid_of
from sim_core.model.dynamics.naming import NamedSolid
from sim_core.model.geometry import Box, Capsule, Cylinder, Plane, Sphere

_PLAIN = (Box, Sphere, Cylinder, Capsule)
"""Geometries whose sizes ODE can change."""


class _Change(NamedTuple):
    """A link that has other sizes, or another weight (None: it has none)."""

    link: Link
    colliders: list[Collider]
    weight: Weight | None


class WorldEditing:
    """What a supervisor does to a physics world, all of it between steps or in phase 1; meets `Editing`."""

    def __init__(self, built: BuiltWorld) -> None:
        self._built = built

    @property
    def is_at_start(self) -> bool:
        """As `Editing.is_at_start`."""
        return self._built.is_at_start

    def starts_so(self) -> None:
        """As `Editing.starts_so`."""
        self._built.is_at_start = True

    def outdate(self) -> None:
        """As `Editing.outdate`."""
        self._built.is_outdated = True

    def take_edits(self, edits: Edits) -> bool:
        """As `Editing.take_edits`."""
        built = self._built
        changes: list[_Change] = []
        for edit in filter(is_felt, edits):
            change = _change_of(built, edit)
            if change is None:
                return False
            changes.append(change)
        for change in changes:
            built.wake_around([change.link])
            _make_change(built, change)
            built.wake_around([change.link])
        return True

    def stands_alone(self, solid: NodeId) -> bool:
        """As `Editing.stands_alone`."""
        link = self._built.reading.owners.get(solid)
        return link is not None and link.solid == solid and link.parent is None and link.record.joint is None

    def place(self, solid: NodeId, pose: Pose) -> None:
        """As `Editing.place`."""
        link = self._built.reading.owners.get(solid)
        if link is None or link.solid != solid or link.kind is Kind.CARRIED:
            found = f"{self._built.label(solid)} is a part of something"
            raise PhysicsError(f"{found}, it cannot be moved alone")
        moved = list(link.subtree())
        self._built.wake_around(moved)
        place_subtree(link, pose, self._built.mover)
        self._built.wake_around(moved)
        self._built.watch.steps_left = 0
        self._built.copy_out()

    def can_place(self, solid: NodeId) -> bool:
        """As `Editing.can_place`."""
        link = self._built.reading.owners.get(solid)
        if link is None or link.solid != solid or link.kind is Kind.CARRIED:
            return False
        return link.kind is Kind.DYNAMIC or not any(
            isinstance(shape.geometry, Plane) for sub in link.subtree() for shape in sub.shapes
        )

    def set_velocity(self, solid: NodeId, linear: Vec3, angular: Vec3) -> None:
        """As `Editing.set_velocity`."""
        built = self._built
        own = built.reading.owners.get(solid)
        link = own if own is not None and own.solid == solid else built.body_of(solid)
        if link is None:
            found = f"{built.label(solid)} is a part of something without Physics"
            raise PhysicsError(f"{found}, its velocity cannot be set alone")
        if link.kind is Kind.DYNAMIC:
            set_velocity(link, built.frame(solid).pose().position, linear, angular)
        elif link.kind is Kind.FIXED:
            built.mover.coast(link, linear, angular)
        for joint in built.reading.kinematic:
            if joint.child is link:
                joint.coast(linear, angular)
        built.copy_out()

    def stop(self, solid: NodeId) -> None:
        """As `Editing.stop`."""
        top = self._built.body_of(solid) or self._built.reading.owners.get(solid)
        if top is None:
            raise PhysicsError(f"{self._built.label(solid)} cannot be stopped, expected a solid")
        for link in top.subtree():
            if link.kind is Kind.FIXED:
                self._built.mover.coast(link, ZERO, ZERO)
            elif link.kind is Kind.DYNAMIC:
                for set_to in ("setLinearVel", "setAngularVel", "setForce", "setTorque"):
                    getattr(link.body, set_to)((0.0, 0.0, 0.0))
        self._built.copy_out()

    def moves_freely(self, solid: NodeId) -> bool:
        """As `Editing.moves_freely`."""
        link = self._built.reading.owners.get(solid)
        if link is None or link.solid != solid:
            return False
        return link.kind is Kind.DYNAMIC or link in self._built.mover.coasting

    def has_axis(self, joint: NodeId, index: int) -> bool:
        """As `Editing.has_axis`."""
        return (joint, index) in self._built.reading.axes

    def set_joint_position(self, joint: NodeId, index: int, position: float) -> None:
        """As `Editing.set_joint_position`."""
        plan = next((each for each in self._built.reading.joints if each.record.id == joint), None)
        if plan is None or not 0 <= index < len(plan.axes):
            raise PhysicsError(f"{self._built.label(joint)} has no axis {index}")
        set_joint_position(plan, index, position, self._built.mover)
        self._built.watch.steps_left = 0
        self._built.copy_out()

    def add_force(self, solid: NodeId, force: Vec3, at: Vec3 | None = None) -> None:
        """As `Editing.add_force`."""
        self._pushed(solid).add_force(force, at)

    def add_torque(self, solid: NodeId, torque: Vec3) -> None:
        """As `Editing.add_torque`."""
        self._pushed(solid).add_torque(torque)

    def take_in(self, roots: Set[NodeId]) -> bool:
        """As `Editing.take_in`."""
        built = self._built
        if built.mover.loosened:
            return False
        part = part_of(built.scene, roots, built.fluids.names)
        if part is not None:
            built.refuse_new_mistakes(part)
        if part is None or part.fluids or any(built.is_held(node) for node in part.places):
            return False
        links: set[Link] = set()
        reading = Reading(part, built.pull, built.are_stiff)
        if reading.velocities or any(is_floor(shape) for link in reading.links for shape in link.shapes):
            return False
        nodes = part.places.keys() | reading.owners.keys()
        try:
            links.update(reading.links)
            built.fluids.add(part, reading.links)
            built.reading.add(reading)
            built.users += [*reading.links, *reading.axes.values()]
            built.make(reading)
        except Exception:
            _remove(built, nodes, links)
            raise
        built.islands.add(reading.joints, reading.links)
        new = [link for link in reading.links if link.address]
        built.bodies += new
        built.states.extend([link.address for link in new])
        built.after_building()
        return True

    def let_go_of(self, nodes: Set[NodeId]) -> bool:
        """As `Editing.let_go_of`."""
        built = self._built
        if any(fluid in nodes for fluid in built.fluids.ids):
            return False
        links, axes = built.links_of(nodes), built.axes_of(nodes)
        if not links and not axes:
            return True  # they are gone already, or were never taken in
        built.wake_around(links)
        _remove(built, nodes, links)
        built.after_building()
        return True

    def named_state(self) -> NamedState:
        """As `Editing.named_state`."""
        return NamedState(self._built)

    def rebuild(
        self,
        former: NamedState,
        renewed: Set[NodeId] = frozenset(),
        touched: Set[NodeId] | None = frozenset(),
    ) -> None:
        """As `Editing.rebuild`."""
        built = self._built
        near = built.rebuild(touched)
        former.put_into(built, renewed)
        built.is_at_start = former.is_at_start
        built.wake(near)

    def _pushed(self, solid: NodeId) -> PluginSolid:
        self._built.is_at_start = False
        link = self._built.reading.owners.get(solid)
        path = (link.record.label if link is not None else self._built.label(solid)).path
        return PluginSolid(NamedSolid(solid, path, path), self._built)


def _change_of(built: BuiltWorld, edit: Edit) -> _Change | None:
    """What an edit makes of a link that hangs on nothing; None: it is no such link, or no such edit."""
    solid = solid_of(edit)
    link = built.reading.owners.get(solid) if solid is not None else None
    is_weight = edit.aspect is Aspect.MASS and edit.field in ("mass", "density")
    if link is None or not (is_weight or edit.aspect is Aspect.SIZE) or not _is_alone(built, link):
        return None
    colliders, weight = resized(built.scene, edit, link.record)
    kinds = [(type(each.geometry), each.pose) for each in colliders]
    if kinds != [(type(each.geometry), each.pose) for each in link.shapes]:
        return None
    if any(may_be_floor(link, each.geometry, each.pose) for each in colliders):
        return None
    if weight is not None and weight.physics.mass.centre != link.centre:
        return None
    return _Change(link, colliders, weight)


def _is_alone(built: BuiltWorld, link: Link) -> bool:
    """Whether a link hangs on nothing and carries nothing, so that only its contacts know its size."""
    return (
        link.kind is not Kind.CARRIED
        and link.parent is None
        and link.record.joint is None
        and not (link.children or link.moves or built.fluids or link.record.is_robot)
        and all(
            isinstance(shape.geometry, _PLAIN) and shape.belt is None and not is_floor(shape)
            for shape in link.shapes
        )
    )


def _make_change(built: BuiltWorld, change: _Change) -> None:
    link = change.link
    link.weight = change.weight
    if change.weight is not None:
        mass = change.weight.physics.mass
        link.mass = mass.mass
        link.body.setMass(make_mass(mass.mass, mass.inertia))
    for shape, new in zip(link.shapes, change.colliders, strict=True):
        shape.resize(new)
        shape.surface = built.contacts.surfaces.index(SurfaceKind(shape.material, link.mass, shape.legacy))
    built.contacts.changed(link.shapes)


def _remove(built: BuiltWorld, nodes: Set[NodeId], links: set[Link]) -> None:
    """Take out all that there is of trees, or of trees that were being made."""
    poses = {link: link.world_pose() for link in links}
    for bond in [bond for bond in built.bonds.made if bond.first in links or bond.second in links]:
        bond.release()
    gone_axes = built.axes_of(nodes)
    axes = list(gone_axes.values())
    joints = built.reading.drop(nodes, links)
    if joints:
        built.builder.drop(joints, links)
    for key, axis in gone_axes.items():
        axis.let_go()
        if (handle := built.handles.get(key)) is not None:
            handle.stand_still()
    gone = {*links, *axes}
    built.tracked = [axis for axis in built.tracked if axis not in gone]
    built.users[:] = [user for user in built.users if user not in gone]
    built.contacts.drop(links)
    built.mover.drop(links)
    built.touch.drop(nodes)
    built.fluids.drop(links)
    built.islands.drop(links)
    if any(link.address for link in links):
        built.bodies = [link for link in built.bodies if link not in links]
        built.states.drop([link.address for link in links if link.address])
    bodies = {link.body for link in links}
    built.keeper.bodies[:] = [body for body in built.keeper.bodies if body not in bodies]
    for link in links:
        link.stand_still(poses[link])
