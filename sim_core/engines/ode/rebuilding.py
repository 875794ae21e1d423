"""Transfer of a world's state to the world built of the edited scene: rows are matched by ids.

Links and axes are created again when a scene is read again. Devices hold frames, axes, watches and bonds of
the physics: these objects stay the same and are updated; those of removed nodes stand still.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import ZERO, Vec3, add, cross, subtract
from sim_core.base.ids import NodeId
from sim_core.base.turns import NO_TURN, Turn, turned, turned_pose
from sim_core.engines.capabilities import NamedState
from sim_core.engines.ode.bonds import BondRecord, BondState, can_join
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import FORCES, SETTINGS, forces_in
from sim_core.engines.ode.reading import AxisKey
from sim_core.engines.ode.snapshots import (
    BodyMotion,
    LinkState,
    MoverState,
    PhysicsState,
    RowNumbers,
    TouchState,
    state_of,
    write,
)
from sim_core.model.dynamics.bodies import Body, BodyKind
from sim_core.model.dynamics.difference import AxisTurns
from sim_core.model.dynamics.joints import Joint

if TYPE_CHECKING:
    from sim_core.engines.ode.built_world import BuiltWorld


class _Names(NamedTuple):
    """Ids of the rows of a state.

    Attributes:
        links: the solids after which they are named.
        solids: all solids, link by link.
        motors, driven: axes that the physics moves, and the others.
        members: of ODE's spaces: a shape by its link and its number there, a space by its first shape.
        spaces: all spaces.
    """

    links: Sequence[NodeId]
    solids: Sequence[NodeId]
    motors: Sequence[AxisKey]
    driven: Sequence[AxisKey]
    members: Sequence[Hashable]
    spaces: Sequence[Hashable]


class _FormerLink(NamedTuple):
    """Link of the former world.

    Attributes:
        record: its record.
        centre: of its mass.
        was_moved: True if it has no Physics, and was moved from its pose in the scene.
        motion, is_awake: its motion, and whether it was awake.
        body: state of its ODE body; None: it had none.
    """

    record: Body
    centre: Vec3
    was_moved: bool
    motion: BodyMotion
    body: NDArray[np.float64] | None
    is_awake: bool


class NamedPhysicsState(NamedState):
    """State of a physics world with the ids of its rows, to continue from after an edit of the scene."""

    def __init__(self, built: BuiltWorld) -> None:
        """Take the present state."""
        self._state = state = state_of(built)
        self._names = _names(built, state)
        self._joints = {joint.record.id: joint.record for joint in built.reading.joints}
        self._turn: Turn = NO_TURN
        held = zip(state.with_body, state.bodies, state.awake, strict=True)
        rows = {row: (body, awake) for row, body, awake in held}
        self._links = {
            link.solid: _FormerLink(
                link.record,
                link.centre,
                link.kind is BodyKind.FIXED and link.has_moved(),
                _motion(link, rows.get(row, (None, True))[0]),
                *rows.get(row, (None, True)),
            )
            for row, link in enumerate(built.reading.links)
        }

    def turned(self, turns: AxisTurns | None) -> NamedPhysicsState:
        """Return the same state with other axes; None: unchanged."""
        if turns is None:
            return self
        world, own = turns
        result = copy(self)
        result._turn = world
        result._links = {
            solid: was._replace(motion=_turned(was.motion, world, own.get(solid, NO_TURN)))
            for solid, was in self._links.items()
        }
        result._state = state = copy(self._state)
        state.touch = tuple(
            each._replace(
                contacts=tuple(
                    (turned(world, position), turned(world, normal), depth, turned(world, force), other)
                    for position, normal, depth, force, other in each.contacts
                )
            )
            for each in state.touch
        )
        state.mover = state.mover._replace(
            coasting=tuple(
                (row, turned(world, linear), turned(world, angular))
                for row, linear, angular in state.mover.coasting
            )
        )
        return result

    def put_into(self, built: BuiltWorld) -> None:
        """Restore the state in a newly built world; new objects start as in the scene."""
        _StateTransfer(self, built).write_state()

    def put_start_into(self, built: BuiltWorld) -> None:
        """Start a newly built world as in the scene, but keep motor commands, forces for the first step, and
        bonds."""
        _StateTransfer(self, built, begins=True).write_start()


class _StateTransfer:
    """Transfer of a state to a newly built world of an edited scene."""

    def __init__(self, former: NamedPhysicsState, built: BuiltWorld, begins: bool = False) -> None:
        self._former, self._built = former, built
        self._state, self._then = former._state, former._names
        by_solid = {link.solid: link for link in built.reading.links}
        for row in () if begins else self._state.mover.loosened:
            if self._then.links[row] in by_solid:
                built.mover.make_movable(by_solid[self._then.links[row]])
        self._begun = state_of(built)
        self._now = _names(built, self._begun)
        self._rows = {solid: row for row, solid in enumerate(self._now.solids)}
        self._links = {} if begins else former._links
        self._turned_otherwise: dict[AxisKey, int] = {}
        """Axes whose angles have another reference now, and their numbers of turns."""
        self._exact = {link for link in built.reading.links if self._is_exact(link)}

    def write_state(self) -> None:
        """Write the state to the built world."""
        begun, links = self._begun, self._built.reading.links
        bodies, awake = begun.bodies.copy(), list(begun.awake)
        placed: dict[int, BodyMotion] = {}
        for at, row in enumerate(begun.with_body):
            link, was = links[row], self._links.get(links[row].solid)
            if was is None:
                if link.kind is BodyKind.DYNAMIC and (motion := self._carried(link)) is not None:
                    placed[row] = motion
                continue
            if link in self._exact and was.body is not None:
                settings, bodies[at] = begun.bodies[at, SETTINGS], was.body
                if settings.tobytes() != was.body[SETTINGS].tobytes():
                    bodies[at, SETTINGS.start :] = begun.bodies[at, SETTINGS.start :]
            elif link.kind is not BodyKind.FIXED or was.was_moved:
                placed[row] = was.motion
            awake[at] = was.is_awake
        state = PhysicsState(
            time_ns=0,
            epoch_ns=0,
            plugin=None,
            solver_seed=self._state.solver_seed,
            look_in=self._check_in(),
            links=tuple(map(self._link, links, begun.links)),
            with_body=begun.with_body,
            bodies=bodies,
            awake=tuple(awake),
            motors=tuple(self._motors()),
            driven=tuple(self._driven()),
            touch=tuple(self._touches()),
            mover=self._mover(),
            bonds=tuple(self._bonds()),
            bond_count=self._state.bond_count,
            order=tuple(self._order()),
        )
        write(self._built, state, placed)
        for key, turns in self._turned_otherwise.items():
            axis = self._built.reading.axes[key]
            assert isinstance(axis, Axis)
            axis.set_turns(turns)

    def write_start(self) -> None:
        """Set the built world to its start."""
        begun, links = self._begun, self._built.reading.links
        bodies = begun.bodies.copy()
        for at, row in enumerate(begun.with_body):
            was = self._former._links.get(links[row].solid)
            if was is not None and was.body is not None:
                bodies[at, FORCES] = was.body[FORCES]
        former = dict(zip(self._then.motors, self._state.motors, strict=True))
        driven = dict(zip(self._then.driven, self._state.driven, strict=True))
        motors = zip(self._now.motors, begun.motors, strict=True)
        axes = zip(self._now.driven, begun.driven, strict=True)
        state = replace(
            begun,
            bodies=bodies,
            motors=tuple((former.get(key, now)[0], now[1]) for key, now in motors),
            driven=tuple((now[0], *driven.get(key, now)[1:]) for key, now in axes),
            bonds=tuple(self._bonds()),
            bond_count=self._state.bond_count,
        )
        write(self._built, state)

    def _carried(self, link: Link) -> BodyMotion | None:
        """Return the motion of a new link within a link that has moved: with it.

        None: as in the scene.
        """
        above = link.parent
        if above is None:
            return None
        was = self._links.get(above.solid)
        outer = was.motion if was is not None else self._carried(above)
        if outer is None or outer.pose == above.start:
            return None
        pose = outer.pose * link.in_parent
        arm = subtract(pose.position, outer.pose.position)
        return BodyMotion(pose, add(outer.linear, cross(outer.angular, arm)), outer.angular, ZERO, ZERO)

    def _check_in(self) -> int:
        """Return the number of steps until joints must be checked: 0 if there are new ones."""
        return self._state.look_in if set(self._now.motors) <= set(self._then.motors) else 0

    def _is_exact(self, link: Link) -> bool:
        """Return whether a link continues exactly: its centre of mass, from which ODE counts, is
        unchanged."""
        was = self._links.get(link.solid)
        if was is None or was.record.kind is not link.kind or self._former._turn != NO_TURN:
            return False
        match link.kind:
            case BodyKind.DYNAMIC:
                return link.centre == was.centre
            case BodyKind.FIXED:
                return was.was_moved or link.start == was.record.start
        above = was.record.joint
        joint, then = self._joint_of(link.solid), None if above is None else self._former._joints.get(above)
        return link.start == was.record.start and (
            (link.parent is None or self._is_exact(link.parent)) and _turns_alike(joint, then)
        )

    def _joint_of(self, solid: NodeId) -> Joint | None:
        joints = self._built.reading.kinematic
        return next((each.record for each in joints if each.record.child == solid), None)

    def _link(self, link: Link, begun: LinkState) -> LinkState:
        was = self._links.get(link.solid)
        if was is None or was.record.kind is not link.kind:
            return begun
        if link.kind is BodyKind.CARRIED and link.moves_by_itself:
            then = self._state.links[self._then.links.index(link.solid)]
            return begun._replace(in_parent_now=then.in_parent_now, motions=then.motions)
        if link.kind is not BodyKind.FIXED or not was.was_moved:
            return begun
        pose, linear, angular, *_ = was.motion
        return begun._replace(pose=pose, linear=linear, angular=angular)

    def _mover(self) -> MoverState:
        """Return the state of links that are moved."""
        begun, was, then, now = self._begun.mover, self._state.mover, self._then.links, self._now.links
        row_of = {solid: row for row, solid in enumerate(now)}
        moved, moving = (tuple(row_of[then[row]] for row in each if then[row] in row_of) for each in was[1:3])
        new = [each for each in begun.coasting if now[each[0]] not in self._links]
        stay = [
            (row_of[then[row]], linear, angular)
            for row, linear, angular in was.coasting
            if then[row] in row_of and then[row] in self._links
        ]
        return begun._replace(
            moved=moved, moving=moving, is_busy=bool(moved or moving), coasting=(*stay, *new)
        )

    def _motors(self) -> Iterator[tuple[tuple[float, float, float], tuple[int, float, float]]]:
        then = dict(zip(self._then.motors, self._state.motors, strict=True))
        joints = {joint.record.id: joint.record for joint in self._built.reading.joints}
        for key, begun in zip(self._now.motors, self._begun.motors, strict=True):
            if key not in then:
                yield begun
                continue
            motor, (turns, last, driven) = then[key]
            if not _turns_alike(joints.get(key[0]), self._former._joints.get(key[0])):
                self._turned_otherwise[key] = turns
            yield motor, (turns, last, driven)

    def _driven(self) -> Iterator[tuple[Any, ...]]:
        then = dict(zip(self._then.driven, self._state.driven, strict=True))
        for key, begun in zip(self._now.driven, self._begun.driven, strict=True):
            yield then.get(key, begun)

    def _touches(self) -> Iterator[TouchState]:
        solids = self._then.solids
        for each in self._state.touch:
            if solids[each.solid] in self._rows:
                contacts = [
                    (*contact[:4], self._rows[solids[contact[4]]])
                    for contact in each.contacts
                    if solids[contact[4]] in self._rows
                ]
                yield each._replace(solid=self._rows[solids[each.solid]], contacts=tuple(contacts))

    def _bonds(self) -> Iterator[BondState]:
        """Iterate over the bonds whose solids exist and are not fixed to each other now."""
        owners = self._built.reading.owners
        for (number, rows, places), force in self._state.bonds:
            solids = [self._then.solids[row] for row in rows]
            if any(solid not in owners for solid in solids):
                continue
            first, second = links = [owners[solid] for solid in solids]
            if can_join(first, second):
                parts = [link.dynamic_ancestor() or link for link in links]
                kept = places if self._exact.issuperset(parts) else ()
                made = BondRecord(number, (self._rows[solids[0]], self._rows[solids[1]]), kept)
                yield BondState(made, force)

    def _order(self) -> Iterator[tuple[int, ...]]:
        """New shapes are first in a space, as in ODE; former ones follow in their order."""
        ranks = {
            name: {self._then.members[number]: rank for rank, number in enumerate(numbers)}
            for name, numbers in zip(self._then.spaces, self._state.order, strict=True)
        }
        for name, numbers in zip(self._now.spaces, self._begun.order, strict=True):
            known = ranks.get(name, {})
            yield tuple(sorted(numbers, key=lambda number: known.get(self._now.members[number], -1)))


def _names(built: BuiltWorld, state: PhysicsState) -> _Names:
    shapes: dict[Any, Hashable] = {
        shape.geom: (link.solid, number)
        for link in built.reading.links
        for number, shape in enumerate(link.shapes)
    }
    members: list[Hashable] = [shapes[geom] for geom in built.ode_objects.geoms]
    spaces: list[Hashable] = ["still", "moving"]
    spaces += [("space", members[min(numbers)]) for numbers in state.order[2:]]
    rows, axes = RowNumbers(built), built.reading.axes
    return _Names(
        [link.solid for link in rows.links],
        rows.solids,
        [key for key, axis in axes.items() if not isinstance(axis, KinematicAxis)],
        [key for key, axis in axes.items() if isinstance(axis, KinematicAxis)],
        [*members, *spaces],
        spaces,
    )


def _motion(link: Link, body: NDArray[np.float64] | None) -> BodyMotion:
    """Return the motion of a link."""
    pose = link.world_pose()
    if link.kind is BodyKind.FIXED:
        linear, angular = link.linear, link.angular
    else:
        linear, angular = link.velocity_at(pose.position)
    force, torque = forces_in(body.tolist()) if body is not None else (ZERO, ZERO)
    return BodyMotion(pose, linear, angular, force, torque)


def _turned(motion: BodyMotion, world: Turn, own: Turn) -> BodyMotion:
    pose, *vectors = motion
    return BodyMotion(turned_pose(world, pose, own), *(turned(world, each) for each in vectors))


def _turns_alike(joint: Joint | None, then: Joint | None) -> bool:
    """Return whether the positions of two joints have the same reference poses of their bodies."""
    if joint is None or then is None:
        return joint is then
    return _reference(joint) == _reference(then)


def _reference(joint: Joint) -> tuple[Any, ...]:
    return joint.kind, joint.frame, joint.anchor, joint.axes, [spec.position for spec in joint.specs]
