"""Difference between two compiled models of a scene, record by record, before and after an edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sim_core.base.ids import NodeId
from sim_core.base.turns import Turn
from sim_core.model.dynamics.model import DynamicsModel, ModelPart


class AxisTurns(NamedTuple):
    """Rotations from former to present axes: of the world, and of solids in their own frames."""

    world: Turn
    own: Mapping[NodeId, Turn]


class ModelChange(NamedTuple):
    """Difference between two models.

    Attributes:
        model: the new one.
        parts: changed parts that are in both models: former and new.
        resized: bodies with changed shapes or masses and no other change.
        added: parts behind all others; removed: parts that no longer exist.
        rebuilds: True for any other change: a joint, the order of bodies, settings of the whole world.
        touched: solids that have changed, or have other joints; None: any may have.
        turns: None: all axes are unchanged.
    """

    model: DynamicsModel
    parts: tuple[tuple[ModelPart, ModelPart], ...]
    resized: frozenset[NodeId]
    added: tuple[ModelPart, ...]
    removed: tuple[ModelPart, ...]
    rebuilds: bool
    touched: frozenset[NodeId] | None
    turns: AxisTurns | None = None

    @property
    def affects_engine(self) -> bool:
        """True if bodies, joints or contacts have changed."""
        return bool(self.resized or self.added or self.removed or self.rebuilds)


def difference(former: DynamicsModel, model: DynamicsModel) -> ModelChange:
    """Return the change from one model of a scene to the next."""
    if former is model:
        return ModelChange(model, (), frozenset(), (), (), False, frozenset())
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
    return ModelChange(
        model,
        tuple(changed),
        resized,
        added,
        removed,
        former.world != model.world
        or not (in_order and model.parts[len(stay) :] == added)
        or not all(_has_same_structure(*pair) for pair in changed),
        None if is_everywhere else frozenset(touched),
    )


def _has_same_structure(then: ModelPart, now: ModelPart) -> bool:
    """Return whether a part has the same bodies with the same joints and drives."""
    return (
        list(then.bodies.items()) == list(now.bodies.items())
        and then.joints == now.joints
        and then.velocities == now.velocities
        and then.fluids == now.fluids
        and then.immersions == now.immersions
        and then.tracks == now.tracks
        and then.propellers == now.propellers
        and then.flows == now.flows
        and list(map(len, then.colliders.values())) == list(map(len, now.colliders.values()))
    )


def _resized(then: ModelPart, now: ModelPart) -> Iterator[NodeId]:
    for id_ in now.bodies:
        if id_ in then.bodies and (
            then.colliders[id_] != now.colliders[id_] or then.weights.get(id_) != now.weights.get(id_)
        ):
            yield id_


def _touched(then: ModelPart, now: ModelPart) -> Iterator[NodeId]:
    """Iterate over the solids of bodies that have changed or have other joints."""
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


def _drive(part: ModelPart, body: NodeId) -> object:
    """Return what moves a body besides joints."""
    return part.velocities.get(body), part.immersions.get(body), part.tracks.get(body)


def _solids(part: ModelPart) -> Iterator[NodeId]:
    return (solid for body in part.bodies.values() for solid, _ in body.solids)
