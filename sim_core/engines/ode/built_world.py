"""What a scene asks for and what ODE holds for it: made at the start, at resets, when the scene changes."""

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
from sim_core.engines.ode.contacts.contacts import Contacts
from sim_core.engines.ode.contacts.islands import Islands
from sim_core.engines.ode.contacts.kernels import copy_state
from sim_core.engines.ode.contacts.neighbours import spare_neighbours
from sim_core.engines.ode.contacts.surfaces import Surfaces
from sim_core.engines.ode.contacts.tables import StateCopier
from sim_core.engines.ode.contacts.touch import ContactWatch, TouchRecord
from sim_core.engines.ode.fluids import Fluids
from sim_core.engines.ode.frames import Frame
from sim_core.engines.ode.joints.axes import Axis, Watch
from sim_core.engines.ode.joints.axis_handle import AxisHandle
from sim_core.engines.ode.joints.joints import JointBuilder
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.keeper import Keeper, KeeperSlot
from sim_core.engines.ode.kinematics import Mover
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import STATE_DOUBLES, world_pointer, write_state
from sim_core.engines.ode.pyode import ode
from sim_core.engines.ode.reading import AxisKey, BuiltParts
from sim_core.model.dynamics.bodies import Place
from sim_core.model.dynamics.model import DynamicsModel
from sim_core.model.dynamics.naming import NodeLabel
from sim_core.model.dynamics.world import WorldRecord
from sim_core.model.world_model import WorldModel

QUICK_ITERATIONS = 200
"""Of the iterative solver: with 50 an arm of seven joints trembles by 0.16 rad/s while a heap lies near it,
with 200 by 0.03."""


def set_up(world: Any, record: WorldRecord) -> None:
    """Gravity, solver and sleep of an ODE world."""
    world.setGravity(record.gravity)
    world.setERP(record.erp)
    world.setCFM(record.cfm)
    world.setQuickStepNumIterations(QUICK_ITERATIONS)
    world.setAutoDisableFlag(record.sleep_after > 0.0)
    world.setAutoDisableTime(max(0.0, record.sleep_after))
    world.setAutoDisableLinearThreshold(record.slow_linear)
    world.setAutoDisableAngularThreshold(record.slow_angular)


