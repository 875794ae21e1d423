"""The physics of a scene: bodies, joints and contacts, stepped by ODE."""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import PhysicsError, StateNotFiniteError
from sim_core.base.geometry import Pose, Vec3
from sim_core.engines.ode.contacts.belts import Belt
from sim_core.engines.ode.contacts.contacts import ContactPoint, Contacts
from sim_core.engines.ode.contacts.kernels import copy_state
from sim_core.engines.ode.contacts.touch import ContactWatch, TouchRecord
from sim_core.engines.ode.edits import EditableWorld
from sim_core.engines.ode.joints.axes import Axis, Watch
from sim_core.engines.ode.joints.bonds import Bond, Bonds, can_join
from sim_core.engines.ode.joints.carried import move_carried
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.kinematics import Mover
from sim_core.engines.ode.links import Kind, LinkTree
from sim_core.engines.ode.ode_binding import FARTHEST, quick_step
from sim_core.engines.ode.plugin_api import PluginSolid
from sim_core.engines.ode.plugins import Plugin
from sim_core.engines.ode.snapshots import PhysicsState, put_back, state_of
from sim_core.scene import Node

MARGIN = 20.0
"""rad/s by which a joint may get faster, until it is looked at again, than it is or is driven at."""


class PhysicsWorld(EditableWorld):
    """Bodies, joints and contacts of a scene; meets the `World` protocol of `sim_core/devices/world_view.py`.

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
        solver_seed: where the iterative solver's generator stands.
        before_step_hooks: called with this world in phase 2, before collisions are looked for.
        record_contacts: True: `contacts` holds those of the last step.
        warnings: what the scene asks for and does not get, one line each.
    """

    is_planar = False

    _start: PhysicsState | None = None
    _start_build = 0

    def reset(self) -> None:
        """Back to the initial state; a run from here equals a run in a new process, to the last bit.

        Frames and axes that were handed out stay valid. Motors are off. The first time, and after a change of
        the scene, everything in ODE is built anew; later the state after that is put back.
        """
        try:
            if self._plugin is not None:
                self._plugin.restart()
        finally:
            if self._start is not None and self._start_build == self.builds:
                self.set_state(self._start)
                self._touch.forget()
                self._contacts.record = [] if self._record else None
            else:
                self.time_ns = 0
                self.build_again()
                self._bonds.count = 0
                self._start = self.get_state()
            self._start_build = self.builds

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
            self.solver_seed = quick_step(self._ode, self._step, self.solver_seed)
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

    def add_force(self, solid: Node, force: Vec3, at: Vec3 | None = None) -> None:
        """Push a solid during the next step: N, at a point in the world (None: its centre of mass).

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        PluginSolid(solid, self).add_force(force, at)

    def add_torque(self, solid: Node, torque: Vec3) -> None:
        """Turn a solid during the next step: N·m, world axes.

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        PluginSolid(solid, self).add_torque(torque)

    def close(self) -> None:
        """The simulation is over: the plug-in's `end` is called.

        Raises:
            PhysicsError: the plug-in raised something.
        """
        if self._plugin is not None:
            self._plugin.end()

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
        return self._bonds.join(self.frame(first), self.frame(second), (first, second), relative)

    def find_bond(self, number: int) -> Bond | None:
        """The bond of that number; None: it does not hold any more."""
        return self._bonds.find(number)

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

    def get_state(self) -> PhysicsState:
        """All that changes, to the last bit, but what the plug-in knows."""
        return state_of(self)

    def set_state(self, state: PhysicsState, anew: bool = False) -> None:
        """Go on from a state of this world or of one built of an equal scene.

        Args:
            state: as `get_state` told it.
            anew: build everything in ODE anew; False: only if it holds other bodies or bonds than then.

        Raises:
            PhysicsError: it is the state of another world.
        """
        put_back(self, state, anew)

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

    @property
    def plugin_file(self) -> Path | None:
        """Where the physics plug-in is; None: there is none."""
        return self._plugin.path if self._plugin is not None else None

    @property
    def plugin(self) -> Plugin | None:
        """The physics plug-in."""
        return self._plugin

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

    def _movable(self, solid: Node) -> Any:
        link = self._tree.link_of(solid)
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
        self._restore(self._states.good.tobytes())
        raise StateNotFiniteError(self._bodies[bad].solid.path(), self.time_ns)
