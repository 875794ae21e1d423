"""What an edit of the scene changes, by aspect: who builds on the scene takes from it what he reads."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from sim_core.base.ids import NodeId
from sim_core.scene.node import Node
from sim_core.scene.node_types import node_type


class Aspect(Enum):
    """What of the world is another after an edit."""

    STRUCTURE = "which nodes there are, what hangs on what, and all that has no aspect of its own"
    POSE = "where a solid stands that forces do not move; its fields are as before"
    SIZE = "a geometry"
    MASS = "what a solid weighs, and how it is damped"
    LOOKS = "how a surface, or all around, looks"
    LIGHT = "a light"
    DEVICE = "a parameter of a device, or of a part of it"
    NOTE = "what nobody builds on: it is read whenever it is asked for"


class Edit(NamedTuple):
    """A field of a node that has another value, or a node that is another.

    Attributes:
        node: None: any node.
        field: empty: the node as a whole.
    """

    node: Node | None
    field: str
    aspect: Aspect

    @property
    def root(self) -> Node:
        """The node at the root of the scene that holds the node, or is it; that of a tree that has gone."""
        assert self.node is not None
        *_, root = self.node, *self.node.ancestors()
        return root

    @property
    def solids(self) -> list[NodeId]:
        """The solids in the node, it among them."""
        return [each.id for each in self.node.walk() if each.is_a("Solid")] if self.node is not None else []

    @property
    def geometry(self) -> NodeId | None:
        """The geometry whose size, or whose looks, are others; None: of none."""
        for node in (self.node, *self.node.ancestors()) if self.node is not None else ():
            if node.is_a("Geometry"):
                return node.id
            if node.type_name == "Shape":
                return node["geometry"].id if node["geometry"] is not None else None
        return None


class Edits(tuple[Edit, ...]):
    """Edits that were made together."""

    __slots__ = ()

    def touch(self, *aspects: Aspect) -> bool:
        """Whether one of them is of one of these aspects."""
        return any(edit.aspect in aspects for edit in self)

    def set(self, field: str) -> bool:
        """Whether one of them is of a field of this name."""
        return any(edit.field == field for edit in self)


ALL = Edits([Edit(None, "", Aspect.STRUCTURE)])
"""Everything may be another."""

_LOOKS = frozenset((
    "Appearance", "PBRAppearance", "Material", "ImageTexture", "TextureTransform", "TextureCoordinate",
    "Normal", "Color", "Background", "Fog", "Viewpoint", "Cubemap", "Shape",
))  # fmt: skip
PARTS_OF_DEVICES = frozenset(("Lens", "LensFlare", "Focus", "Zoom", "Recognition"))
_WEIGHT = frozenset(("Physics", "Damping"))
_NOTES = {
    "WorldInfo": ("title", "info", "window", "FPS", "lineScale", "dragForceScale", "dragTorqueScale"),
    "Robot": (
        "customData", "controllerArgs", "supervisor", "window", "showWindow", "remoteControl",
    ),
    "Solid": ("model", "description", "author", "constructor", "locked", "recognitionColors",
              "radarCrossSection", "translationStep", "rotationStep", "name"),
}  # fmt: skip


def edits(changed: Iterable[tuple[Node, str]]) -> Edits:
    """The edits that set fields of nodes; an empty field: the node is another as a whole."""
    return Edits(Edit(node, field, aspect_of(node, field)) for node, field in changed)


def aspect_of(node: Node, field: str) -> Aspect:
    """What a change of a field changes."""
    if not field:
        return Aspect.STRUCTURE
    if any(field in fields and node.is_a(kind) for kind, fields in _NOTES.items()):
        return Aspect.NOTE
    if node.is_a("Light"):
        return Aspect.LIGHT
    if node.type_name in PARTS_OF_DEVICES or (node.is_a("Device") and is_parameter(node, field)):
        return Aspect.DEVICE
    if node.type_name in _LOOKS and not node.node_type.fields[field].type.endswith("Node"):
        return Aspect.LOOKS
    if node.type_name in _WEIGHT:
        return Aspect.MASS
    if node.is_a("Geometry") or (node.parent is not None and node.parent.is_a("Geometry")):
        return Aspect.SIZE
    return Aspect.STRUCTURE


def is_parameter(device: Node, field: str) -> bool:
    """Whether a field makes a node a device, beside those of every Solid."""
    solid = node_type("Solid")
    return not device.is_a("Solid") or solid is None or field not in solid.fields


def can_collide(node: Node) -> bool:
    """Whether a node is part of a bounding object."""
    for each in (node, *node.ancestors()):
        if each.parent_field == "boundingObject":
            return True
        if each.is_a("Solid"):
            return False
    return False
