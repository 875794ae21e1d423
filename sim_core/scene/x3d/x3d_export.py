"""Export of scenes as items of X3D and VRML97: shapes at the start of the simulation, lights and views.

These formats have no robots, joints and sensors: their shapes become scenery. One Transform around
all nodes makes y the upward axis; `x3d_loader.py` reads them at the same poses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim_core.base.errors import SceneError
from sim_core.base.geometry import (
    Mat3,
    axis_angle_from_rotation,
    rotate,
)
from sim_core.base.turns import MATRICES, inverse
from sim_core.scene.axes import BACK_TO_FORWARD, RUB_TO_FLU, rotation_field
from sim_core.scene.node import NO_SOURCE, Node
from sim_core.scene.scene import Scene
from sim_core.scene.wbt.lexer import quoted
from sim_core.scene.wbt.writer import value_text
from sim_core.scene.x3d.scenery_item import Item
from sim_core.scene.x3d.x3d_shapes import FIELDS, POINTS

TO_Y_UP: Mat3 = MATRICES[inverse(BACK_TO_FORWARD)]
TO_Z_UP = (1.0, 0.0, 0.0, 1.5707963267948966)
"""Rotation from the y axis of these formats to our z axis."""


def scene_items(scene: Scene) -> tuple[list[Item], list[SceneError]]:
    """Return the items at the root of a file, and warnings about parts of the scene that are left out."""
    export = Export()
    info = scene.world_info
    roots = [new_item("WorldInfo", title=quoted(info["title"]), info=text_of(info["info"]))]
    world = new_item("Transform", rotation=text_of(axis_angle_from_rotation(TO_Y_UP)))
    for node in scene.nodes:
        if node.type_name == "Viewpoint":
            roots.append(_viewpoint(node))
        elif node.type_name == "Background":
            roots.append(new_item("Background", skyColor=text_of(node["skyColor"])))
        elif node.type_name == "Fog":
            roots.append(
                new_item(
                    "Fog",
                    color=text_of(node["color"]),
                    visibilityRange=text_of(node["visibilityRange"]),
                    fogType=quoted(node["fogType"]),
                )
            )
        else:
            world.children += [("", item) for item in export.nodes([node])]
    return [*roots, world], list(export.warnings.values())


class Export:
    """Converts nodes to items.

    Attributes:
        warnings: warnings about parts that are left out, by text.
    """

    def __init__(self) -> None:
        self.warnings: dict[str, SceneError] = {}

    def nodes(self, nodes: list[Node]) -> list[Item]:
        """Return the items of some nodes, which may be fewer."""
        return [item for node in nodes for item in self.items_of(node)]

    def items_of(self, node: Node) -> list[Item]:
        """Return the items of a node: none, one, or for a few nodes several."""
        if node.is_a("Pose"):
            fields = {name: text_of(node[name]) for name in ("translation", "rotation") if node.is_set(name)}
            if node.has_field("scale") and node.is_set("scale"):
                fields["scale"] = text_of(node["scale"])
            return self.group("Transform", node, fields)
        if node.is_a("Joint") or node.type_name == "Slot":
            return self.nodes([node["endPoint"]]) if node["endPoint"] is not None else []
        if node.is_a("Light"):
            return [item_of(node)]
        if node.type_name == "Shape":
            return self.shape(node)
        if node.is_a("Group"):
            return self.group("Group", node, {})
        if node.type_name in ("CadShape", "Skin"):
            self.left_out(node)
        return []

    def group(self, name: str, node: Node, fields: dict[str, str]) -> list[Item]:
        """Return a group of the children of a node; none if it is empty."""
        children = self.nodes(node["children"])
        if not children:
            return []
        item = new_item(name, **fields)
        item.def_name = node.def_name
        item.children = [("", child) for child in children]
        return [item]

    def left_out(self, node: Node) -> None:
        """Add a warning, once for each type."""
        found = f"{node.type_name} has no form in X3D and is left out"
        self.warnings.setdefault(found, SceneError(*node.source, found))

    def shape(self, shape: Node) -> list[Item]:
        """Return a Shape, or several that replace one."""
        geometry = shape["geometry"]
        if geometry is None:
            return []
        make: Callable[[Node], tuple[dict[str, str], list[Item]]] | None = _GEOMETRIES.get(geometry.type_name)
        if make is None:
            self.left_out(geometry)
            return []
        frame, geometries = make(geometry)
        found = []
        for each in geometries:
            local = {key: each.fields.pop(key) for key in ("translation",) if key in each.fields}
            item = new_item("Shape")
            if shape["appearance"] is not None:
                item.children.append(("", _appearance(shape["appearance"])))
            item.children.append(("", each))
            found.append(_within(item, local))
        if not frame:
            return found
        outer = new_item("Transform", **frame)
        outer.children = [("", each) for each in found]
        return [outer]


def _within(item: Item, frame: dict[str, str]) -> Item:
    if not frame:
        return item
    outer = new_item("Transform", **frame)
    outer.children.append(("", item))
    return outer


def plain(node: Node) -> tuple[dict[str, str], list[Item]]:
    """Return the fields and children of a geometry whose fields have the same meaning."""
    item = item_of(node)
    for name in POINTS.values():
        if node.has_field(name) and node[name] is not None:
            item.children.append(("", item_of(node[name])))
    return {}, [item]


def _rotated(node: Node) -> tuple[dict[str, str], list[Item]]:
    return {"rotation": text_of(TO_Z_UP)}, [item_of(node)]


def _capsule(node: Node) -> tuple[dict[str, str], list[Item]]:
    """Return a tube and two balls."""
    radius, half = node["radius"], node["height"] / 2.0
    tube = new_item(
        "Cylinder", radius=text_of(radius), height=text_of(2.0 * half), top="FALSE", bottom="FALSE"
    )
    balls = [
        new_item("Sphere", radius=text_of(radius), translation=text_of((0.0, y, 0.0)))
        for y, name in ((half, "top"), (-half, "bottom")) if node[name]
    ]  # fmt: skip
    return {"rotation": text_of(TO_Z_UP)}, [*([tube] if node["side"] and half else []), *balls]


def _plane(node: Node) -> tuple[dict[str, str], list[Item]]:
    x, y = node["size"][0] / 2.0, node["size"][1] / 2.0
    item = new_item("IndexedFaceSet", coordIndex="0 1 2 3 -1", texCoordIndex="0 1 2 3 -1")
    corners = [(-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0)]
    item.children.append(("", new_item("Coordinate", point=text_of(corners))))
    item.children.append(("", new_item("TextureCoordinate", point="0 0 1 0 1 1 0 1")))
    return {}, [item]


def _grid(node: Node) -> tuple[dict[str, str], list[Item]]:
    """Convert a grid: rows are along y here, and along z, which is -y, in these formats."""
    columns, rows, spacing = node["xDimension"], node["yDimension"], node["ySpacing"]
    count = columns * rows
    heights = (list(node["height"][:count]) + [0.0] * count)[:count]
    turned_rows = [heights[start : start + columns] for start in range(0, count, columns or 1)][::-1]
    item = new_item(
        "ElevationGrid",
        xDimension=str(columns),
        zDimension=str(rows),
        xSpacing=text_of(node["xSpacing"]),
        zSpacing=text_of(spacing),
        height=text_of([value for row in turned_rows for value in row]),
    )
    return {"rotation": text_of(TO_Z_UP), "translation": text_of((0.0, (rows - 1) * spacing, 0.0))}, [item]


_GEOMETRIES: dict[str, Callable[[Node], tuple[dict[str, str], list[Item]]]] = {
    "Box": plain, "Sphere": plain, "IndexedFaceSet": plain, "Cylinder": _rotated, "Cone": _rotated,
    "Capsule": _capsule, "Plane": _plane, "ElevationGrid": _grid,
}  # fmt: skip


def _appearance(node: Node) -> Item:
    item = new_item("Appearance")
    if node.type_name == "PBRAppearance":
        colour = {"diffuseColor": node["baseColor"], "emissiveColor": node["emissiveColor"]}
        fields = {name: text_of(value) for name, value in colour.items()}
        fields["transparency"] = text_of(node["transparency"])
        fields["shininess"] = text_of(1.0 - min(max(node["roughness"], 0.0), 1.0))
        item.children.append(("", new_item("Material", **fields)))
        texture = node["baseColorMap"]
    else:
        if node["material"] is not None:
            item.children.append(("", item_of(node["material"])))
        texture = node["texture"]
    for each in (texture, node["textureTransform"]):
        if each is not None:
            item.children.append(("", item_of(each)))
    return item


def _viewpoint(node: Node) -> Item:
    """Return the item of a Viewpoint at the root, without frame."""
    turn = rotation_field(inverse(BACK_TO_FORWARD), node["orientation"], inverse(RUB_TO_FLU))
    return new_item(
        "Viewpoint",
        position=text_of(rotate(TO_Y_UP, node["position"])),
        orientation=text_of(turn),
        fieldOfView=text_of(node["fieldOfView"]),
    )


def item_of(node: Node) -> Item:
    """Return the item of a node whose fields have the same meaning; unset fields have other defaults
    there."""
    fields = {}
    for name in FIELDS[node.type_name]:
        value = node[name]
        if node.is_set(name) or (isinstance(value, (float, tuple)) and not isinstance(value, bool)):
            fields[name] = text_of(value)
    return new_item(node.type_name, **fields)


def new_item(type_name: str, /, **fields: str) -> Item:
    """Return an item that is in no file."""
    return Item(type_name, NO_SOURCE, dict(fields))


def text_of(value: Any) -> str:
    """Return a value in the form of items."""
    return " ".join(map(value_text, value)) if isinstance(value, list) else value_text(value)
