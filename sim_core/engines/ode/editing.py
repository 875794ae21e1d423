"""Changes that come from outside between steps: a supervisor moves, stops, turns, resizes things; trees of
solids come and go.

What a tree costs does not depend on the rest of the world. A tree that comes stands behind all others in the
scene, and so do its bodies, shapes and joints in ODE: all is in the order in which a build of the whole scene
would make it, which is what makes runs after a reset, or from a snapshot, exact. Fluids concern everything;
what was there before has its former frames and axes; and solids that stood still until they were moved, or
that go on at a velocity, have bodies that come behind all others: then the world is built anew.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import ZERO, Pose, Vec3
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
    """A link that has other shapes, or another weight (None: it has none)."""

    link: Link
    former: list[Collider]
    colliders: list[Collider]
    weight: BodyDynamics | None

    def is_possible(self, built: BuiltWorld) -> bool:
        """Whether ODE can be told: a mass about the centre of before, and sizes of a link that hangs on
        nothing."""
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
            and _is_alone(built, link)
            and not any(may_be_floor(link, each.geometry, each.pose) for each in self.colliders)
            and all(map(_differ_in_size, self.former, self.colliders))
        )

    def make(self, built: BuiltWorld) -> None:
        """Tell ODE."""
        link = self.link
        link.weight = self.weight
        if self.weight is not None:
            mass = self.weight.physics.mass
            link.mass = mass.mass
            link.body.setMass(make_mass(mass.mass, mass.inertia))
        if self.former != self.colliders:
            for shape, new in zip(link.shapes, self.colliders, strict=True):
                shape.resize(new)
            built.resized(link)
        choose_surfaces([each for each in built.reading.links if each.top == link.top], built.contacts)


class WorldEditing:
    """What a supervisor does to a physics world, all of it between steps or in phase 1; meets `Editing`."""

    def __init__(self, built: BuiltWorld) -> None:
        self._built = built

    @property
    def dynamics(self) -> DynamicsModel:
        """As `Editing.dynamics`."""
        return self._built.dynamics

    def apply(self, change: ModelChange) -> bool:
        """As `Editing.apply`."""
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
            built.hand_over(nodes)
        built.dynamics = change.model
        return True

    def place(self, solid: NodeId, pose: Pose) -> None:
        """As `Editing.place`."""
        link = self._built.link_of(solid)
        if link is None or link.hangs:
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
        link = self._built.link_of(solid)
        if link is None or link.hangs:
            return False
        return link.kind is BodyKind.DYNAMIC or not any(
            isinstance(shape.geometry, Plane) for sub in link.subtree() for shape in sub.shapes
        )

    def set_velocity(self, solid: NodeId, linear: Vec3, angular: Vec3) -> None:
        """As `Editing.set_velocity`."""
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
            if link.moves_by_itself:
                self._built.mover.coast(link, ZERO, ZERO)
            elif link.kind is BodyKind.DYNAMIC:
                for set_to in ("setLinearVel", "setAngularVel", "setForce", "setTorque"):
                    getattr(link.body, set_to)((0.0, 0.0, 0.0))
        self._built.copy_out()

    def moves_freely(self, solid: NodeId) -> bool:
        """As `Editing.moves_freely`."""
        link = self._built.link_of(solid)
        if link is None:
            return False
        return link.kind is BodyKind.DYNAMIC or link in self._built.mover.coasting

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

    def add_wrench(self, solid: NodeId, force: Vec3, torque: Vec3, at: Vec3 | None = None) -> None:
        """As `Editing.add_wrench`."""
        link = self._built.reading.owners.get(solid)
        path = (link.record.label if link is not None else self._built.label(solid)).path
        pushed = PluginSolid(NamedSolid(solid, path, path), self._built)
        pushed.add_force(force, at)
        pushed.add_torque(torque)

    def _add_parts(self, parts: Sequence[ModelPart]) -> bool:
        """Take in parts that stand behind all others; False: it cannot be done this way."""
        built = self._built
        if built.mover.loosened or any(
            part.fluids or any(built.is_held(node) for node in part.nodes) for part in parts
        ):
            return False
        links: set[Link] = set()
        reading = BuiltParts(parts, built.pull, built.are_stiff)
        if reading.velocities:
            return False
        nodes = reading.places.keys() | reading.owners.keys()
        try:
            links.update(reading.links)
            built.fluids.add(parts, reading.links)
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

    def _remove_parts(self, parts: Sequence[ModelPart]) -> bool:
        """Let go of parts; False: it cannot be done this way."""
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
        """As `Editing.named_state`."""
        return NamedPhysicsState(self._built)

    def rebuild(self, change: ModelChange, former: NamedState | None = None) -> None:
        """As `Editing.rebuild`."""
        state = former if former is not None else NamedPhysicsState(self._built)
        assert isinstance(state, NamedPhysicsState)  # they are all of this engine
        near = self._built.rebuild(change.model, change.touched)
        if former is None:
            state.begin(self._built)
            return
        state.turned(change.turns).put_into(self._built)
        self._built.wake(near)


def _is_alone(built: BuiltWorld, link: Link) -> bool:
    """Whether a link hangs on nothing and carries nothing, so that only its contacts know its size."""
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
    """Whether two are alike, but for the numbers of their geometry."""
    size = (now.geometry, now.radius, now.is_wheel)
    is_alike = then._replace(geometry=size[0], radius=size[1], is_wheel=size[2]) == now
    return is_alike and type(then.geometry) is type(now.geometry)


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
