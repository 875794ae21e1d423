"""Limits of distance: shapes and joints that are too far from the centre of mass for 64-bit numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sim_core.base.errors import SceneError
from sim_core.base.geometry import norm, subtract
from sim_core.base.ids import NodeId
from sim_core.model.dynamics.bodies import BodyTree
from sim_core.model.dynamics.colliders import Collider
from sim_core.model.dynamics.joints import Joint
from sim_core.model.mass import MassProperties

LEVER = 1e7
"""Largest distance of a joint from the centre of mass of a body, in radii of gyration. The joint acts on the
body with its square: from about 1e8 on, 1 + 1e16 loses the first term in 64-bit numbers, and ODE, dividing by
the difference, ends the process."""


def remove_far_colliders(
    tree: BodyTree, colliders: dict[NodeId, list[Collider]], masses: Mapping[NodeId, MassProperties]
) -> Iterator[SceneError]:
    """Remove shapes at such a distance that ODE cannot compute their contacts; return an error for each."""
    for id_, body in tree.bodies.items():
        mover = tree.dynamic_body_of(id_)
        if mover is None:
            continue
        mass = masses[mover.solid]
        most, place = LEVER * mass.least_gyration, mover.start.inverse() * body.start
        levers = [norm(subtract(place.apply(each.pose.position), mass.centre)) for each in colliders[id_]]
        for each, lever in zip(colliders[id_], levers, strict=True):
            if not lever <= most:
                where = f"{lever:g} m away from the centre of mass of {mover.label.path}"
                found, expected = (
                    f"a shape of {body.label.path} {where}",
                    f"at most {most:g} m, with its mass",
                )
                yield SceneError(*tree.solids[each.solid].source, found, f"{expected} and inertia")
        colliders[id_] = [each for each, lever in zip(colliders[id_], levers, strict=True) if lever <= most]


def far_joint_errors(
    joints: Sequence[Joint], tree: BodyTree, masses: Mapping[NodeId, MassProperties]
) -> Iterator[SceneError]:
    """Return errors for joints so far from a body that 64-bit numbers lose its rotation."""
    for joint in joints:
        if not joint.is_dynamic:
            continue
        frame = tree.bodies[joint.parent].start * joint.frame if joint.parent is not None else joint.frame
        point = frame.apply(joint.anchor)
        if joint.slides and joint.child is not None:
            point = tree.bodies[joint.child].start.position
        for body in filter(None, (tree.dynamic_body_of(joint.parent), tree.dynamic_body_of(joint.child))):
            mass = masses[body.solid]
            lever = norm(subtract(body.start.inverse().apply(point), mass.centre))
            if lever > (most := LEVER * mass.least_gyration):
                found = f"{joint.label.path} {lever:g} m away from the centre of mass of {body.label.path}"
                yield SceneError(*joint.label.source, found, f"at most {most:g} m, with its mass and inertia")
                break
