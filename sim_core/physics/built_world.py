"""What a scene asks for and what ODE holds for it: made at the start, at resets, when the scene changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ode

from sim_core.errors import SceneError
from sim_core.geometry import norm
from sim_core.physics.axes import Axis, Watch
from sim_core.physics.belts import Belt
from sim_core.physics.bodies import BodyPlan, make_bodies, make_shapes, place_link
from sim_core.physics.bonds import Bonds
from sim_core.physics.carried import place_carried
from sim_core.physics.contacts import Contacts
from sim_core.physics.fluids import Fluids
from sim_core.physics.frames import LinkFrame, WorldFrame
from sim_core.physics.islands import Islands
from sim_core.physics.joint_plan import JointPlan, along_hinge, far_stops
from sim_core.physics.joints import JointBuilder
from sim_core.physics.keeper import Keeper, KeeperSlot
from sim_core.physics.kernels import StateCopier, copy_state
from sim_core.physics.kinematic_axis import KinematicAxis
from sim_core.physics.kinematics import Mover
from sim_core.physics.links import Link, LinkTree
from sim_core.physics.neighbours import spare_neighbours
from sim_core.physics.ode_binding import STATE_DOUBLES, seed_solver, write_state
from sim_core.physics.plugins import load_plugin
from sim_core.physics.propellers import find_propellers
from sim_core.physics.rebuilding import Former, Kept
from sim_core.physics.surfaces import Surfaces
from sim_core.physics.touch import TouchRecord
from sim_core.physics.world_info import gravity_of, set_up, step_of
from sim_core.scene import Node, Scene


class BuiltWorld:
    """The part of `PhysicsWorld` that reads the scene and builds; what is built is as of the last build."""

    def __init__(self, scene: Scene, seed: int = 0) -> None:
        """Build the physics of a scene.

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
        self._gone_links: dict[Node, Link] = {}
        self._users: list[Any] = []
        self._keepers = KeeperSlot(self, self._users)
        self._plugin = load_plugin(self.info, scene.file)
        if self._plugin is not None:
            self.before_step_hooks.append(self._plugin.before_step)
        self._read_scene()
        self._build()

    def _read_scene(self, former: Former | None = None) -> None:
        """Work out what the scene asks for; `former`: what devices hold already, to be used again."""
        scene = self.scene
        self.gravity = gravity_of(self.info)
        self._tree = LinkTree(scene, former.links if former is not None else None)
        self._plan = BodyPlan(scene, self._tree)
        self._joints = [JointPlan(node, link, pose, self._tree) for node, link, pose in self._tree.joints]
        self.warnings = [*self._tree.warnings, *self._plan.warnings]
        for joint in self._joints:
            if along_hinge(joint.node):
                text = f"{joint.node.path()}: a suspension along the axis of the hinge does not give way"
                self.warnings.append(SceneError(*joint.node.source, text))
            if joint.has_aligned_axes:
                text = f"{joint.node.path()} has parallel axes: x and z of the world are used instead"
                self.warnings.append(SceneError(*joint.node.source, text, "two axes"))
            if far_stops(joint):
                text = f"{joint.node.path()}: a stop more than half a turn from the start does not hold"
                self.warnings.append(SceneError(*joint.node.source, text))
        self._propellers = find_propellers(scene, self._tree, self.warnings)
        if former is not None:
            former.place_frames(self._frames, self._tree)
        self._belts = self._find_belts()
        if former is not None:
            former.use_axes(self._joints, self._propellers, self._belts)
        self._axes: dict[tuple[Node, int], Axis | KinematicAxis] = {
            (joint.node, index): axis for joint in self._joints for index, axis in enumerate(joint.axes)
        }
        self._axes |= {(propeller.node, 0): propeller.axis for propeller in self._propellers}
        masses = {link: physics.mass for link, physics in self._plan.physics.items()}
        self._fluids = Fluids(scene, self._tree, masses, self.gravity, self.warnings)
        self._axes |= {(belt.node, 0): belt.axis for belt in self._belts.values()}
        self._kinematic = [
            joint for joint in self._joints if not joint.is_dynamic and joint.child is not None
        ]
        present = list(self._axes.values())
        self._tracked = [axis for axis in self._tracked if any(axis is each for each in present)]
        self._users[:] = [*self._tree.links, *self._axes.values(), self._touch, self._bonds]

    def reset(self) -> None:
        """Back to the initial state; a run from here equals a run in a new process, to the last bit.

        Everything in ODE is built anew; frames and axes that were handed out stay valid. Motors are off.
        """
        try:
            if self._plugin is not None:
                self._plugin.restart()
        finally:
            self.time_ns = 0
            for link in self._tree.links:
                link.moves = False
            self._build()

    def keep(self) -> Kept:
        """The state of now, for `rebuild`."""
        return Kept(self._tree, self._axes, self._touch, self._bonds, self._mover)

    def rebuild(self, kept: Kept) -> None:
        """Read the scene again, which has changed; frames and axes that were handed out stay valid.

        What is still there goes on as it was, velocities and motors too, to the last bit; what is new starts
        as the scene says. Bonds hold their solids as they now stand.

        Raises:
            SceneError, SceneErrors: the scene asks for something impossible. Then the world cannot be used:
                put the scene right, and rebuild again with the same `kept`.
        """
        self._gone |= self._axes
        self._gone_links |= {link.solid: link for link in self._tree.links}
        self._read_scene(Former(self._gone_links.values(), self._gone))
        for link in kept.links:
            link.moves = kept.links[link].moves
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
        found = self._frames.get(node)
        if found is None:
            link, pose = self._tree.place(node)
            found = self._frames[node] = LinkFrame(link, pose) if link is not None else WorldFrame(pose)
        return found

    def build_again(self) -> None:
        """Build everything in ODE anew, as at the start; only for who puts a state back."""
        for link in self._tree.links:
            link.moves = False
        self._build()

    def copy_out(self) -> None:
        """Take note of the state that ODE holds, after it was written."""
        copy_state(self._states_address)

    def _find_belts(self) -> dict[Node, Belt]:
        """The belts of all Track nodes, told to their shapes."""
        belts: dict[Node, Belt] = {}
        for link in self._tree.links:
            for solid, _ in link.solids:
                if solid.type_name == "Track":
                    belts[solid] = Belt(solid, self.frame(solid), link, norm(self.gravity) * self._step)
            for shape in link.shapes:
                shape.belt = belts.get(shape.solid)
        return belts

    def _build(self) -> None:
        """Make everything that ODE holds, in the same order each time."""
        info, step = self.info, self._step
        seed_solver(self._seed)
        self._ode = world = ode.World()
        keeper = Keeper(world)
        set_up(world, info, self.gravity)
        jointed = {
            link
            for joint in self._joints
            if joint.is_dynamic
            for end in (joint.child, joint.parent)
            if end is not None
            for link in (end.dynamic_ancestor() or end,)
        }
        make_bodies(world, self._plan, step, jointed, keeper)
        for joint in self._kinematic:
            for axis in joint.axes:
                axis.reset()  # type: ignore[union-attr]
            place_carried(joint)
        surfaces = Surfaces(info, step, self.gravity)
        self._contacts = Contacts(world, surfaces, keeper)
        self._touch.use(self._contacts)
        self._bonds.use(world, self._contacts, keeper)
        make_shapes(self._plan, self._contacts, surfaces)
        self._contacts.record = [] if self._record else None
        self._builder = JointBuilder(world, step, info["ERP"], info["CFM"], keeper)
        for joint in self._joints:
            self._builder.build(joint)
        spare_neighbours(self._joints)
        self._mover = Mover(world, self._contacts)
        for propeller in self._propellers:
            propeller.axis.reset()
        for belt in self._belts.values():
            belt.axis.reset()
        self.builds += 1
        self._has_prelude = bool(
            self._builder.springs
            or self._builder.updates
            or self._kinematic
            or self._propellers
            or self._belts
            or self._fluids
        )
        self._islands = Islands(self._joints, self._tree)
        self._bodies = [link for link in self._tree.links if link.address]
        self._states = StateCopier([link.address for link in self._bodies])
        self._states_address = self._states.address
        copy_state(self._states_address)
        self._watch.steps_left = 0
        self._keepers.use(keeper)

    def _restore(self, bodies: bytes) -> None:
        size = STATE_DOUBLES * 8
        for index, link in enumerate(self._bodies):
            link.body.setPosition((0.0, 0.0, 0.0))  # lets the geoms know; the true position follows
            write_state(link.address, bodies[index * size : (index + 1) * size])
            link.body.setForce((0.0, 0.0, 0.0))
            link.body.setTorque((0.0, 0.0, 0.0))
            link.body.enable()
        copy_state(self._states_address)
