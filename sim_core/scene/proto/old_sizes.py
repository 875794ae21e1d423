"""Sizes and points in files with y up for PROTO files of odesim, which have z up.

Such a file was made for the PROTO of that name of its time: its `size 0.8 2.4 0.2` is along its
x axis, upwards, and along its z axis. The frame of the instance is rotated (see `axes.py`), and so are its
sizes. The fields of the instance keep the values of the file.
"""

from __future__ import annotations

from typing import Any

from sim_core.base.geometry import Vec3
from sim_core.scene.axes import FIRST_FLU_VERSION, stands_on_y
from sim_core.scene.node import Node
from sim_core.scene.proto.proto_file import ProtoDefinition
from sim_core.scene.wbt.header import Header

_BOXES = ("size", "frameSize", "palletSize", "scale")
"""Lengths along x, y and z, or factors of these: SFVec3f."""
_ON_FLOOR = ("floorSize", "floorTileSize", "tileSize", "feetSize", "feetPlacement")
"""Lengths along the two horizontal axes: SFVec2f."""
_POINTS = ("wayPoints", "corners", "shape", "path")
"""Points along a road or round a building: MFVec3f, MFVec2f."""


def old_sizes(node: Node, definition: ProtoDefinition, referrer: Header, up: Vec3) -> frozenset[str]:
    """Return the parameters of an instance that are lengths along the axes of an old file.

    Args:
        node: the instance, not yet expanded.
        definition: its PROTO.
        referrer: header of the file that contains the instance.
        up: unit vector upwards in the axes of the world.
    """
    if not _is_shipped_in_old(node, definition, referrer, up):
        return frozenset()
    on_floor = (*_ON_FLOOR, "size") if definition.name == "Floor" else _ON_FLOOR
    return frozenset(
        name
        for name, field in definition.fields.items()
        if (field.type == "SFVec3f" and name in _BOXES)
        or (field.type == "SFVec2f" and name in on_floor)
        or (field.type in ("MFVec3f", "MFVec2f") and name in _POINTS)
    )


def set_default_height(node: Node, definition: ProtoDefinition, referrer: Header, up: Vec3) -> None:
    """Set the height of an instance without `translation`, in an old file, from the default of its PROTO.

    The arguments are those of `old_sizes`.
    """
    field = definition.fields.get("translation")
    if field is None or "translation" in node.fields or field.type != "SFVec3f":
        return
    x, y, height = field.default
    if x == y == 0.0 != height and _is_shipped_in_old(node, definition, referrer, up):
        node.fields["translation"] = tuple(height * each for each in up)


def _is_shipped_in_old(node: Node, definition: ProtoDefinition, referrer: Header, up: Vec3) -> bool:
    """Return whether a PROTO of odesim is used in a file with y up."""
    return referrer.is_before(FIRST_FLU_VERSION) and definition.is_shipped and stands_on_y(node, up)


def with_current_sizes(node: Node, sizes: frozenset[str]) -> Node:
    """Return an instance whose own sizes are along the current axes, for its expansion."""
    given = {name: _current_size(node.fields[name]) for name in sizes if name in node.fields}
    if not given:
        return node
    shown = Node(node.node_type, node.source, node.def_name)
    shown.fields = {**node.fields, **given}
    return shown


def _current_size(size: Any) -> Any:
    """Convert x, y upwards, z to forward, left, upwards; x, z to forward, left; for each of several
    points."""
    if isinstance(size, list):
        return [_current_size(each) for each in size]
    return (size[-1], size[0], *size[1:-1])
