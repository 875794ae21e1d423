"""What a scene asks for and what ODE holds for it: made at the start, at resets, when the scene changes."""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Any

import ode

from sim_core.base.geometry import scale
from sim_core.engines.ode.bodies import make_bodies, make_shapes, place_link
from sim_core.engines.ode.bonds import Bonds
from sim_core.engines.ode.contacts.contacts import Contacts
from sim_core.engines.ode.contacts.islands import Islands
from sim_core.engines.ode.contacts.kernels import StateCopier, copy_state
from sim_core.engines.ode.contacts.neighbours import spare_neighbours
from sim_core.engines.ode.contacts.surfaces import Surfaces
from sim_core.engines.ode.contacts.touch import TouchRecord
from sim_core.engines.ode.fluids import Fluids
from sim_core.engines.ode.frames import LinkFrame, WorldFrame
from sim_core.engines.ode.joints.axes import Axis, Watch
from sim_core.engines.ode.joints.carried import place_carried
from sim_core.engines.ode.joints.joints import JointBuilder
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.keeper import Keeper, KeeperSlot
from sim_core.engines.ode.kinematics import Mover
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import STATE_DOUBLES, write_state
from sim_core.engines.ode.reading import Reading, frame_in
from sim_core.engines.ode.rebuilding import Former, Kept
from sim_core.engines.ode.world_info import gravity_of, set_up, step_of
from sim_core.scene import Node, Scene


