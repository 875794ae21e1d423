"""Parse the simulation's descriptions of nodes (see `ros_bridge/control/fields/node_outline.py`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

ROOT = "root"


@dataclass(frozen=True)
class FieldText:
    """A field and its value as it stands in a world file; a string without quotation marks."""

    name: str
    type: str
    text: str
    allowed: tuple[Any, ...] = ()
    is_set: bool = False
    is_cut: bool = False
    """Whether the value is longer than the text."""
    default: str | None = None
    """Default value; None: the field has it."""


@dataclass(frozen=True)
class Ancestor:
    """An ancestor of a node."""

    name: str
    title: str
    is_solid: bool = False


@dataclass(frozen=True)
class ViewpointOutline:
    """The Viewpoint of a world.

    Attributes:
        pose: as `NodeOutline.pose`; the camera looks along x, z is up.
        field_of_view: rad, of the longer side of the picture.
    """

    pose: tuple[float, ...]
    field_of_view: float


@dataclass(frozen=True)
class NodeOutline:
    """A node with its fields.

    Attributes:
        name: such as `#17`.
        pose: x, y, z, and a quaternion x, y, z, w, in the world; None: it cannot be dragged.
        changes: incremented whenever the tree may have changed.
        file: of the world, in the outline of the whole scene.
        viewpoint: of the scene, if it has one.
    """

    name: str
    title: str
    type: str = ""
    def_name: str = ""
    proto: str = ""
    is_solid: bool = False
    above: tuple[Ancestor, ...] = ()
    fields: tuple[FieldText, ...] = ()
    pose: tuple[float, ...] | None = None
    changes: int = 0
    file: str = ""
    viewpoint: ViewpointOutline | None = None


@dataclass(frozen=True)
class Child:
    """A child node."""

    field: str
    name: str
    title: str
    count: int


@dataclass(frozen=True)
class ChildNodes:
    """The children of a node, and its fields that can hold nodes, each with whether it can hold several."""

    nodes: tuple[Child, ...] = ()
    fields: tuple[tuple[str, bool], ...] = ()


def read_outline(text: str) -> NodeOutline:
    """Parse the parameter `NODE.outline`."""
    data = json.loads(text)
    view = data.get("viewpoint")
    fields = tuple(
        FieldText(
            each["name"],
            each["type"],
            each["text"],
            tuple(each.get("allowed", ())),
            each.get("set", False),
            each.get("short", False),
            each.get("default"),
        )
        for each in data["fields"]
    )
    return NodeOutline(
        data["name"],
        data["title"],
        data["type"],
        data["def"],
        data["proto"],
        data.get("solid", False),
        tuple(Ancestor(each["name"], each["title"], each["solid"]) for each in data["above"]),
        fields,
        tuple(data["pose"]) if data["pose"] else None,
        data["changes"],
        data.get("file", ""),
        ViewpointOutline(tuple(view["pose"]), view["field_of_view"]) if view else None,
    )


def read_children(text: str) -> ChildNodes:
    """Parse the parameter `NODE.nodes`."""
    data = json.loads(text)
    return ChildNodes(
        tuple(Child(each["field"], each["name"], each["title"], each["count"]) for each in data["nodes"]),
        tuple((each["name"], each["list"]) for each in data["fields"]),
    )
