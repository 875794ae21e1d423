"""The physics of a scene: bodies, joints and contacts, stepped by ODE."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import PhysicsError, SceneError, StateNotFiniteError
from sim_core.base.geometry import Pose, Vec3
from sim_core.engines.capabilities import Capabilities
from sim_core.engines.engine import ContactPoint, Mass
from sim_core.engines.ode.bonds import Bond, can_join
from sim_core.engines.ode.built_world import BuiltWorld
from sim_core.engines.ode.contacts.belts import Belt
from sim_core.engines.ode.contacts.kernels import copy_state
from sim_core.engines.ode.contacts.touch import ContactWatch
from sim_core.engines.ode.editing import WorldEditing
from sim_core.engines.ode.frames import LinkFrame, WorldFrame
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.joints.carried import move_carried
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Kind, Link
from sim_core.engines.ode.ode_binding import FARTHEST, quick_step
from sim_core.engines.ode.plugins import PluginState, load_plugin
from sim_core.engines.ode.snapshots import PhysicsState, checked, put_back, state_of
from sim_core.engines.ode.world_info import step_of
from sim_core.scene import Node, Scene

MARGIN = 20.0
"""rad/s by which a joint may get faster, until it is looked at again, than it is or is driven at."""


class PhysicsWorld:
    """Bodies, joints and contacts of a scene; meets `Engine`.

    After each step the state of all bodies is copied out of ODE in one go and checked. If it is no longer
    finite (or farther away or faster than 10¹² m, m/s, rad/s: the next step might end the process), the
    bodies are put back to the last state that passed, that at the end of the step before, to the last bit;
    time does not advance, and the world can be read, reset or given other commands.

    Attributes:
        time_ns: sim time.
        step_ns: basic time step.
        info: the WorldInfo node.
        before_step_hooks: called with this world in phase 2, before collisions are looked for.
        plugin: the physics plug-in; None: there is none.
        built: what the scene asks for, and what ODE holds for it.
        editing: changes it, as a supervisor asks.
        can: has forces, and takes up changes.
    """

    def __init__(self, scene: Scene, seed: int = 0, plugins: bool = True) -> None:
        """Build the physics of a scene; its plug-in, if it has one, is run only with `plugins`.

        Raises:
            SceneError, SceneErrors, PhysicsError: the scene asks for something impossible.
        """
        self.scene = scene
        self.info: Node = scene.world_info
        self.step_ns = step_of(self.info)
        self.time_ns = 0
        self.before_step_hooks: list[Callable[[PhysicsWorld], None]] = []
        self.plugin = load_plugin(self.info, scene.file, plugins)
        if self.plugin is not None:
            self.before_step_hooks.append(self.plugin.before_step)
        self.built = BuiltWorld(scene, seed)
        self.editing = WorldEditing(self.built)
        self.can = Capabilities(forces=True, editing=self.editing)
        self._start: PhysicsState | None = None
        self._start_build = 0

    @property
    def gravity(self) -> Vec3:
        """Acceleration of free fall, m/s², world axes."""
        return self.built.gravity

    @property
    def warnings(self) -> list[SceneError]:
        """What the scene asks for and does not get, one line each."""
        return self.built.reading.warnings

    def reset(self) -> None:
        """Back to the initial state; a run from here equals a run in a new process, to the last bit.

        Frames and axes that were handed out stay valid. Motors are off. The first time, and after a change of
        the scene, everything in ODE is built anew; later the state after that is put back.
        """
        try:
            if self.plugin is not None:
                self.plugin.restart()
        finally:
            built = self.built
            if self._start is not None and self._start_build == built.builds and not built.is_outdated:
                self.set_state(self._start)
                built.is_at_start = True
                built.touch.forget()
                built.contacts.record = [] if built.records else None
            else:
                self.time_ns = 0
                if built.is_outdated:
                    built.rebuild(built.keep())
                built.build_again()
                built.bonds.count = 0
                self._start = self.get_state()
            self._start_build = built.builds

    def step(self) -> None:
        """Advance by one basic time step: phase 2 of a simulation step.

        Raises:
            StateNotFiniteError: the new state is not finite; the state before the step is kept.
            PhysicsError: a plug-in or a contact went wrong.
        """
        built = self.built
        built.is_at_start = False
        if built.has_prelude or self.before_step_hooks:
            self._prelude()
        mover = built.mover
        if mover.is_busy:
            mover.before_step()
        contacts = built.contacts
        contacts.collide()
        if contacts.pairs and built.islands.is_large(contacts.pairs):
            built.solver_seed = quick_step(built.ode, built.seconds, built.solver_seed)
        else:
            built.ode.step(built.seconds)
        if built.touch.open:
            built.touch.read()
        if built.bonds.fresh:
            built.bonds.after_first_step()
        contacts.joints.empty()
        if not copy_state(built.states_address):
            self._give_up(built.states.other)
        self.time_ns += self.step_ns
        if mover.is_busy:
            mover.after_step()
        if built.tracked:
            built.watch.steps_left -= 1
            if built.watch.steps_left <= 0:
                self._track()

    def stop_motion(self) -> None:
        """Take all velocity from every body, where it stands (Webots reference, simulationResetPhysics)."""
        for link in self.built.bodies:
            link.body.setLinearVel((0.0, 0.0, 0.0))
            link.body.setAngularVel((0.0, 0.0, 0.0))
            link.body.enable()
        self.built.copy_out()

    def frame(self, node: Node) -> LinkFrame | WorldFrame:
        """The frame of a Solid, Pose or device node, or of the nearest above; one object per node."""
        return self.built.frame(node)

    def body_of(self, node: Node) -> Link | None:
        """The link with the body that moves a node; None: forces do not move it."""
        return self.built.body_of(node)

    def mass_of(self, solid: Node) -> Mass | None:
        """The body that moves a solid; None: forces do not move it."""
        link = self.built.body_of(solid)
        return None if link is None else _mass(link)

    def masses(self) -> list[Mass]:
        """All bodies that have mass, in file order."""
        links = self.built.reading.tree.links
        return [_mass(link) for link in links if link.kind is Kind.DYNAMIC and link.mass > 0.0]

    def close(self) -> None:
        """The simulation is over: the plug-in's `end` is called.

        Raises:
            PhysicsError: the plug-in raised something.
        """
        if self.plugin is not None:
            self.plugin.end()

    def axis(self, joint: Node, index: int = 0) -> Axis | KinematicAxis:
        """A degree of freedom of a joint node, of a Servo, or of a wheel solid of DifferentialWheels.

        Raises:
            PhysicsError: the node has no such axis.
        """
        found = self.built.reading.axes.get((joint, index))
        if found is None:
            raise PhysicsError(f"{joint.where}: {joint.path()} has no axis {index}")
        if isinstance(found, Axis) and not found.is_linear and found not in self.built.tracked:
            found.track()
            found.watch = self.built.watch
            self.built.tracked.append(found)
        return found

    def belt(self, track: Node) -> Belt | None:
        """The belt of a Track node."""
        return self.built.reading.belts.get(track)

    def is_blocked(self, solid: Node, pose: Pose) -> bool:
        """True if a solid without Physics, moved to this pose in the world, would run into another solid.

        What it already touches blocks only if it would go deeper in.

        Raises:
            PhysicsError: the solid has Physics, or the pose is not finite.
        """
        return self.built.mover.is_blocked(self._movable(solid), pose)

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
        self.built.mover.move(self._movable(solid), pose, linear, angular)

    def is_dynamic(self, node: Node) -> bool:
        """Whether forces move the solid that a node is part of."""
        return self.body_of(node) is not None

    def watch_contacts(self, solid: Node) -> ContactWatch:
        """What touches a solid's own bounding object in each step from now on; one object per solid.

        Raises:
            PhysicsError: the node is no solid.
        """
        link = self.built.reading.tree.link_of(solid)
        if link is None:
            raise PhysicsError(f"{solid.where}: {solid.path()} cannot be watched, expected a solid")
        return self.built.touch.watch(solid, [shape for shape in link.shapes if shape.solid is solid])

    def can_bond(self, first: Node, second: Node) -> bool:
        """Whether a bond could hold two solids together: they are not rigidly one, and forces move one."""
        one, other = self.built.reading.tree.link_of(first), self.built.reading.tree.link_of(second)
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
        self.built.is_at_start = False
        return self.built.bonds.join(self.frame(first), self.frame(second), (first, second), relative)

    def find_bond(self, number: int) -> Bond | None:
        """The bond of that number; None: it does not hold any more."""
        return self.built.bonds.find(number)

    @property
    def record_contacts(self) -> bool:
        """Whether `contacts` is kept."""
        return self.built.records

    @record_contacts.setter
    def record_contacts(self, wanted: bool) -> None:
        self.built.records = wanted
        self.built.contacts.record = [] if wanted else None

    @property
    def contacts(self) -> list[ContactPoint]:
        """Contacts of the last step; empty unless `record_contacts` was True in it."""
        return list(self.built.contacts.record or ())

    @property
    def builds(self) -> int:
        """How often everything in ODE, or some trees, have been built."""
        return self.built.builds

    def get_state(self) -> PhysicsState:
        """All that changes, to the last bit, but what the plug-in knows."""
        return state_of(self)

    def check_state(self, state: object) -> None:
        """Refuse a state from outside that does not fit this newly built world.

        Raises:
            PhysicsError: it does not.
        """
        checked(self, state)

    def set_state(self, state: PhysicsState, anew: bool = False) -> None:
        """Go on from a state of this world or of one built of an equal scene.

        Args:
            state: as `get_state` told it.
            anew: build everything in ODE anew; False: only if it holds other bodies or bonds than then.

        Raises:
            PhysicsError: it is the state of another world.
        """
        put_back(self, state, anew)

    def get_plugin_state(self) -> PluginState | None:
        """What the plug-in knows; None: there is none."""
        return None if self.plugin is None else self.plugin.get_state()

    def set_plugin_state(self, state: PluginState | None) -> None:
        """Let the plug-in go on from there.

        Raises:
            PhysicsError: the plug-in raised something.
        """
        if self.plugin is not None and state is not None:
            self.plugin.set_state(state, self)

    @property
    def plugin_file(self) -> Path | None:
        """Where the physics plug-in is; None: there is none."""
        return self.plugin.path if self.plugin is not None else None

    def _prelude(self) -> None:
        """What comes before collisions, in worlds that have it."""
        for hook in self.before_step_hooks:
            hook(self)
        built = self.built
        seconds = built.seconds
        for update in built.builder.updates:
            update()
        for axis, passive in built.builder.springs:
            passive.pull(axis.position)
        for propeller in built.reading.propellers:
            propeller.push(seconds)
        for belt in built.reading.belts.values():
            belt.advance(seconds)
        if built.fluids:
            built.fluids.push(seconds)
        for joint in built.reading.kinematic:
            if move_carried(joint, seconds) and joint.child is not None:
                built.mover.carry(joint.child)

    def _track(self) -> None:
        """Let joints notice turns past ±π; again before the fastest of them can turn by half of π."""
        fastest = 0.0
        for axis in self.built.tracked:
            fastest = max(fastest, axis.track())
        self.built.watch.steps_left = int(0.5 * pi / ((fastest + MARGIN) * self.built.seconds))

    def _movable(self, solid: Node) -> Any:
        link = self.built.reading.tree.link_of(solid)
        if link is None or link.solid is not solid or link.kind is not Kind.FIXED:
            raise PhysicsError(
                f"{solid.where}: {solid.path()} cannot be moved, expected a solid without Physics"
            )
        return link

    def _give_up(self, state: NDArray[np.float64]) -> None:
        """Put back the last good state and say which solid was lost."""
        with np.errstate(all="ignore"):
            sizes = np.einsum("ij,ij->i", state, state)
        bad = int(np.argmax(~(sizes < FARTHEST**2)))
        self.built.restore(self.built.states.good.tobytes())
        raise StateNotFiniteError(self.built.bodies[bad].solid.path(), self.time_ns)


def _mass(link: Link) -> Mass:
    return Mass(link.solid, link.top, link.mass, link.world_pose().apply(link.centre))