class BuiltWorld:
    """Reads the scene and builds; all parts of `PhysicsWorld` work on what is built, as of the last build.

    Attributes:
        model: of the scene; dynamics: what is built of it; world: what it says about the whole world.
        seconds: basic time step.
        are_stiff: see `Surfaces`.
        gravity: m/s², world axes.
        builds: how often everything in ODE, or some trees, have been built.
        records: whether contacts are kept.
        frames, handles: by node, and by axis: those that were handed out, while somebody holds them; a
            link holds its frames.
        tracked: the axes whose turns are counted: those that were handed out, and those with stops.
        watch: says when joints must next be looked at.
        touch, bonds: the watched solids; the bonds that hold.
        users: see `KeeperSlot`.
        reading: what the scene asks for: links, joints, axes.
        fluids: what things swim in.
        solver_seed: where the iterative solver's generator stands.
        ode: the ODE world.
        pointer: its address; 0: it has no bodies.
        keeper: holds all that is in it.
        contacts: finds them.
        builder: makes joints.
        mover: moves solids without Physics.
        islands: what the joints hold together.
        bodies: the links with a body of their own, in the order of `states`.
        states: copies what ODE holds of them, by way of `states_address`.
        has_prelude: something comes before collisions in each step.
    """

    def __init__(self, model: WorldModel, seed: int, are_stiff: bool) -> None:
        """Build the physics of a model; `are_stiff`: see `Surfaces`.

        Raises:
            SceneError, SceneErrors: the scene asks for something impossible.
        """
        self.model = model
        self.seed = seed
        self.are_stiff = are_stiff
        self.records = False
        self.builds = 0
        self.frames: WeakValueDictionary[NodeId, Frame] = WeakValueDictionary()
        self.handles: WeakValueDictionary[AxisKey, AxisHandle] = WeakValueDictionary()
        self.tracked: list[Axis] = []
        self.watch = Watch()
        self.touch = TouchRecord()
        self.bonds = Bonds()
        self._reaches: NDArray[np.float64] | None = None
        self.users: list[Any] = []
        self.keepers = KeeperSlot(self, self.users)
        dynamics = model.dynamics()
        self.seconds = dynamics.world.step_ns / 1e9
        self._read(dynamics)
        self._build()

    def _read(self, dynamics: DynamicsModel) -> None:
        """Work out what a model asks for."""
        self.dynamics = dynamics
        self.world = dynamics.world
        self.gravity = self.world.gravity
        self.reading = reading = BuiltParts(dynamics.parts, self.pull, self.are_stiff)
        self.fluids = Fluids(self.gravity)
        self.fluids.add(dynamics.parts, reading.links)
        self.users[:] = [*reading.links, *reading.axes.values(), self.touch, self.bonds]

    @property
    def pull(self) -> float:
        """What gravity adds to a velocity in a step, m/s."""
        return norm(scale(self.gravity, self.seconds))

    def rebuild(self, dynamics: DynamicsModel, touched: Set[NodeId] | None = frozenset()) -> set[NodeId]:
        """Build another model of the world; all begins as it says.

        Frames and axes that were handed out stay valid.

        Args:
            dynamics: the model.
            touched: solids that are others than before; None: all.

        Returns:
            Of the solids that are there now those that shall be awake: the touched ones, and what was near
            them and near those that are gone; all, if gravity or contacts are others.
        """
        former, axes = self.reading, self.reading.axes
        poses = [link.world_pose() for link in former.links]
        self._read(dynamics)
        if touched is None:
            touched = self.reading.owners.keys()
        changed = touched | (former.owners.keys() - self.reading.owners.keys())
        near = {*touched, *self._near({former.owners[solid] for solid in changed & former.owners.keys()})}
        self.hand_over()
        for axis in axes.values():
            axis.let_go()
        for link, pose in zip(former.links, poses, strict=True):
            link.stand_still(pose)
        self.touch.look_again(self.reading.owners)
        self._build()
        return near

    def wake_around(self, links: Collection[Link]) -> None:
        """Let links, and all that touches them, feel that something is another."""
        self.wake({*(link.solid for link in links), *self._near(links)})

    def wake(self, solids: Set[NodeId]) -> None:
        """Let the bodies of these solids, as far as they are there, move again."""
        for solid in solids:
            link = self.reading.owners.get(solid)
            mover = link.dynamic_ancestor() if link is not None else None
            if mover is not None:
                mover.body.enable()

    def _near(self, links: Collection[Link]) -> Iterator[NodeId]:
        """The solids that sleep, and whose boxes those of links meet.

        ODE's spaces are not asked: they would take note of what has moved, and so go on in another order.
        """
        boxes = [shape.geom.getAABB() for link in links for shape in link.shapes if shape.geom is not None]
        for link in self._bodies_about(boxes) if boxes else ():
            if not link.body.isEnabled():
                own = [shape.geom.getAABB() for each in link.rigid_subtree() for shape in each.shapes]
                if any(_meet(one, other) for one in boxes for other in own):
                    yield link.solid

    def _bodies_about(self, boxes: Sequence[Sequence[float]]) -> Iterator[Link]:
        """The links with a body whose shapes may be in these boxes, by where they are along x."""
        if self._reaches is None:
            self._reaches = np.array([_reach(link) for link in self.bodies])
        x, low, high = self.states.good[:, 0], min(box[0] for box in boxes), max(box[1] for box in boxes)
        is_about = (x - self._reaches <= high) & (x + self._reaches >= low)
        return (self.bodies[index] for index in np.flatnonzero(is_about))

    def watch_contacts(self, solid: NodeId) -> ContactWatch:
        """As `World.watch_contacts`."""
        link = self.reading.owners.get(solid)
        if link is None:
            raise PhysicsError(f"{self.label(solid)} cannot be watched, expected a solid")
        return self.touch.watch(solid, [shape for shape in link.shapes if shape.solid == solid])

    def place(self, node: NodeId) -> tuple[Link | None, Pose]:
        """The link that a node is fixed to, and the pose there of the frame that the node is in."""
        return self._on_link(self.model.place(node, self.reading.places) or Place())

    def frame(self, node: NodeId) -> Frame:
        """The frame of a Solid, Pose or device node, or of the nearest above; one object per node."""
        found = self.frames.get(node)
        if found is None:
            found = self.frames[node] = Frame(*self.place(node))
        return found

    def handle(self, axis: AxisKey) -> AxisHandle | None:
        """An axis, for who holds it however the scene changes; one object per axis; None: there is none."""
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

    def is_held(self, node: NodeId) -> bool:
        """Whether its frame, or one of its axes, was handed out."""
        return node in self.frames or any((node, index) in self.handles for index in range(3))

    def body_of(self, node: NodeId) -> Link | None:
        """The link with the body that moves a node; None: forces do not move it."""
        link, _ = self.place(node)
        return link.dynamic_ancestor() if link is not None else None

    def link_of(self, solid: NodeId) -> Link | None:
        """The link that is named after a solid."""
        link = self.reading.owners.get(solid)
        return link if link is not None and link.solid == solid else None

    def axes_of(self, nodes: Set[NodeId]) -> dict[AxisKey, Axis | KinematicAxis]:
        """The axes of these nodes."""
        return {key: axis for key, axis in self.reading.axes.items() if key[0] in nodes}

    def label(self, node: NodeId) -> NodeLabel:
        """What messages call a node."""
        return self.model.label(node)

    def hand_over(self, nodes: Set[NodeId] | None = None) -> None:
        """Let what was handed out be what there is now; frames of what is gone stay, axes stand still.

        Args:
            nodes: those that may be elsewhere, or in others; None: all.
        """
        places = self.reading.places
        for key, handle in self.handles.items():
            if nodes is not None and key[0] not in nodes:
                continue
            axis = self.reading.axes.get(key)
            if axis is None:
                handle.stand_still()
            else:
                handle.hold(axis, self.watch)
        frames = {
            node: frame
            for node, frame in self.frames.items()  # not by its keys: one may be gone before it is looked up
            if nodes is None or node in nodes or node not in places
        }
        for node, place in self.model.places(frames, places).items():
            frames[node].fix(*self._on_link(place))

    def _on_link(self, place: Place) -> tuple[Link | None, Pose]:
        return (self.reading.owners[place.body] if place.body is not None else None), place.pose

    def build_again(self) -> None:
        """Build everything in ODE anew, as at the start."""
        for link in self.reading.links:
            link.moves = False
        self._build()

    def copy_out(self) -> None:
        """Take note of the state that ODE holds, after it was written."""
        copy_state(self.states_address)

    def _build(self) -> None:
        """Make everything that ODE holds, in the same order each time."""
        record, step = self.world, self.seconds
        self.solver_seed = self.seed & 0xFFFFFFFF
        self.ode = world = ode.World()
        keeper = Keeper(world)
        set_up(world, record)
        self.keeper = keeper
        surfaces = Surfaces(record.contacts, step, self.gravity, self.are_stiff)
        self.contacts = Contacts(world, surfaces, keeper)
        self.touch.use(self.contacts)
        self.bonds.use(world, self.contacts, keeper)
        self.builder = JointBuilder(world, step, record.erp, record.cfm, keeper)
        self.make(self.reading)
        self.contacts.record = [] if self.records else None
        self.mover = Mover(world, self.contacts)
        for link, velocity in self.reading.velocities.items():
            if link.moves_by_itself:
                self.mover.coast(link, *velocity)
        self.islands = Islands()
        self.islands.add(self.reading.joints, self.reading.links)
        self.bodies = [link for link in self.reading.links if link.address]
        self.states = StateCopier([link.address for link in self.bodies])
        self.after_building()
        self.keepers.use(keeper)

    def make(self, reading: BuiltParts) -> None:
        """Make what ODE holds of all trees, or of those that came last."""
        jointed = {
            link
            for joint in reading.joints
            if joint.record.is_dynamic
            for end in (joint.child, joint.parent)
            if end is not None
            for link in (end.dynamic_ancestor() or end,)
        }
        make_bodies(self.ode, reading.links, self.seconds, jointed, self.keeper)
        for joint in reading.kinematic:
            for axis in joint.axes:
                axis.reset()  # type: ignore[union-attr]
            joint.place()
        make_shapes(reading.links, self.contacts)
        for joint in reading.joints:
            self.builder.build(joint)
        for joint in reading.kinematic:
            if joint.child in reading.velocities:
                joint.coast(*reading.velocities[joint.child])
        spare_neighbours(reading.joints)
        for propeller in reading.propellers:
            propeller.axis.reset()
        for belt in reading.belts.values():
            belt.axis.reset()

    def after_building(self) -> None:
        """Other bodies and joints are there than before."""
        self.builds += 1
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
            or self.reading.belts
            or self.fluids
        )
        self.pointer = world_pointer(self.bodies[0].body) if self.bodies else 0
        self.states_address: int = self.states.address
        self.contacts.search.use_bodies(self.pointer, self.states_address, self.seconds)
        copy_state(self.states_address)
        self.watch.steps_left = 0

    def resized(self, link: Link) -> None:
        """A link has other shapes than when all was built."""
        if self._reaches is not None and link.address:
            self._reaches[self.bodies.index(link)] = _reach(link)
        self.contacts.changed(link.shapes)

    def restore(self, bodies: bytes) -> None:
        """Put all bodies back to a state of `states`, at which no force pulls and none sleeps."""
        size = STATE_DOUBLES * 8
        for index, link in enumerate(self.bodies):
            link.body.setPosition((0.0, 0.0, 0.0))  # lets the geoms know; the true position follows
            write_state(link.address, bodies[index * size : (index + 1) * size])
            link.body.setForce((0.0, 0.0, 0.0))
            link.body.setTorque((0.0, 0.0, 0.0))
            link.body.enable()
        copy_state(self.states_address)


def _reach(link: Link) -> float:
    """How far from the origin of its body shapes of a link may reach, m."""
    if link.children:  # they may be anywhere about it
        return math.inf
    reach = max((norm(shape.in_body().position) + shape.reach() for shape in link.shapes), default=0.0)
    return reach * (1.0 + 1e-9)


def _meet(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two boxes, (x, x, y, y, z, z) from and to, overlap."""
    return all(one[low] <= other[low + 1] and other[low] <= one[low + 1] for low in (0, 2, 4))
