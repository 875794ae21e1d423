"""Sizes and weights that change while the world runs, in place, where nothing else depends on them."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.engines.ode.bodies import weight_of
from sim_core.engines.ode.built_world import BuiltWorld
from sim_core.engines.ode.contacts.surfaces import SurfaceKind, legacy_fields
from sim_core.engines.ode.links import Kind, Link
from sim_core.engines.ode.ode_binding import make_mass
from sim_core.engines.ode.shapes import Shape, check_shape, is_floor
from sim_core.model.changes import Aspect, Edit, Edits, can_collide
from sim_core.model.geometry import Box, Capsule, Cylinder, Sphere
from sim_core.model.physics import SolidPhysics
from sim_core.model.shapes import ShapeRecord, own_bounding_shapes
from sim_core.scene import Node

_FELT = (Aspect.STRUCTURE, Aspect.SIZE, Aspect.MASS)
"""What bodies, joints and contacts are made from."""
_PLAIN = (Box, Sphere, Cylinder, Capsule)
"""Geometries whose sizes ODE can change."""


class _Change(NamedTuple):
    """A link that has other sizes, or another weight (None: it has none)."""

    link: Link
    shapes: list[Shape]
    weight: SolidPhysics | None


def take_edits(built: BuiltWorld, edits: Edits) -> bool:
    """Change in place what edits of the scene have changed.

    Returns:
        Whether it could be done; if not, nothing has changed, and `rebuild` does it.

    Raises:
        SceneError: a value is not possible; nothing has changed.
    """
    changes: list[_Change] = []
    for edit in edits:
        if edit.aspect in _FELT and _is_felt(edit):
            change = _change_of(built, edit)
            if change is None:
                return False
            changes.append(change)
    for change in changes:
        _make_change(built, change)
    if changes:
        for link in built.bodies:
            link.body.enable()
    return True


def _is_felt(edit: Edit) -> bool:
    return edit.aspect is not Aspect.SIZE or edit.node is None or can_collide(edit.node)


def _change_of(built: BuiltWorld, edit: Edit) -> _Change | None:
    """What an edit makes of a link that hangs on nothing; None: it is no such link, or no such edit."""
    solid = edit.node and next((each for each in edit.node.ancestors() if each.is_a("Solid")), None)
    link = built.reading.tree.link_of(solid) if solid is not None else None
    is_weight = edit.aspect is Aspect.MASS and edit.field in ("mass", "density")
    if link is None or not (is_weight or edit.aspect is Aspect.SIZE) or not _is_alone(built, link):
        return None
    records: dict[Node | None, list[ShapeRecord]] = {
        solid: [each for each in own_bounding_shapes(solid) if check_shape(each)] for solid, _ in link.solids
    }
    shapes = [
        Shape(record, solid, pose * record.offset, link)
        for solid, pose in link.solids
        for record in records[solid]
    ]
    kinds = [(type(each.geometry), each.pose) for each in shapes]
    if kinds != [(type(each.geometry), each.pose) for each in link.shapes] or any(map(is_floor, shapes)):
        return None
    weight = None
    if link.kind is Kind.DYNAMIC:
        weight = weight_of(link, records, built.info["defaultDamping"], [])
        if weight.mass.centre != link.centre:
            return None
    return _Change(link, shapes, weight)


def _is_alone(built: BuiltWorld, link: Link) -> bool:
    """Whether a link hangs on nothing and carries nothing, so that only its contacts know its size."""
    return (
        link.kind is not Kind.CARRIED
        and link.parent is None
        and link.joint is None
        and not (link.children or link.moves or built.fluids or link.top.is_a("Robot"))
        and all(
            isinstance(shape.geometry, _PLAIN) and shape.belt is None and not is_floor(shape)
            for shape in link.shapes
        )
    )


def _make_change(built: BuiltWorld, change: _Change) -> None:
    link, weight = change.link, change.weight
    mass = 0.0
    if weight is not None:
        built.reading.plan.physics[link] = weight
        link.mass = mass = weight.mass.mass
        link.body.setMass(make_mass(mass, weight.mass.inertia))
    for shape, new in zip(link.shapes, change.shapes, strict=True):
        shape.resize(new)
        legacy = legacy_fields(shape.solid["physics"])
        shape.surface = built.contacts.surfaces.index(SurfaceKind(shape.material, mass, legacy))
    built.contacts.changed(link.shapes)
