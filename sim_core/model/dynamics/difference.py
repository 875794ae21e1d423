"""What of a world is another after its scene was edited: two compiled models, compared record by record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sim_core.base.ids import NodeId
from sim_core.base.turns import Turn
from sim_core.model.dynamics.model import DynamicsModel, Part


class Turns(NamedTuple):
    """What takes axes of before to those of now: of the world, and of solids in their own frames."""

    world: Turn
    own: Mapping[NodeId, Turn]


class Change(NamedTuple):
    """From one model to another.

    Attributes:
        model: the other one.
        parts: those that are there before and after, and are others: as they were, and are.
        resized: bodies that have other shapes or another weight, and all else as before.
        added: parts that stand behind all others; removed: those that are no longer there.
        rebuilds: anything else: a joint, the order of bodies, what concerns all of the world.
        touched: solids that are others than before, or hang on other joints; None: all may be.
        turns: None: all axes are as before.
    """

    model: DynamicsModel
    parts: tuple[tuple[Part, Part], ...]
    resized: frozenset[NodeId]
    added: tuple[Part, ...]
    removed: tuple[Part, ...]
    rebuilds: bool
    touched: frozenset[NodeId] | None
    turns: Turns | None = None

    @property
    def is_felt(self) -> bool:
        """Whether bodies, joints or contacts are others."""
        return bool(self.resized or self.added or self.removed or self.rebuilds)


def difference(former: DynamicsModel, model: DynamicsModel) -> Change:
    """What leads from one model of a scene to the next."""
    if former is model:
        return Change(model, (), frozenset(), (), (), False, frozenset())
    then = {part.root: part for part in former.parts}
    now = {part.root for part in model.parts}
    added = tuple(part for part in model.parts if part.root not in then)
    removed = tuple(part for part in former.parts if part.root not in now)
    stay = [part for part in model.parts if part.root in then]
    in_order = [part.root for part in stay] == [part.root for part in former.parts if part.root in now]
    changed = [(then[part.root], part) for part in stay if then[part.root] is not part]
    resized = frozenset(id_ for pair in changed for id_ in _resized(*pair))
    is_everywhere = (
        former.world != model.world
        or any(part.fluids for part in (*added, *removed))
        or any(a.fluids != b.fluids for a, b in changed)
    )
    touched = {solid for pair in changed for solid in _touched(*pair)}
    touched.update(solid for part in added for solid in _solids(part))
    return Change(
        model,
        tuple(changed),
        resized,
        added,
        removed,
        former.world != model.world
        or not (in_order and model.parts[len(stay) :] == added)
        or not all(_stands_alike(*pair) for pair in changed),
        None if is_everywhere else frozenset(touched),
    )


def _stands_alike(then: Part, now: Part) -> bool:
    """Whether a part has the same bodies on the same joints, driven alike."""
    return (
        list(then.bodies.items()) == list(now.bodies.items())
        and then.joints == now.joints
        and then.velocities == now.velocities
        and then.fluids == now.fluids
        and then.immersions == now.immersions
        and then.tracks == now.tracks
        and then.propellers == now.propellers
        and list(map(len, then.colliders.values())) == list(map(len, now.colliders.values()))
    )


def _resized(then: Part, now: Part) -> Iterator[NodeId]:
    for id_ in now.bodies:
        if id_ in then.bodies and (
            then.colliders[id_] != now.colliders[id_] or then.weights.get(id_) != now.weights.get(id_)
        ):
            yield id_


def _touched(then: Part, now: Part) -> Iterator[NodeId]:
    """The solids of the bodies that are others, and of those on other joints."""
    joints = {joint.id: joint for joint in then.joints}
    others = {
        end
        for joint in now.joints
        if joints.get(joint.id) != joint
        for end in (joint.parent, joint.child)
        if end is not None
    }
    others.update(_resized(then, now))
    for id_, body in now.bodies.items():
        if id_ in others or then.bodies.get(id_) != body or _drive(then, id_) != _drive(now, id_):
            yield from (solid for solid, _ in body.solids)


def _drive(part: Part, body: NodeId) -> object:
    """What moves a body, beside joints."""
    return part.velocities.get(body), part.immersions.get(body), part.tracks.get(body)


def _solids(part: Part) -> Iterator[NodeId]:
    return (solid for body in part.bodies.values() for solid, _ in body.solids)