class BuiltWorld:
    """Reads the scene and builds; all parts of `PhysicsWorld` work on what is built, as of the last build.

    Attributes:
        scene, info: what is built, and its WorldInfo node.
        seconds: basic time step.
        gravity: m/s², world axes.
        builds: how often everything in ODE, or some trees, have been built.
        records: whether contacts are kept.
        frames: by node, those that were handed out.
        tracked: the axes whose turns are counted.
        watch: says when joints must next be looked at.
        touch, bonds: the watched solids; the bonds that hold.
        gone: axes of what is no longer in the scene.
        users: see `KeeperSlot`.
        reading: what the scene asks for: links, joints, axes.
        fluids: what things swim in.
        solver_seed: where the iterative solver's generator stands.
        ode: the ODE world.
        keeper: holds all that is in it.
        contacts: finds them.
        builder: makes joints.
        mover: moves solids without Physics.
        islands: what the joints hold together.
        bodies: the links with a body of their own, in the order of `states`.
        states: copies what ODE holds of them, by way of `states_address`.
        has_prelude: something comes before collisions in each step.
        is_at_start: all is as the scene says: nothing has moved since the last build or reset.
        is_outdated: the scene has other poses or velocities than when it was read; a reset reads it.
    """

    def __init__(self, scene: Scene, seed: int) -> None:
        """Build the physics of a scene.

        Raises:
            SceneError, SceneErrors: the scene asks for something impossible.
        """
        self.scene = scene
        self.info: Node = scene.world_info
        self.gravity = gravity_of(self.info)
        self.seed = seed
        self.records = False
        self.builds = 0
        self.seconds = step_of(self.info) / 1e9
        self.frames: dict[Node, LinkFrame | WorldFrame] = {}
        self.tracked: list[Axis] = []
        self.watch = Watch()
        self.touch = TouchRecord()
        self.bonds = Bonds()
        self.gone: dict[tuple[Node, int], Axis | KinematicAxis] = {}
        self.users: list[Any] = []
        self.keepers = KeeperSlot(self, self.users)
        self._read_scene()
        self._build()

    def _read_scene(self, former: Former | None = None) -> None:
        """Work out what the scene asks for; `former`: what devices hold already, to be used again."""
        scene = self.scene
        self.is_outdated = False
        self.gravity = gravity_of(self.info)
        impulse = scale(self.gravity, self.seconds)
        self.reading = reading = Reading(scene, self.frames, impulse, former)
        self.fluids = Fluids(scene, reading.tree, reading.plan, self.gravity, reading.warnings)
        present = {id(axis) for axis in reading.axes.values()}
        self.tracked = [axis for axis in self.tracked if id(axis) in present]
        self.users[:] = [*reading.tree.links, *reading.axes.values(), self.touch, self.bonds]

    def keep(self, roots: list[Node] | None = None) -> Kept:
        """The state of now, of all or of the trees of some root nodes, for `rebuild`."""
        links: Collection[Link] = self.reading.tree.links
        axes = self.reading.axes
        if roots is not None:
            nodes = {node for root in roots for node in root.walk()}
            links, axes = self.links_of(nodes), self.axes_of(nodes)
        return Kept(links, axes, self.touch, self.bonds, self.mover, self.is_at_start)

    def rebuild(self, kept: Kept, renewed: Set[Node] = frozenset()) -> None:
        """Read the scene again, which has changed; frames and axes that were handed out stay valid.

        What is still there goes on as it was, velocities and motors too, to the last bit; what is new starts
        as the scene says, and so do the nodes that are `renewed`. Bonds hold their solids as they now stand.

        Raises:
            SceneError, SceneErrors: the scene asks for something impossible. Then the world cannot be used:
                put the scene right, and rebuild again with the same `kept`.
        """
        self.gone |= self.reading.axes
        former = self.reading.tree.links
        self._read_scene(Former(self.gone))
        for link in former:
            was = kept.links.get(link.solid)  # None: it came with a change that failed
            link.stand_still(link.start if was is None else was.pose)
        self.touch.look_again(self.reading.tree)
        self._build()
        self.is_at_start = kept.is_at_start
        kept.put_back(self.reading.tree, self.reading.axes, self.touch, self.bonds, self.mover, renewed)
        for joint in self.reading.kinematic:
            place_carried(joint)
        for link in self.reading.tree.links:
            if link.parent is None:
                place_link(link)
        copy_state(self.states_address)

    def frame(self, node: Node) -> LinkFrame | WorldFrame:
        """The frame of a Solid, Pose or device node, or of the nearest above; one object per node."""
        return frame_in(self.reading.tree, self.frames, node)

    def body_of(self, node: Node) -> Link | None:
        """The link with the body that moves a node; None: forces do not move it."""
        link, _ = self.reading.tree.place(node)
        return link.dynamic_ancestor() if link is not None else None

    def links_of(self, nodes: set[Node]) -> set[Link]:
        """The links that are named after these nodes."""
        found = ((node, self.reading.tree.link_of(node)) for node in nodes if node.is_a("Solid"))
        return {link for node, link in found if link is not None and link.solid is node}

    def axes_of(self, nodes: set[Node]) -> dict[tuple[Node, int], Axis | KinematicAxis]:
        """The axes of these nodes, by node and number."""
        return {key: axis for key, axis in self.reading.axes.items() if key[0] in nodes}

    def build_again(self) -> None:
        """Build everything in ODE anew, as at the start."""
        for link in self.reading.tree.links:
            link.moves = False
        self._build()

    def copy_out(self) -> None:
        """Take note of the state that ODE holds, after it was written: it is no longer as the scene says."""
        copy_state(self.states_address)
        self.is_at_start = False

    def _build(self) -> None:
        """Make everything that ODE holds, in the same order each time."""
        info, step = self.info, self.seconds
        self.is_at_start = True
        self.solver_seed = self.seed & 0xFFFFFFFF
        self.ode = world = ode.World()
        keeper = Keeper(world)
        set_up(world, info, self.gravity)
        self.keeper = keeper
        self.contacts = Contacts(world, Surfaces(info, step, self.gravity), keeper)
        self.touch.use(self.contacts)
        self.bonds.use(world, self.contacts, keeper)
        self.builder = JointBuilder(world, step, info["ERP"], info["CFM"], keeper)
        self.make(self.reading)
        self.contacts.record = [] if self.records else None
        self.mover = Mover(world, self.contacts)
        self.islands = Islands()
        self.islands.add(self.reading.joints, self.reading.tree.links)
        self.bodies = [link for link in self.reading.tree.links if link.address]
        self.states = StateCopier([link.address for link in self.bodies])
        self.after_building()
        self.keepers.use(keeper)

    def make(self, reading: Reading) -> None:
        """Make what ODE holds of all trees, or of those that came last."""
        jointed = {
            link
            for joint in reading.joints
            if joint.is_dynamic
            for end in (joint.child, joint.parent)
            if end is not None
            for link in (end.dynamic_ancestor() or end,)
        }
        make_bodies(self.ode, reading.plan, self.seconds, jointed, self.keeper)
        for joint in reading.kinematic:
            for axis in joint.axes:
                axis.reset()  # type: ignore[union-attr]
            place_carried(joint)
        make_shapes(reading.plan, self.contacts)
        for joint in reading.joints:
            self.builder.build(joint)
        spare_neighbours(reading.joints)
        for propeller in reading.propellers:
            propeller.axis.reset()
        for belt in reading.belts.values():
            belt.axis.reset()

    def after_building(self) -> None:
        """Other bodies and joints are there than before."""
        self.builds += 1
        self.has_prelude = bool(
            self.builder.springs
            or self.builder.updates
            or self.reading.kinematic
            or self.reading.propellers
            or self.reading.belts
            or self.fluids
        )
        self.states_address = self.states.address
        copy_state(self.states_address)
        self.watch.steps_left = 0

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
