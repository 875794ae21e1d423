"""The whole state of the physics, exact to the last bit: a run that goes on from it again is the same run.

More counts than poses and velocities: what motors are told, how long bodies have been slow, the order of the
shapes in ODE's spaces (in which contacts are found), and the generator of the iterative solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim_core.engines.ode.bodies import place_link
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.ode_binding import (
    read_whole_state,
    state_address,
    write_whole_state,
)

if TYPE_CHECKING:
    from sim_core.engines.ode.world import PhysicsWorld

LINK_STATE = ("pose", "linear", "angular", "in_parent_now", "motions", "moves")
AXIS_STATE = ("_turns", "_last", "_driven")
_FROM_SCENE = ("name", "spec", "is_linear")


class PhysicsSnapshot:
    """The state of a physics world at one moment; valid as long as the scene has the same nodes."""

    def __init__(self, world: PhysicsWorld) -> None:
        self._time_ns = world.time_ns
        self._build = world.builds
        self._solver_seed = world.solver_seed
        self._links = [
            (link, {name: getattr(link, name) for name in LINK_STATE}) for link in world.tree.links
        ]
        self._bodies = [
            (link, read_whole_state(state_address(link.body)), bool(link.body.isEnabled()))
            for link in world.tree.links
            if link.body is not None
        ]
        self._motors = [
            (axis, axis.motor(), {name: getattr(axis, name) for name in AXIS_STATE})
            for axis in world.axes()
            if isinstance(axis, Axis)
        ]
        self._driven = [
            (axis, {name: value for name, value in vars(axis).items() if name not in _FROM_SCENE})
            for axis in world.axes()
            if not isinstance(axis, Axis)
        ]
        self._look_in = world.watch.steps_left
        self._touch = world.touch.contacts_now()
        mover = world.mover
        self._loosened = list(mover.loosened)
        self._mover = mover.state()
        self._bonds = list(world.bonds.made)
        self._bond_count = world.bonds.count
        self._stepped = [bond.has_stepped for bond in self._bonds]
        self._fresh = list(world.bonds.fresh)
        self._order = world.contact_finder.order()

    def is_of_this_build(self, world: PhysicsWorld) -> bool:
        """Whether ODE holds the same bodies, joints and bonds as then; if not, `restore` builds them anew."""
        same = world.builds == self._build and world.mover.loosened == self._loosened
        return same and world.bonds.made == self._bonds

    def restore(self, world: PhysicsWorld) -> None:
        """Put the world back to this state."""
        mover, bonds = world.mover, world.bonds
        if not self.is_of_this_build(world):
            world.build_again()
            mover = world.mover
            for link in self._loosened:
                mover.loosen(link)
            bonds.remake(self._bonds)
        world.time_ns = self._time_ns
        for link, values in self._links:
            for name, value in values.items():
                setattr(link, name, value)
        for driven, values in self._driven:
            vars(driven).update(values)
        for link in world.tree.links:
            if link.parent is None:
                place_link(link)
        for link, state, awake in self._bodies:
            link.body.setPosition((0.0, 0.0, 0.0))  # lets the geoms know; the true position follows
            link.body.enable()
            if not awake:
                link.body.disable()
            write_whole_state(state_address(link.body), state)
        for motor, (velocity, effort, brake), values in self._motors:
            motor.release()
            motor.drive(velocity, effort)
            motor.set_brake(brake)
            vars(motor).update(values)
        mover.set_state(self._mover)
        for watch, (contacts, was_blocked, is_blocked) in self._touch.items():
            watch.contacts, watch.was_blocked, watch.is_blocked = contacts, was_blocked, is_blocked
        for bond, stepped in zip(self._bonds, self._stepped, strict=True):
            bond.has_stepped = stepped
        bonds.fresh = list(self._fresh)
        bonds.count = self._bond_count
        if self._order != world.contact_finder.order():
            world.contact_finder.set_order(self._order)
        world.watch.steps_left = self._look_in
        world.solver_seed = self._solver_seed
        world.copy_out()
