"""Whole state of the physics as plain data, exact to the last bit.

It includes more than poses and velocities: motor commands, sleep counters of bodies, the order of the shapes
in ODE's spaces (in which contacts are found), and the random generator of the iterative solver.

Everything is in rows: links, solids and axes by their numbers in scene order. So a state fits any world that
was built of an equal scene, in this process or in another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.engine import EngineState
from sim_core.engines.ode.bodies import place_link
from sim_core.engines.ode.bonds import BondState
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import (
    FARTHEST,
    MOVED_DOUBLES,
    QUATERNION,
    ROTATION,
    SETTINGS,
    UNUSED,
    WHOLE_DOUBLES,
    is_rotation,
    read_whole_state,
    state_address,
    write_whole_state,
)
from sim_core.engines.ode.placing import set_velocity
from sim_core.engines.world_view import Touch
from sim_core.model.dynamics.bodies import BodyKind

if TYPE_CHECKING:
    from sim_core.engines.ode.built_world import BuiltWorld
    from sim_core.engines.ode.world import PhysicsWorld


NEARLY = 1e-6
"""Tolerance of the length of a quaternion, or of a row of a rotation."""


class LinkState(NamedTuple):
    """Changing state of a link without its ODE body; see `Link`."""

    pose: Pose
    linear: Vec3
    angular: Vec3
    in_parent_now: Pose
    motions: tuple[tuple[Vec3, Vec3, float, bool], ...]
    moves: bool


class TouchState(NamedTuple):
    """Contacts of a watched solid; see `OdeContactWatch`."""

    solid: int
    contacts: tuple[tuple[Vec3, Vec3, float, Vec3, int], ...]
    """As `Touch`, with the row of the other solid."""
    was_blocked: bool
    is_blocked: bool


class MoverState(NamedTuple):
    """Links that are moved without forces; see `Mover`."""

    loosened: tuple[int, ...]
    moved: tuple[int, ...]
    moving: tuple[int, ...]
    is_busy: bool
    coasting: tuple[tuple[int, Vec3, Vec3], ...] = ()
    """Rows of links with a set velocity: m/s and rad/s."""


class BodyMotion(NamedTuple):
    """Pose and velocity of a link's frame, in world axes, and the accumulated force and torque of its body.

    Attributes:
        pose: X_WL.
        linear, angular: velocity of its origin, m/s, and angular velocity, rad/s.
        force, torque: for the next step, N and N·m.
    """

    pose: Pose
    linear: Vec3
    angular: Vec3
    force: Vec3
    torque: Vec3


@dataclass(eq=False)
class PhysicsState(EngineState):
    """State of an ODE world at one moment.

    Attributes:
        solver_seed: state of the iterative solver's random generator.
        look_in: steps until joints must be checked for turns.
        links: by row.
        with_body: rows of the links that have a body in ODE.
        bodies: (n, WHOLE_DOUBLES) states of these bodies, see `read_whole_state`.
        awake: (n,) True if they are awake.
        motors: of the axes that the physics moves, in order: `Axis.motor` and `Axis.turn_count`.
        driven: of the other axes, `KinematicAxis.state`.
        touch: of the watched solids.
        mover: links that are moved without forces.
        bonds: the bonds that hold.
        bond_count: number of bonds made since the start.
        order: the shapes in each of ODE's spaces.
    """

    solver_seed: int
    look_in: int
    links: tuple[LinkState, ...]
    with_body: tuple[int, ...]
    bodies: NDArray[np.float64]
    awake: tuple[bool, ...]
    motors: tuple[tuple[tuple[float, float, float], tuple[int, float, float]], ...]
    driven: tuple[tuple[Any, ...], ...]
    touch: tuple[TouchState, ...]
    mover: MoverState
    bonds: tuple[BondState, ...]
    bond_count: int
    order: tuple[tuple[int, ...], ...]


def state_of(built: BuiltWorld, time_ns: int = 0, epoch_ns: int = 0) -> PhysicsState:
    """Return the present state, without that of the plug-in."""
    reading, mover = built.reading, built.mover
    owners, links, rows = reading.owners, reading.links, RowNumbers(built)
    axes = list(reading.axes.values())
    with_body = tuple(row for row, link in enumerate(links) if link.body is not None)
    loosened, moved, moving = map(rows.of_links, mover.links())
    raw = bytearray().join([read_whole_state(_address(links[row])) for row in with_body])
    bodies = np.frombuffer(raw).reshape(-1, WHOLE_DOUBLES)
    bodies.view(np.uint32)[:, UNUSED] = 0
    return PhysicsState(
        time_ns=time_ns,
        epoch_ns=epoch_ns,
        plugin=None,
        solver_seed=built.solver_seed,
        look_in=built.watch.steps_left,
        links=tuple(
            [
                LinkState(
                    link.pose, link.linear, link.angular, link.in_parent_now, tuple(link.motions), link.moves
                )
                for link in links
            ]
        ),
        with_body=with_body,
        bodies=bodies,
        awake=tuple([bool(links[row].body.isEnabled()) for row in with_body]),
        motors=tuple(
            [(axis.motor(), axis.turn_count()) for axis in axes if not isinstance(axis, KinematicAxis)]
        ),
        driven=tuple([axis.state() for axis in axes if isinstance(axis, KinematicAxis)]),
        touch=tuple(
            [
                TouchState(
                    rows.of_solid(watch.solid),
                    tuple(
                        [
                            (*touch[:4], rows.of_solid(touch.other))
                            for touch in watch.contacts
                            if touch.other in owners  # otherwise it has just been removed
                        ]
                    ),
                    watch.was_blocked,
                    watch.is_blocked,
                )
                for watch in built.touch.watched(owners)
            ]
        ),
        mover=MoverState(loosened, moved, moving, mover.is_busy, rows.of_coasting(mover.coasting)),
        bonds=built.bonds.states(rows.of_solid),
        bond_count=built.bonds.count,
        order=tuple(map(tuple, built.contacts.order())),
    )


def restore_world(world: PhysicsWorld, state: PhysicsState, anew: bool = True) -> None:
    """Restore a state in a world that was built of an equal scene.

    Args:
        world: the world.
        state: see `state_of`.
        anew: check the state, and build all ODE objects again; False: only if bodies or bonds differ.

    Raises:
        PhysicsError: it is the state of another world.
    """
    built, rows = world.built, RowNumbers(world.built)
    held = [bond.record(rows.of_solid) for bond in built.bonds.made]
    is_as_then = rows.of_links(built.mover.loosened) == state.mover.loosened and held == [
        bond.made for bond in state.bonds
    ]
    if anew or not is_as_then:
        built.rebuild_all()
    if anew:
        _check(built, state)
    world.clock.set(state.time_ns, state.epoch_ns)
    write(built, state)


def write(built: BuiltWorld, state: PhysicsState, placed: Mapping[int, BodyMotion] | None = None) -> None:
    """Write a state to the built world.

    Args:
        built: the world; it has no other bonds and no other loosened links.
        state: see `state_of`.
        placed: rows of links that start at a pose and a velocity instead of the body's state; None: joints
            are as in the state, too. Otherwise links at non-dynamic joints are placed by these joints.

    Raises:
        PhysicsError: it is the state of another world.
    """
    rows, mover = RowNumbers(built), built.mover
    for row in state.mover.loosened:
        mover.make_movable(rows.links[row])
    moved_roots = [
        link
        for link, (pose, *_) in zip(rows.links, state.links, strict=True)
        if link.parent is None and (placed is not None or link.children or link.pose is not pose)
    ]
    for link, values in zip(rows.links, state.links, strict=True):
        link.pose, link.linear, link.angular, link.in_parent_now, motions, link.moves = values
        link.motions = list(motions)
    axes = list(built.reading.axes.values())
    still = (axis for axis in axes if isinstance(axis, KinematicAxis))
    for driven, axis_state in zip(still, state.driven, strict=True):
        driven.set_state(axis_state)
    if placed is not None:
        for joint in built.reading.kinematic:
            joint.update_pose()
    for link in moved_roots:
        place_link(link)
    size = WHOLE_DOUBLES * 8
    raw = state.bodies.tobytes()
    for index, (row, awake) in enumerate(zip(state.with_body, state.awake, strict=True)):
        link = rows.links[row]
        motion = placed.get(row) if placed is not None else None
        if motion is None:
            link.body.setPosition((0.0, 0.0, 0.0))  # marks the geoms as moved; the true position follows
        elif link.kind is BodyKind.DYNAMIC:
            link.body.setPosition(motion.pose.apply(link.centre))
            link.body.setRotation(motion.pose.rotation)
            set_velocity(link, motion.pose.position, motion.linear, motion.angular)
            link.body.setForce(motion.force)
            link.body.setTorque(motion.torque)
        link.body.enable()
        if not awake:
            link.body.disable()
        if motion is None:
            write_whole_state(_address(link), raw[index * size : (index + 1) * size])
    motors = (axis for axis in axes if not isinstance(axis, KinematicAxis))
    for motor, ((velocity, effort, brake), turn_count) in zip(motors, state.motors, strict=True):
        motor.release()
        motor.drive(velocity, effort)
        motor.set_brake(brake)
        motor.restore_turn_count(*turn_count)
    moved, moving = ([rows.links[row] for row in each] for each in state.mover[1:3])
    mover.restore_links(moved, moving, state.mover.is_busy)
    mover.coasting = {rows.links[row]: (linear, angular) for row, linear, angular in state.mover.coasting}
    built.bonds.restore_bonds(state.bonds, state.bond_count, rows.solids, built.reading.owners.get)
    built.touch.remove_contacts()
    for each in state.touch:
        watch = built.watch_contacts(rows.solids[each.solid])
        watch.contacts = [Touch(*contact[:4], rows.solids[contact[4]]) for contact in each.contacts]
        watch.was_blocked, watch.is_blocked = each.was_blocked, each.is_blocked
    order, present = [list(members) for members in state.order], built.contacts.order()
    if order != present:
        if list(map(sorted, order)) != list(map(sorted, present)):
            raise PhysicsError("found an order of other shapes than those of the world")
        built.contacts.set_order(order)
    built.watch.steps_left = state.look_in
    built.solver_seed = state.solver_seed
    built.copy_state()


def _check(built: BuiltWorld, state: PhysicsState) -> None:
    """Check that a state fits a newly built world: otherwise ODE would end the process.

    Raises:
        PhysicsError: it does not.
    """
    own = state_of(built)
    bodies, loosened = state.bodies, state.mover.loosened
    then, here = ((len(each.links), len(each.motors), len(each.driven)) for each in (state, own))
    if then != here:
        raise PhysicsError(f"{then} links, motors, driven axes, expected {here}")
    if bodies.shape != (len(state.with_body), WHOLE_DOUBLES) or len(state.awake) != len(bodies):
        raise PhysicsError(f"bodies {bodies.shape}, expected {(len(state.with_body), WHOLE_DOUBLES)}")
    rows = {*own.with_body, *loosened}
    if not set(own.with_body) <= set(state.with_body) <= rows <= set(range(len(own.links))):
        raise PhysicsError("bodies of other links")
    placed = [np.hstack((*link.pose, *link.in_parent_now, link.linear, link.angular)) for link in state.links]
    driven = [np.array(each, float) for each in state.driven]
    coasting = [np.hstack(each) for each in state.mover.coasting]
    if not all(
        np.all(np.abs(each) < FARTHEST) for each in (bodies[:, :MOVED_DOUBLES], *placed, *driven, *coasting)
    ):
        raise PhysicsError("numbers that are not finite")
    rows_of_three = bodies[:, ROTATION].reshape(-1, 3, 4)[:, :, :3]
    poses = (pose for link in state.links for pose in (link.pose, link.in_parent_now))
    if not (
        np.all(np.abs(np.linalg.norm(bodies[:, QUATERNION], axis=1) - 1.0) < NEARLY)
        and np.all(np.abs(np.linalg.norm(rows_of_three, axis=2) - 1.0) < NEARLY)
        and all(is_rotation(pose.rotation) for pose in poses)
    ):
        raise PhysicsError("an invalid rotation")
    fixed = dict(zip(own.with_body, own.bodies[:, SETTINGS], strict=True))
    for row, settings in zip(state.with_body, bodies[:, SETTINGS], strict=True):
        if row in fixed and settings.tobytes() != fixed[row].tobytes():
            raise PhysicsError("other sleep settings")


class RowNumbers:
    """Row numbers of links and solids, in scene order."""

    def __init__(self, built: BuiltWorld) -> None:
        self.links: list[Link] = built.reading.links

    @cached_property
    def solids(self) -> list[NodeId]:
        """All solids, link by link."""
        return [solid for link in self.links for solid, _ in link.record.solids]

    @cached_property
    def _of_link(self) -> dict[Link, int]:
        return {link: row for row, link in enumerate(self.links)}

    @cached_property
    def _of_solid(self) -> dict[NodeId, int]:
        return {solid: row for row, solid in enumerate(self.solids)}

    def of_links(self, links: list[Link]) -> tuple[int, ...]:
        """Return the rows of links."""
        return tuple([self._of_link[link] for link in links]) if links else ()

    def of_coasting(self, links: dict[Link, tuple[Vec3, Vec3]]) -> tuple[tuple[int, Vec3, Vec3], ...]:
        """Return the rows of links, with their velocities."""
        return tuple([(self._of_link[link], *velocity) for link, velocity in links.items()]) if links else ()

    def of_solid(self, solid: NodeId) -> int:
        """Return the row of a solid."""
        return self._of_solid[solid]


def _address(link: Link) -> int:
    """Return the address of the state of a link's body in ODE."""
    return link.address or state_address(link.body)
