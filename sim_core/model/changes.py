"""Edits of the scene, classified by aspect, so that readers of the scene update only what depends on it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from sim_core.base.ids import NodeId
from sim_core.scene.node import Node
from sim_core.scene.node_types import node_type


class Aspect(Enum):
    """What an edit changes."""

    STRUCTURE = "which nodes exist and how they are connected, and all that has no aspect of its own"
    POSE = "the pose of a solid that is not dynamic, without a change of its fields"
    SIZE = "a geometry"
    MASS = "the mass or damping of a solid"
    LOOKS = "the appearance of a surface or of the surroundings"
    LIGHT = "a light"
    DEVICE = "a parameter of a device, or of a part of it"
    NOTE = "a field without derived data: it is read when needed"


class Edit(NamedTuple):
    """Change of a field of a node, or of a node as a whole.

    Attributes:
        node: None: any node.
        field: "": the node as a whole.
    """

    node: Node | None
    field: str
    aspect: Aspect

    @property
    def root(self) -> Node:
        """Root node of the tree that contains the node; also of a tree that has been removed."""
        assert self.node is not None
        *_, root = self.node, *self.node.ancestors()
        return root

    @property
    def solids(self) -> list[NodeId]:
        """Return the solids in the node, including itself."""
        return [each.id for each in self.node.walk() if each.is_a("Solid")] if self.node is not None else []

    @property
    def geometry(self) -> NodeId | None:
        """The geometry whose size or appearance has changed; None: no geometry."""
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
        """Return whether an edit has one of these aspects."""
        return any(edit.aspect in aspects for edit in self)

    def contain_field(self, field: str) -> bool:
        """Return whether an edit is of a field of this name."""
        return any(edit.field == field for edit in self)


ALL = Edits([Edit(None, "", Aspect.STRUCTURE)])
"""Any part of the scene may have changed."""

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
    """Return the edits for changed fields of nodes; an empty field name: the node as a whole."""
    return Edits(Edit(node, field, aspect_of(node, field)) for node, field in changed)


def aspect_of(node: Node, field: str) -> Aspect:
    """Return the aspect that a change of a field affects."""
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
    """Return whether a field is specific to devices and not one of every Solid."""
    solid = node_type("Solid")
    return not device.is_a("Solid") or solid is None or field not in solid.fields


def can_collide(node: Node) -> bool:
    """Return whether a node is part of a bounding object."""
    for each in (node, *node.ancestors()):
        if each.parent_field == "boundingObject":
            return True
        if each.is_a("Solid"):
            return False
    return False
