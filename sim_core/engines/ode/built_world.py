"""What a scene asks for and what ODE holds for it: made at the start, at resets, when the scene changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ode

from sim_core.base.geometry import scale
from sim_core.engines.ode.bodies import make_bodies, make_shapes, place_link
from sim_core.engines.ode.contacts.contacts import Contacts
from sim_core.engines.ode.contacts.islands import Islands
from sim_core.engines.ode.contacts.kernels import StateCopier, copy_state
from sim_core.engines.ode.contacts.neighbours import spare_neighbours
from sim_core.engines.ode.contacts.surfaces import Surfaces
from sim_core.engines.ode.contacts.touch import TouchRecord
from sim_core.engines.ode.fluids import Fluids
from sim_core.engines.ode.frames import LinkFrame, WorldFrame
from sim_core.engines.ode.joints.axes import Axis, Watch
from sim_core.engines.ode.joints.bonds import Bonds
from sim_core.engines.ode.joints.carried import place_carried
from sim_core.engines.ode.joints.joints import JointBuilder
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.keeper import Keeper, KeeperSlot
from sim_core.engines.ode.kinematics import Mover
from sim_core.engines.ode.ode_binding import STATE_DOUBLES, write_state
from sim_core.engines.ode.plugins import load_plugin
from sim_core.engines.ode.reading import Reading, frame_in
from sim_core.engines.ode.rebuilding import Former, Kept
from sim_core.engines.ode.world_info import gravity_of, set_up, step_of
from sim_core.scene import Node, Scene


class BuiltWorld:
    """The part of `PhysicsWorld` that reads the scene and builds; what is built is as of the last build."""

    def __init__(self, scene: Scene, seed: int = 0, plugins: bool = True) -> None:
        """Build the physics of a scene; its plug-in, if it has one, is run only with `plugins`.

        Raises:
            SceneError, SceneErrors: the scene asks for something impossible.
        """
        self.scene = scene
        self.info: Node = scene.world_info
        self.step_ns = step_of(self.info)
        self.gravity = gravity_of(self.info)
        self.time_ns = 0
        self.before_step_hooks: list[Callable[[Any], None]] = []
        self._seed = seed
        self._record = False
        self.builds = 0
        self._step = self.step_ns / 1e9
        self._frames: dict[Node, LinkFrame | WorldFrame] = {}
        self._tracked: list[Axis] = []
        self._watch = Watch()
        self._touch = TouchRecord()
        self._bonds = Bonds()
        self._gone: dict[tuple[Node, int], Axis | KinematicAxis] = {}
        self._users: list[Any] = []
        self._keepers = KeeperSlot(self, self._users)
        self._plugin = load_plugin(self.info, scene.file, plugins)
        if self._plugin is not None:
            self.before_step_hooks.append(self._plugin.before_step)
        self._read_scene()
        self._build()

    def _read_scene(self, former: Former | None = None) -> None:
        """Work out what the scene asks for; `former`: what devices hold already, to be used again."""
        scene = self.scene
        self.gravity = gravity_of(self.info)
        impulse = scale(self.gravity, self._step)
        self._reading = reading = Reading(scene, self._frames, impulse, former)
        self._tree, self._plan, self._joints = reading.tree, reading.plan, reading.joints
        self._propellers, self._belts = reading.propellers, reading.belts
        self._axes, self._kinematic = reading.axes, reading.kinematic
        self.warnings = reading.warnings
        self._fluids = Fluids(scene, self._tree, self._plan, self.gravity, self.warnings)
        present = {id(axis) for axis in self._axes.values()}
        self._tracked = [axis for axis in self._tracked if id(axis) in present]
        self._users[:] = [*self._tree.links, *self._axes.values(), self._touch, self._bonds]

    def keep(self) -> Kept:
        """The state of now, for `rebuild`."""
        return Kept(self._tree.links, self._axes, self._touch, self._bonds, self._mover)

    def rebuild(self, kept: Kept) -> None:
        """Read the scene again, which has changed; frames and axes that were handed out stay valid.

        What is still there goes on as it was, velocities and motors too, to the last bit; what is new starts
        as the scene says. Bonds hold their solids as they now stand.

        Raises:
            SceneError, SceneErrors: the scene asks for something impossible. Then the world cannot be used:
                put the scene right, and rebuild again with the same `kept`.
        """
        self._gone |= self._axes
        former = self._tree.links
        self._read_scene(Former(self._gone))
        for link in former:
            was = kept.links.get(link.solid)  # None: it came with a change that failed
            link.stand_still(link.start if was is None else was.pose)
        self._touch.look_again(self._tree)
        self._build()
        kept.put_back(self._tree, self._axes, self._touch, self._bonds, self._mover)
        for joint in self._kinematic:
            place_carried(joint)
        for link in self._tree.links:
            if link.parent is None:
                place_link(link)
        copy_state(self._states_address)

    def frame(self, node: Node) -> LinkFrame | WorldFrame:
        """The frame of a Solid, Pose or device node, or of the nearest above; one object per node."""
        return frame_in(self._tree, self._frames, node)

    def build_again(self) -> None:
        """Build everything in ODE anew, as at the start."""
        for link in self._tree.links:
            link.moves = False
        self._build()

    def copy_out(self) -> None:
        """Take note of the state that ODE holds, after it was written."""
        copy_state(self._states_address)

    def _build(self) -> None:
        """Make everything that ODE holds, in the same order each time."""
        info, step = self.info, self._step
        self.solver_seed = self._seed & 0xFFFFFFFF
        self._ode = world = ode.World()
        keeper = Keeper(world)
        set_up(world, info, self.gravity)
        self._keeper = keeper
        self._contacts = Contacts(world, Surfaces(info, step, self.gravity), keeper)
        self._touch.use(self._contacts)
        self._bonds.use(world, self._contacts, keeper)
        self._builder = JointBuilder(world, step, info["ERP"], info["CFM"], keeper)
        self._make(self._reading)
        self._contacts.record = [] if self._record else None
        self._mover = Mover(world, self._contacts)
        self._islands = Islands()
        self._islands.add(self._joints, self._tree.links)
        self._bodies = [link for link in self._tree.links if link.address]
        self._states = StateCopier([link.address for link in self._bodies])
        self._after_building()
        self._keepers.use(keeper)

    def _make(self, reading: Reading) -> None:
        """Make what ODE holds of all trees, or of those that came last."""
        jointed = {
            link
            for joint in reading.joints
            if joint.is_dynamic
            for end in (joint.child, joint.parent)
            if end is not None
            for link in (end.dynamic_ancestor() or end,)
        }
        make_bodies(self._ode, reading.plan, self._step, jointed, self._keeper)
        for joint in reading.kinematic:
            for axis in joint.axes:
                axis.reset()  # type: ignore[union-attr]
            place_carried(joint)
        make_shapes(reading.plan, self._contacts)
        for joint in reading.joints:
            self._builder.build(joint)
        spare_neighbours(reading.joints)
        for propeller in reading.propellers:
            propeller.axis.reset()
        for belt in reading.belts.values():
            belt.axis.reset()

    def _after_building(self) -> None:
        """Other bodies and joints are there than before."""
        self.builds += 1
        self._has_prelude = bool(
            self._builder.springs
            or self._builder.updates
            or self._kinematic
            or self._propellers
            or self._belts
            or self._fluids
        )
        self._states_address = self._states.address
        copy_state(self._states_address)
        self._watch.steps_left = 0

    def _restore(self, bodies: bytes) -> None:
        size = STATE_DOUBLES * 8
        for index, link in enumerate(self._bodies):
            link.body.setPosition((0.0, 0.0, 0.0))  # lets the geoms know; the true position follows
            write_state(link.address, bodies[index * size : (index + 1) * size])
            link.body.setForce((0.0, 0.0, 0.0))
            link.body.setTorque((0.0, 0.0, 0.0))
            link.body.enable()
        copy_state(self._states_address)
