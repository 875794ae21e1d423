"""Everything built from a model: links, joints and axes, and their ODE objects."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence, Set
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import Pose, norm, scale
from sim_core.base.ids import NodeId
from sim_core.engines.ode.bodies import make_bodies, make_shapes
from sim_core.engines.ode.bonds import Bonds
from sim_core.engines.ode.contacts.contact_watches import ContactWatches, OdeContactWatch
from sim_core.engines.ode.contacts.contacts import Contacts
from sim_core.engines.ode.contacts.islands import Islands
from sim_core.engines.ode.contacts.kernels import copy_state
from sim_core.engines.ode.contacts.neighbours import exclude_neighbours
from sim_core.engines.ode.contacts.surfaces import Surfaces
from sim_core.engines.ode.contacts.tables import StateCopier
from sim_core.engines.ode.fluids import Fluids
from sim_core.engines.ode.frames import OdeFrame
from sim_core.engines.ode.joints.axes import Axis, TrackTimer
from sim_core.engines.ode.joints.axis_handle import AxisHandle
from sim_core.engines.ode.joints.joints import JointBuilder
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.kinematics import Mover
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import STATE_DOUBLES, world_pointer, write_state
from sim_core.engines.ode.ode_objects import OdeObjects, OdeObjectsSlot, OdeUser
from sim_core.engines.ode.pyode import ode
from sim_core.engines.ode.reading import AxisKey, BuiltParts
from sim_core.model.dynamics.bodies import BodyPlacement
from sim_core.model.dynamics.model import DynamicsModel
from sim_core.model.dynamics.naming import NodeLabel
from sim_core.model.dynamics.world import WorldRecord
from sim_core.model.world_model import WorldModel

QUICK_ITERATIONS = 200
"""Iterations of the iterative solver: with 50 an arm of seven joints trembles by 0.16 rad/s while a heap lies
near it, with 200 by 0.03."""


def set_up(world: Any, record: WorldRecord) -> None:
    """Set gravity, solver and sleep of an ODE world."""
    world.setGravity(record.gravity)
    world.setERP(record.erp)
    world.setCFM(record.cfm)
    world.setQuickStepNumIterations(QUICK_ITERATIONS)
    world.setAutoDisableFlag(record.sleep_after > 0.0)
    world.setAutoDisableTime(max(0.0, record.sleep_after))
    world.setAutoDisableLinearThreshold(record.slow_linear)
    world.setAutoDisableAngularThreshold(record.slow_angular)


class BuiltWorld:
    """Builds the world; all parts of `PhysicsWorld` use the objects of the last build.

    Attributes:
        model: of the scene; dynamics: the model that is built; world: settings of the whole world.
        seconds: basic time step.
        are_stiff: see `Surfaces`.
        gravity: m/s², world axes.
        builds: number of times that all ODE objects, or those of some trees, have been built.
        arrangement: number of times that frames may have got other links, or links other bodies.
        records: True if contacts are recorded.
        frames, handles: frames by node and handles by axis that are in use elsewhere; a link holds its
            frames.
        tracked: the axes whose turns are counted: those in use elsewhere, and those with stops.
        watch: next time at which joints must be checked for turns.
        touch, bonds: the watched solids; the bonds.
        users: see `OdeObjectsSlot`.
        reading: links, joints and axes made from the model.
        fluids: fluids and the shapes in them.
        solver_seed: state of the iterative solver's random generator.
        ode: the ODE world.
        pointer: its address; 0: it has no bodies.
        ode_objects: all its objects, which it owns.
        contacts: collision detection.
        builder: creates joints.
        mover: moves solids without Physics.
        islands: groups of bodies connected by joints.
        bodies: the links with a body of their own, in the order of `states`.
        states: copies the states of these bodies, using `states_address`.
        has_prelude: True if each step has work before collision detection.
    """

    def __init__(self, model: WorldModel, seed: int, are_stiff: bool) -> None:
        """Build the physics of a model; `are_stiff`: see `Surfaces`.

        Raises:
            SceneError, SceneErrors: the scene is impossible to simulate.
        """
        self.model = model
        self.seed = seed
        self.are_stiff = are_stiff
        self.records = False
        self.builds = self.arrangement = 0
        self.frames: WeakValueDictionary[NodeId, OdeFrame] = WeakValueDictionary()
        self.handles: WeakValueDictionary[AxisKey, AxisHandle] = WeakValueDictionary()
        self.tracked: list[Axis] = []
        self.watch = TrackTimer()
        self.touch = ContactWatches()
        self.bonds = Bonds()
        self._reaches: NDArray[np.float64] | None = None
        self.users: list[OdeUser] = []
        self.ode_objects_slot = OdeObjectsSlot(self, self.users)
        dynamics = model.dynamics()
        self.seconds = dynamics.world.step_ns / 1e9
        self._read(dynamics)
        self._build()

    def _read(self, dynamics: DynamicsModel) -> None:
        """Create links, joints and axes from a model."""
        self.dynamics = dynamics
        self.world = dynamics.world
        self.gravity = self.world.gravity
        self.reading = reading = BuiltParts(dynamics.parts, self.gravity_per_step, self.are_stiff)
        self.fluids = Fluids(self.gravity)
        self.fluids.add_parts(dynamics.parts, reading.links)
        self.users[:] = [*reading.links, *reading.axes.values(), self.touch, self.bonds]

    @property
    def gravity_per_step(self) -> float:
        """Velocity that gravity adds in a step, m/s."""
        return norm(scale(self.gravity, self.seconds))

    def rebuild(self, dynamics: DynamicsModel, touched: Set[NodeId] | None = frozenset()) -> set[NodeId]:
        """Build another model of the world, in its start state.

        Frames and axes in use elsewhere stay valid.

        Args:
            dynamics: the model.
            touched: solids that have changed; None: all.

        Returns:
            The solids that must be awake: the touched ones, and those near them and near removed ones; all,
            if gravity or contact properties have changed.
        """
        former, axes = self.reading, self.reading.axes
        poses = [link.world_pose() for link in former.links]
        self._read(dynamics)
        if touched is None:
            touched = self.reading.owners.keys()
        changed = touched | (former.owners.keys() - self.reading.owners.keys())
        near = {*touched, *self._near({former.owners[solid] for solid in changed & former.owners.keys()})}
        self.update_handles()
        for axis in axes.values():
            axis.release_ode()
        for link, pose in zip(former.links, poses, strict=True):
            link.stand_still(pose)
        self.touch.update_shapes(self.reading.owners)
        self._build()
        return near

    def wake_around(self, links: Collection[Link]) -> None:
        """Wake links and all that touches them after a change."""
        self.wake({*(link.solid for link in links), *self._near(links)})

    def wake(self, solids: Set[NodeId]) -> None:
        """Wake the bodies of these solids, as far as they exist."""
        for solid in solids:
            link = self.reading.owners.get(solid)
            mover = link.dynamic_ancestor() if link is not None else None
            if mover is not None:
                mover.body.enable()

    def _near(self, links: Collection[Link]) -> Iterator[NodeId]:
        """Iterate over sleeping solids whose bounding boxes meet those of links.

        ODE's spaces are not used for this, because a query would update them and change the order of
        contacts.
        """
        boxes = [shape.geom.getAABB() for link in links for shape in link.shapes if shape.geom is not None]
        if not boxes:
            return
        if self._reaches is None:
            self._reaches = np.array([_reach(link) for link in self.bodies])
        x, low, high = self.states.good[:, 0], min(box[0] for box in boxes), max(box[1] for box in boxes)
        for index in np.flatnonzero((x - self._reaches <= high) & (x + self._reaches >= low)):
            link = self.bodies[index]
            if not link.body.isEnabled():
                own = [shape.geom.getAABB() for each in link.rigid_subtree() for shape in each.shapes]
                if any(_overlap(one, other) for one in boxes for other in own):
                    yield link.solid

    def watch_contacts(self, solid: NodeId) -> OdeContactWatch:
        """Return the contacts of a solid; see `World.watch_contacts`."""
        link = self.reading.owners.get(solid)
        if link is None:
            raise PhysicsError(f"{self.label(solid)} cannot be watched, expected a solid")
        return self.touch.watch(solid, [shape for shape in link.shapes if shape.solid == solid])

    def placement(self, node: NodeId) -> tuple[Link | None, Pose]:
        """Return the link to which a node is fixed, and the pose there of the frame that contains the
        node."""
        return self._on_link(self.model.placement(node, self.reading.places) or BodyPlacement())

    def frame(self, node: NodeId) -> OdeFrame:
        """Return the frame of a Solid, Pose or device node, or of the nearest above; one object per node."""
        found = self.frames.get(node)
        if found is None:
            found = self.frames[node] = OdeFrame(*self.placement(node))
        return found

    def handle(self, axis: AxisKey) -> AxisHandle | None:
        """Return a handle of an axis that stays valid after edits of the scene; one object per axis; None: no
        such axis."""
        found = self.reading.axes.get(axis)
        if found is None:
            return None
        handle = self.handles.get(axis)
        if handle is None:
            handle = self.handles[axis] = AxisHandle(found, self.watch)
            if isinstance(found, Axis) and not (found.is_linear or found.has_stops):
                _ = found.position
                self.tracked.append(found)
        return handle

    def is_in_use(self, node: NodeId) -> bool:
        """Return whether its frame, or one of its axes, is in use elsewhere."""
        return node in self.frames or any((node, index) in self.handles for index in range(3))

    def body_of(self, node: NodeId) -> Link | None:
        """Return the link with the body that moves a node; None: no dynamic body does."""
        link, _ = self.placement(node)
        return link.dynamic_ancestor() if link is not None else None

    def link_of(self, solid: NodeId) -> Link | None:
        """Return the link that is named after a solid."""
        link = self.reading.owners.get(solid)
        return link if link is not None and link.solid == solid else None

    def axes_of(self, nodes: Set[NodeId]) -> dict[AxisKey, Axis | KinematicAxis]:
        """Return the axes of these nodes."""
        return {key: axis for key, axis in self.reading.axes.items() if key[0] in nodes}

    def label(self, node: NodeId) -> NodeLabel:
        """Return the name of a node for messages."""
        return self.model.label(node)

    def update_handles(self, nodes: Set[NodeId] | None = None) -> None:
        """Update frames and handles in use elsewhere; frames of removed nodes stay, their axes stand still.

        Args:
            nodes: nodes whose links may have changed; None: all.
        """
        places = self.reading.places
        for key, handle in self.handles.items():
            if nodes is not None and key[0] not in nodes:
                continue
            axis = self.reading.axes.get(key)
            if axis is None:
                handle.stand_still()
            else:
                handle.set_axis(axis, self.watch)
        frames = {
            node: frame
            for node, frame in self.frames.items()  # not over keys: one may be freed before its value is read
            if nodes is None or node in nodes or node not in places
        }
        for node, place in self.model.placements(frames, places).items():
            frames[node].fix(*self._on_link(place))
        self.arrangement += 1

    def _on_link(self, place: BodyPlacement) -> tuple[Link | None, Pose]:
        return (self.reading.owners[place.body] if place.body is not None else None), place.pose

    def rebuild_all(self) -> None:
        """Build all ODE objects again, as at the start."""
        for link in self.reading.links:
            link.moves = False
        self._build()

    def copy_state(self) -> None:
        """Copy the state from ODE, after it was written."""
        copy_state(self.states_address)

    def _build(self) -> None:
        """Create all ODE objects, always in the same order."""
        record, step = self.world, self.seconds
        self.solver_seed = self.seed & 0xFFFFFFFF
        self.ode = world = ode.World()
        ode_objects = OdeObjects(world)
        set_up(world, record)
        self.ode_objects = ode_objects
        surfaces = Surfaces(record.contacts, step, self.gravity, self.are_stiff)
        self.contacts = Contacts(world, surfaces, ode_objects)
        self.touch.set_contacts(self.contacts)
        self.bonds.set_world(world, self.contacts, ode_objects)
        self.builder = JointBuilder(world, step, record.erp, record.cfm, ode_objects)
        self.make(self.reading)
        self.contacts.record = [] if self.records else None
        self.mover = Mover(world, self.contacts)
        for link, velocity in self.reading.velocities.items():
            if link.moves_by_itself:
                self.mover.set_velocity(link, *velocity)
        self.islands = Islands()
        self.islands.add_trees(self.reading.joints, self.reading.links)
        self.bodies = [link for link in self.reading.links if link.address]
        self.states = StateCopier([link.address for link in self.bodies])
        self.after_building()
        self.ode_objects_slot.set_objects(ode_objects)

    def make(self, reading: BuiltParts) -> None:
        """Create the ODE objects of all trees, or of newly added trees."""
        jointed = {
            link
            for joint in reading.joints
            if joint.record.is_dynamic
            for end in (joint.child, joint.parent)
            if end is not None
            for link in (end.dynamic_ancestor() or end,)
        }
        make_bodies(self.ode, reading.links, self.seconds, jointed, self.ode_objects)
        for joint in reading.kinematic:
            for axis in joint.axes:
                axis.go_to_start()  # type: ignore[union-attr]
            joint.update_pose()
        make_shapes(reading.links, self.contacts)
        for joint in reading.joints:
            self.builder.build(joint)
        for joint in reading.kinematic:
            if joint.child in reading.velocities:
                joint.set_axis_velocities(*reading.velocities[joint.child])
        exclude_neighbours(reading.joints)
        for propeller in reading.propellers:
            propeller.axis.go_to_start()
        for belt in reading.belts.values():
            belt.axis.go_to_start()

    def after_building(self) -> None:
        """Update derived data after bodies and joints were added or removed."""
        self.builds += 1
        self.arrangement += 1
        self._reaches = None
        self.tracked = [
            axis
            for key, axis in self.reading.axes.items()
            if isinstance(axis, Axis) and not axis.is_linear and (axis.has_stops or key in self.handles)
        ]
        self.has_prelude = bool(
            self.builder.springs
            or self.builder.updates
            or self.reading.kinematic
            or self.reading.propellers
            or self.reading.flows
            or self.reading.belts
            or self.fluids
        )
        self.pointer = world_pointer(self.bodies[0].body) if self.bodies else 0
        self.states_address: int = self.states.address
        self.contacts.search.set_bodies(self.pointer, self.states_address, self.seconds)
        copy_state(self.states_address)
        self.watch.steps_left = 0

    def update_resized(self, link: Link) -> None:
        """Update derived data after a link's shapes have changed."""
        if self._reaches is not None and link.address:
            self._reaches[self.bodies.index(link)] = _reach(link)
        self.contacts.update_shapes(link.shapes)

    def restore_bodies(self, bodies: bytes) -> None:
        """Restore all bodies from a copy of `states`, without forces and awake."""
        size = STATE_DOUBLES * 8
        for index, link in enumerate(self.bodies):
            link.body.setPosition((0.0, 0.0, 0.0))  # marks the geoms as moved; the true position follows
            write_state(link.address, bodies[index * size : (index + 1) * size])
            link.body.setForce((0.0, 0.0, 0.0))
            link.body.setTorque((0.0, 0.0, 0.0))
            link.body.enable()
        copy_state(self.states_address)


def _reach(link: Link) -> float:
    """Return the largest distance of a link's shapes from the origin of its body, m."""
    if link.children:  # children may be anywhere around it
        return math.inf
    reach = max((norm(shape.in_body().position) + shape.reach() for shape in link.shapes), default=0.0)
    return reach * (1.0 + 1e-9)


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two boxes, (x, x, y, y, z, z) from and to, overlap."""
    return all(one[low] <= other[low + 1] and other[low] <= one[low + 1] for low in (0, 2, 4))
