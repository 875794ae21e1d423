"""The physics of a scene: bodies, joints and contacts, stepped by ODE."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np
import ode
from numpy.typing import NDArray

from sim_core.errors import PhysicsError, SceneError, StateNotFiniteError
from sim_core.geometry import Pose, Vec3, norm
from sim_core.physics.axes import Axis, Watch
from sim_core.physics.belts import Belt
from sim_core.physics.bodies import BodyPlan, make_bodies, make_shapes, place_link
from sim_core.physics.bonds import Bond, Bonds, can_join
from sim_core.physics.carried import move_carried, place_carried
from sim_core.physics.contacts import ContactPoint, Contacts
from sim_core.physics.fluids import Fluids
from sim_core.physics.frames import LinkFrame, WorldFrame
from sim_core.physics.islands import Islands
from sim_core.physics.joints import JointBuilder, JointPlan, along_hinge, far_stops
from sim_core.physics.keeper import Keeper, KeeperSlot
from sim_core.physics.kernels import StateCopier, copy_state
from sim_core.physics.kinematic_axis import KinematicAxis
from sim_core.physics.kinematics import Mover
from sim_core.physics.links import Kind, Link, LinkTree
from sim_core.physics.neighbours import spare_neighbours
from sim_core.physics.ode_binding import FARTHEST, STATE_DOUBLES, seed_solver, write_state
from sim_core.physics.placing import place_subtree, set_joint_position, set_velocity
from sim_core.physics.plugin_api import PluginSolid
from sim_core.physics.plugins import load_plugin
from sim_core.physics.propellers import find_propellers
from sim_core.physics.rebuilding import Former, Kept
from sim_core.physics.state import WorldState
from sim_core.physics.surfaces import Surfaces
from sim_core.physics.touch import ContactWatch, TouchRecord
from sim_core.scene import Node, Scene

MARGIN = 20.0
"""rad/s by which a joint may get faster, until it is looked at again, than it is or is driven at."""

QUICK_ITERATIONS = 200
"""Of the iterative solver: with 50 an arm of seven joints trembles by 0.16 rad/s while a heap lies near it,
with 200 by 0.03."""
PUSHES_OUT = 1.0
"""Fastest that a contact pushes apart what is in each other, m/s: what starts inside the ground rises out of
it and is not shot into the air."""


class PhysicsWorld:
    """Bodies, joints and contacts of a scene; meets the `World` protocol of `sim_core/devices/base.py`.

    After each step the state of all bodies is copied out of ODE in one go and checked. If it is no longer
    finite (or farther away or faster than 10¹² m, m/s, rad/s: the next step might end the process), the
    bodies are put back to the last state that passed, that at the end of the step before, to the last bit;
    time does not advance, and the world can be read, reset or given other commands.

    Attributes:
        time_ns: sim time.
        step_ns: basic time step.
        gravity: m/s², world axes.
        info: the WorldInfo node.
        builds: how often everything in ODE has been built.
        before_step_hooks: called with this world in phase 2, before collisions are looked for.
        record_contacts: True: `contacts` holds those of the last step.
        warnings: what the scene asks for and does not get, one line each.
    """

    is_planar = False

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
        self.before_step_hooks: list[Callable[[PhysicsWorld], None]] = []
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

    def step(self) -> None:
        """Advance by one basic time step: phase 2 of a simulation step.

        Raises:
            StateNotFiniteError: the new state is not finite; the state before the step is kept.
            PhysicsError: a plug-in or a contact went wrong.
        """
        if self.before_step_hooks or self._has_prelude:
            self._prelude()
        mover = self._mover
        if mover.is_busy:
            mover.before_step()
        contacts = self._contacts
        contacts.collide()
        if contacts.pairs and self._islands.is_large(contacts.pairs):
            self._ode.quickStep(self._step)
        else:
            self._ode.step(self._step)
        if self._touch.open:
            self._touch.read()
        if self._bonds.fresh:
            self._bonds.after_first_step()
        contacts.joints.empty()
        if not copy_state(self._states_address):
            self._give_up(self._states.other)
        self.time_ns += self.step_ns
        if mover.is_busy:
            mover.after_step()
        if self._tracked:
            self._watch.steps_left -= 1
            if self._watch.steps_left <= 0:
                self._track()

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

    def place(self, solid: Node, pose: Pose) -> None:
        """Put a solid and all below it at a pose in the world, now; velocities stay. Only in phase 1.

        Raises:
            PhysicsError: the pose is not finite, or the solid is a part that cannot be moved alone.
        """
        link = self._tree.link_of(solid)
        if link is None or link.solid is not solid or link.kind is Kind.CARRIED:
            found = f"{solid.where}: {solid.path()} is a part of something"
            raise PhysicsError(f"{found}, it cannot be moved alone")
        place_subtree(link, pose, self._mover)
        for body in self._bodies:
            body.body.enable()
        self._watch.steps_left = 0
        copy_state(self._states_address)

    def can_place(self, solid: Node) -> bool:
        """Whether `place` can move a solid."""
        link = self._tree.link_of(solid)
        if link is None or link.solid is not solid or link.kind is Kind.CARRIED:
            return False
        return link.kind is Kind.DYNAMIC or not any(
            shape.type_name == "Plane" for sub in link.subtree() for shape in sub.shapes
        )

    def set_velocity(self, solid: Node, linear: Vec3, angular: Vec3) -> None:
        """Let a solid move: velocity of its origin, m/s, and rad/s, world axes. Only in phase 1.

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        link = self.body_of(solid)
        if link is None:
            raise PhysicsError(f"{solid.where}: {solid.path()} has no Physics, expected a solid with Physics")
        set_velocity(link, self.frame(solid).pose().position, linear, angular)
        copy_state(self._states_address)

    def add_force(self, solid: Node, force: Vec3, at: Vec3 | None = None) -> None:
        """Push a solid during the next step: N, at a point in the world (None: its centre of mass).

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        PluginSolid(solid, self, self.body_of(solid)).add_force(force, at)

    def add_torque(self, solid: Node, torque: Vec3) -> None:
        """Turn a solid during the next step: N·m, world axes.

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        PluginSolid(solid, self, self.body_of(solid)).add_torque(torque)

    def stop(self, solid: Node) -> None:
        """Take all velocity from a solid and all below it, and the forces that wait for the next step.

        Raises:
            PhysicsError: the solid has no Physics.
        """
        top = self.body_of(solid)
        if top is None:
            raise PhysicsError(f"{solid.where}: {solid.path()} has no Physics, expected a solid with Physics")
        for link in top.subtree():
            if link.kind is Kind.DYNAMIC:
                for set_to in ("setLinearVel", "setAngularVel", "setForce", "setTorque"):
                    getattr(link.body, set_to)((0.0, 0.0, 0.0))
        copy_state(self._states_address)

    def moves_freely(self, solid: Node) -> bool:
        """Whether a solid is the one that a body is named after: its velocity is that of the body."""
        link = self._tree.link_of(solid)
        return link is not None and link.kind is Kind.DYNAMIC and link.solid is solid

    def has_axis(self, joint: Node, index: int) -> bool:
        """Whether there is such an axis."""
        return (joint, index) in self._axes

    def set_joint_position(self, joint: Node, index: int, position: float) -> None:
        """Turn or shift what hangs on a joint until the joint has this position. Only in phase 1.

        Raises:
            PhysicsError: not finite, beyond the stops, or a joint with several axes that forces move.
        """
        plan = next((each for each in self._joints if each.node is joint), None)
        if plan is None or not 0 <= index < len(plan.axes):
            raise PhysicsError(f"{joint.where}: {joint.path()} has no axis {index}")
        set_joint_position(plan, index, position, self._mover)
        self._watch.steps_left = 0
        copy_state(self._states_address)

    def close(self) -> None:
        """The simulation is over: the plug-in's `end` is called.

        Raises:
            PhysicsError: the plug-in raised something.
        """
        if self._plugin is not None:
            self._plugin.end()

    def frame(self, node: Node) -> LinkFrame | WorldFrame:
        """The frame of a Solid, Pose or device node, or of the nearest above; one object per node."""
        found = self._frames.get(node)
        if found is None:
            link, pose = self._tree.place(node)
            found = self._frames[node] = LinkFrame(link, pose) if link is not None else WorldFrame(pose)
        return found

    def axis(self, joint: Node, index: int = 0) -> Axis | KinematicAxis:
        """A degree of freedom of a joint node, of a Servo, or of a wheel solid of DifferentialWheels.

        Raises:
            PhysicsError: the node has no such axis.
        """
        found = self._axes.get((joint, index))
        if found is None:
            raise PhysicsError(f"{joint.where}: {joint.path()} has no axis {index}")
        if isinstance(found, Axis) and not found.is_linear and found not in self._tracked:
            found.track()
            found.watch = self._watch
            self._tracked.append(found)
        return found

    def belt(self, track: Node) -> Belt:
        """The belt of a Track node."""
        return self._belts[track]

    def is_blocked(self, solid: Node, pose: Pose) -> bool:
        """True if a solid without Physics, moved to this pose in the world, would run into another solid.

        What it already touches blocks only if it would go deeper in.

        Raises:
            PhysicsError: the solid has Physics, or the pose is not finite.
        """
        return self._mover.is_blocked(self._movable(solid), pose)

    def move(
        self, solid: Node, pose: Pose, linear: Vec3 = (0.0, 0.0, 0.0), angular: Vec3 = (0.0, 0.0, 0.0)
    ) -> None:
        """Put a solid without Physics, and all that it carries, at a pose in the world at the end of the
        next step.

        Args:
            linear: velocity of its origin, m/s. angular: rad/s; both in world axes and for the next step
                only.

        Raises:
            PhysicsError: the solid has Physics, or a value is not finite.
        """
        self._mover.move(self._movable(solid), pose, linear, angular)

    def is_dynamic(self, node: Node) -> bool:
        """Whether forces move the solid that a node is part of."""
        return self.body_of(node) is not None

    def body_of(self, node: Node) -> Link | None:
        """The link with the body that moves a node; None: forces do not move it."""
        link, _ = self._tree.place(node)
        return link.dynamic_ancestor() if link is not None else None

    def watch_contacts(self, solid: Node) -> ContactWatch:
        """What touches a solid's own bounding object in each step from now on; one object per solid.

        Raises:
            PhysicsError: the node is no solid.
        """
        link = self._tree.link_of(solid)
        if link is None:
            raise PhysicsError(f"{solid.where}: {solid.path()} cannot be watched, expected a solid")
        return self._touch.watch(solid, [shape for shape in link.shapes if shape.solid is solid])

    def can_bond(self, first: Node, second: Node) -> bool:
        """Whether a bond could hold two solids together: they are not rigidly one, and forces move one."""
        one, other = self._tree.link_of(first), self._tree.link_of(second)
        return one is not None and other is not None and can_join(one, other)

    def bond(self, first: Node, second: Node, relative: Pose | None = None) -> Bond:
        """Hold two solids rigidly together from the next step on, until released or reset.

        They do not collide with each other while the bond holds. Only between steps.

        Args:
            relative: pose of the second solid's frame in the first one's, into which the bond pulls the two
                within some steps; None: as they now stand.

        Raises:
            PhysicsError: `can_bond` says no.
        """
        if not self.can_bond(first, second):
            raise PhysicsError(
                f"{first.path()} and {second.path()} cannot be bonded, expected two solids of "
                "which one has Physics"
            )
        return self._bonds.join(self.frame(first), self.frame(second), relative)

    @property
    def record_contacts(self) -> bool:
        """Whether `contacts` is kept."""
        return self._record

    @record_contacts.setter
    def record_contacts(self, wanted: bool) -> None:
        self._record = wanted
        self._contacts.record = [] if wanted else None

    @property
    def contacts(self) -> list[ContactPoint]:
        """Contacts of the last step; empty unless `record_contacts` was True in it."""
        return list(self._contacts.record or ())

    def state(self) -> WorldState:
        """Everything that changes: bodies to the last bit, kinematic poses, joint positions, time."""
        return WorldState.of(self.time_ns, self._states.good.tobytes(), self._tree, self._axes)

    def set_state(self, state: WorldState) -> None:
        """Put back a state of this world; motors keep what they were told.

        Raises:
            PhysicsError: it is the state of another world.
        """
        if len(state.bodies) != self._states.good.nbytes:
            raise PhysicsError("found the state of another world, expected one of this world")
        self.time_ns = state.time_ns
        self._restore(state.bodies)
        state.apply(self._tree, self._axes, [place_carried, place_link], self._kinematic)

    @property
    def tree(self) -> LinkTree:
        """All links."""
        return self._tree

    @property
    def watch(self) -> Watch:
        """Says when joints must next be looked at."""
        return self._watch

    @property
    def touch(self) -> TouchRecord:
        """The watched solids."""
        return self._touch

    @property
    def mover(self) -> Mover:
        """What moves solids without Physics; another one after each build."""
        return self._mover

    @property
    def bonds(self) -> Bonds:
        """The bonds that hold."""
        return self._bonds

    @property
    def contact_finder(self) -> Contacts:
        """What finds the contacts; another one after each build."""
        return self._contacts

    def axes(self) -> list[Axis | KinematicAxis]:
        """All axes, in the order in which they were found."""
        return list(self._axes.values())

    def plugin_variables(self) -> dict[str, Any]:
        """The variables of the physics plug-in; none without one."""
        return self._plugin.variables() if self._plugin is not None else {}

    def build_again(self) -> None:
        """Build everything in ODE anew, as at the start; only for who puts a state back."""
        for link in self._tree.links:
            link.moves = False
        self._build()

    def copy_out(self) -> None:
        """Take note of the state that ODE holds, after it was written."""
        copy_state(self._states_address)

    def stop_motion(self) -> None:
        """Take all velocity from every body, where it stands (Webots reference, simulationResetPhysics)."""
        for link in self._bodies:
            link.body.setLinearVel((0.0, 0.0, 0.0))
            link.body.setAngularVel((0.0, 0.0, 0.0))
            link.body.enable()
        copy_state(self._states_address)

    def _prelude(self) -> None:
        """What comes before collisions, in worlds that have it."""
        for hook in self.before_step_hooks:
            hook(self)
        for update in self._builder.updates:
            update()
        for axis, passive in self._builder.springs:
            passive.pull(axis.position)
        for propeller in self._propellers:
            propeller.push(self._step)
        for belt in self._belts.values():
            belt.advance(self._step)
        if self._fluids:
            self._fluids.push(self._step)
        for joint in self._kinematic:
            if move_carried(joint, self._step) and joint.child is not None:
                self._mover.carry(joint.child)

    def _track(self) -> None:
        """Let joints notice turns past ±π; again before the fastest of them can turn by half of π."""
        fastest = 0.0
        for axis in self._tracked:
            fastest = max(fastest, axis.track())
        self._watch.steps_left = int(0.5 * pi / ((fastest + MARGIN) * self._step))

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

    def _movable(self, solid: Node) -> Any:
        link = self._tree.link_of(solid)
        if link is None or link.solid is not solid or link.kind is not Kind.FIXED:
            raise PhysicsError(
                f"{solid.where}: {solid.path()} cannot be moved, expected a solid without Physics"
            )
        return link

    def _build(self) -> None:
        """Make everything that ODE holds, in the same order each time."""
        info, step = self.info, self._step
        seed_solver(self._seed)
        self._ode = world = ode.World()
        keeper = Keeper(world)
        world.setGravity(self.gravity)
        world.setERP(_between(info, "ERP", 0.0, 1.0))
        world.setCFM(_between(info, "CFM", 0.0, 1e9))
        world.setQuickStepNumIterations(QUICK_ITERATIONS)
        world.setContactMaxCorrectingVel(PUSHES_OUT)
        self._set_sleep(world)
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

    def _set_sleep(self, world: Any) -> None:
        """WorldInfo.physicsDisable…: bodies that have been slow for a time are not worked out any more."""
        info = self.info
        time = info["physicsDisableTime"]
        world.setAutoDisableFlag(time > 0.0)
        world.setAutoDisableTime(max(0.0, time))
        world.setAutoDisableLinearThreshold(_between(info, "physicsDisableLinearThreshold", 0.0, 1e9))
        world.setAutoDisableAngularThreshold(_between(info, "physicsDisableAngularThreshold", 0.0, 1e9))

    def _give_up(self, state: NDArray[np.float64]) -> None:
        """Put back the last good state and say which solid was lost."""
        with np.errstate(all="ignore"):
            sizes = np.einsum("ij,ij->i", state, state)
        bad = int(np.argmax(~(sizes < FARTHEST**2)))
        self._restore(self._states.good.tobytes())
        raise StateNotFiniteError(self._bodies[bad].solid.path(), self.time_ns)

    def _restore(self, bodies: bytes) -> None:
        size = STATE_DOUBLES * 8
        for index, link in enumerate(self._bodies):
            link.body.setPosition((0.0, 0.0, 0.0))  # lets the geoms know; the true position follows
            write_state(link.address, bodies[index * size : (index + 1) * size])
            link.body.setForce((0.0, 0.0, 0.0))
            link.body.setTorque((0.0, 0.0, 0.0))
            link.body.enable()
        copy_state(self._states_address)


def gravity_of(info: Node) -> Vec3:
    """WorldInfo.gravity as a vector in ENU: a number acts along -z; files before R2021 have a vector.

    Raises:
        SceneError: not finite.
    """
    value = info["gravity"]
    vector: Vec3 = tuple(value) if isinstance(value, (tuple, list)) else (0.0, 0.0, -value)
    if not norm(vector) < 1e6:
        raise SceneError(*info.source, f"WorldInfo.gravity {value}", "m/s², a finite number")
    return (vector[0] + 0.0, vector[1] + 0.0, vector[2] + 0.0)


def step_of(info: Node) -> int:
    """WorldInfo.basicTimeStep in nanoseconds.

    Raises:
        SceneError: it is no time step.
    """
    milliseconds = info["basicTimeStep"]
    if not 1e-3 <= milliseconds <= 1e4:
        raise SceneError(*info.source, f"WorldInfo.basicTimeStep {milliseconds:g}", "0.001 to 10000 ms")
    return round(milliseconds * 1e6)


def _between(info: Node, field: str, least: float, most: float) -> float:
    value: float = info[field]
    if not least <= value <= most:
        raise SceneError(*info.source, f"WorldInfo.{field} {value:g}", f"{least:g} to {most:g}")
    return value
