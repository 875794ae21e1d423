"""Scenes to X3D and VRML97: what is seen of them, as it stands at the start, and lights and views.

Robots, joints and sensors have no words in these formats: their shapes become scenery. One Transform around
all makes y the axis that is up; what `x3d.py` reads from the file again is where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import quoteattr

from sim_core.base.errors import SceneError
from sim_core.base.geometry import (
    Mat3,
    axis_angle_from_rotation,
    rotate,
)
from sim_core.base.turns import MATRICES, back
from sim_core.scene.axes import BACK_TO_FORWARD, RUB_TO_FLU, rotation_field
from sim_core.scene.node import NOWHERE, Node
from sim_core.scene.scene import Scene
from sim_core.scene.wbt.lexer import quoted
from sim_core.scene.x3d.scenery_item import Item

TO_Y_UP: Mat3 = MATRICES[back(BACK_TO_FORWARD)]
LIE = (1.0, 0.0, 0.0, 1.5707963267948966)
"""The rotation that makes y of the formats z of ours."""
_KEPT = {
    "Box": ("size",),
    "Sphere": ("radius",),
    "Cylinder": ("height", "radius", "bottom", "side", "top"),
    "Cone": ("height", "bottomRadius", "side", "bottom"),
    "Material": (
        *("ambientIntensity", "diffuseColor", "emissiveColor", "shininess", "specularColor", "transparency"),
    ),
    "ImageTexture": ("url", "repeatS", "repeatT"),
    "TextureTransform": ("center", "rotation", "scale", "translation"),
    "DirectionalLight": ("ambientIntensity", "color", "intensity", "on", "direction"),
    "PointLight": ("ambientIntensity", "color", "intensity", "on", "location", "attenuation", "radius"),
    "SpotLight": (
        *("ambientIntensity", "color", "intensity", "on", "location", "attenuation", "radius"),
        *("direction", "beamWidth", "cutOffAngle"),
    ),
    "IndexedFaceSet": (
        *("ccw", "convex", "normalPerVertex", "coordIndex", "normalIndex", "texCoordIndex", "creaseAngle"),
    ),
    "Coordinate": ("point",),
    "TextureCoordinate": ("point",),
    "Normal": ("vector",),
}
"""Fields that mean the same in both."""
_HOLDERS = {
    "Appearance": "appearance", "Material": "material", "ImageTexture": "texture",
    "TextureTransform": "textureTransform", "Coordinate": "coord", "TextureCoordinate": "texCoord",
    "Normal": "normal", "Box": "geometry", "Sphere": "geometry", "Cylinder": "geometry", "Cone": "geometry",
    "ElevationGrid": "geometry", "IndexedFaceSet": "geometry",
}  # fmt: skip
"""The field that a node stands in, where it is not `children`."""
_LISTS = (
    "point",
    "vector",
    "coordIndex",
    "normalIndex",
    "texCoordIndex",
    "height[]",
    "url",
    "skyColor",
    "info",
)


def write_x3d(scene: Scene) -> tuple[str, list[SceneError]]:
    """An X3D file, and what of the scene is not in it."""
    roots, warnings = _items(scene)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<X3D profile="Interchange" version="3.3">',
        "  <Scene>",
    ]
    for item in roots:
        _write_xml(item, "    ", lines)
    return "\n".join([*lines, "  </Scene>", "</X3D>"]) + "\n", warnings


def write_vrml(scene: Scene) -> tuple[str, list[SceneError]]:
    """A VRML97 file, and what of the scene is not in it."""
    roots, warnings = _items(scene)
    lines = ["#VRML V2.0 utf8"]
    for item in roots:
        _write_vrml(item, "", "", lines)
    return "\n".join(lines) + "\n", warnings


def _items(scene: Scene) -> tuple[list[Item], list[SceneError]]:
    export = _Export()
    info = scene.world_info
    roots = [_item("WorldInfo", title=quoted(info["title"]), info=" ".join(map(quoted, info["info"])))]
    world = _item("Transform", rotation=_text(axis_angle_from_rotation(TO_Y_UP)))
    for node in scene.nodes:
        if node.type_name == "Viewpoint":
            roots.append(_viewpoint(node))
        elif node.type_name == "Background":
            roots.append(_item("Background", skyColor=_text(node["skyColor"])))
        elif node.type_name == "Fog":
            roots.append(
                _item(
                    "Fog",
                    color=_text(node["color"]),
                    visibilityRange=_text(node["visibilityRange"]),
                    fogType=quoted(node["fogType"]),
                )
            )
        else:
            world.children += [("", item) for item in export.nodes([node])]
    return [*roots, world], list(export.warnings.values())


class _Export:
    def __init__(self) -> None:
        self.warnings: dict[str, SceneError] = {}

    def nodes(self, nodes: list[Node]) -> list[Item]:
        return [item for node in nodes for item in self.node(node)]

    def node(self, node: Node) -> list[Item]:
        if node.is_a("Pose"):
            fields = {name: _text(node[name]) for name in ("translation", "rotation") if node.is_set(name)}
            if node.has_field("scale") and node.is_set("scale"):
                fields["scale"] = _text(node["scale"])
            return self.group("Transform", node, fields)
        if node.is_a("Joint") or node.type_name == "Slot":
            return self.nodes([node["endPoint"]]) if node["endPoint"] is not None else []
        if node.is_a("Light"):
            return [_kept(node)]
        if node.type_name == "Shape":
            return self.shape(node)
        if node.is_a("Group"):
            return self.group("Group", node, {})
        if node.type_name in ("CadShape", "Skin"):
            self.left_out(node)
        return []

    def group(self, name: str, node: Node, fields: dict[str, str]) -> list[Item]:
        children = self.nodes(node["children"])
        if not children:
            return []
        item = _item(name, **fields)
        item.def_name = node.def_name
        item.children = [("", child) for child in children]
        return [item]

    def left_out(self, node: Node) -> None:
        found = f"{node.type_name} has no form in X3D and is left out"
        self.warnings.setdefault(found, SceneError(*node.source, found))

    def shape(self, shape: Node) -> list[Item]:
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
            item = _item("Shape")
            if shape["appearance"] is not None:
                item.children.append(("", _appearance(shape["appearance"])))
            item.children.append(("", each))
            found.append(_within(item, local))
        if not frame:
            return found
        outer = _item("Transform", **frame)
        outer.children = [("", each) for each in found]
        return [outer]


def _within(item: Item, frame: dict[str, str]) -> Item:
    if not frame:
        return item
    outer = _item("Transform", **frame)
    outer.children.append(("", item))
    return outer


def _plain(node: Node) -> tuple[dict[str, str], list[Item]]:
    item = _kept(node)
    for name in ("coord", "texCoord", "normal"):
        if node.has_field(name) and node[name] is not None:
            item.children.append(("", _kept(node[name])))
    return {}, [item]


def _lying(node: Node) -> tuple[dict[str, str], list[Item]]:
    return {"rotation": _text(LIE)}, [_kept(node)]


def _capsule(node: Node) -> tuple[dict[str, str], list[Item]]:
    """A tube and two balls."""
    radius, half = node["radius"], node["height"] / 2.0
    tube = _item("Cylinder", radius=_text(radius), height=_text(2.0 * half), top="FALSE", bottom="FALSE")
    balls = [
        _item("Sphere", radius=_text(radius), translation=_text((0.0, y, 0.0)))
        for y, name in ((half, "top"), (-half, "bottom")) if node[name]
    ]  # fmt: skip
    return {"rotation": _text(LIE)}, [*([tube] if node["side"] and half else []), *balls]


def _plane(node: Node) -> tuple[dict[str, str], list[Item]]:
    x, y = node["size"][0] / 2.0, node["size"][1] / 2.0
    item = _item("IndexedFaceSet", coordIndex="0 1 2 3 -1", texCoordIndex="0 1 2 3 -1")
    corners = [(-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0)]
    item.children.append(("", _item("Coordinate", point=_text(corners))))
    item.children.append(("", _item("TextureCoordinate", point="0 0 1 0 1 1 0 1")))
    return {}, [item]


def _grid(node: Node) -> tuple[dict[str, str], list[Item]]:
    """Rows run along y here, and towards z, which is -y, there."""
    columns, rows, spacing = node["xDimension"], node["yDimension"], node["ySpacing"]
    count = columns * rows
    heights = (list(node["height"][:count]) + [0.0] * count)[:count]
    turned_rows = [heights[start : start + columns] for start in range(0, count, columns or 1)][::-1]
    item = _item(
        "ElevationGrid",
        xDimension=str(columns),
        zDimension=str(rows),
        xSpacing=_text(node["xSpacing"]),
        zSpacing=_text(spacing),
        height=_text([value for row in turned_rows for value in row]),
    )
    return {"rotation": _text(LIE), "translation": _text((0.0, (rows - 1) * spacing, 0.0))}, [item]


_GEOMETRIES: dict[str, Callable[[Node], tuple[dict[str, str], list[Item]]]] = {
    "Box": _plain, "Sphere": _plain, "IndexedFaceSet": _plain, "Cylinder": _lying, "Cone": _lying,
    "Capsule": _capsule, "Plane": _plane, "ElevationGrid": _grid,
}  # fmt: skip


def _appearance(node: Node) -> Item:
    item = _item("Appearance")
    if node.type_name == "PBRAppearance":
        colour = {"diffuseColor": node["baseColor"], "emissiveColor": node["emissiveColor"]}
        fields = {name: _text(value) for name, value in colour.items()}
        fields["transparency"] = _text(node["transparency"])
        fields["shininess"] = _text(1.0 - min(max(node["roughness"], 0.0), 1.0))
        item.children.append(("", _item("Material", **fields)))
        texture = node["baseColorMap"]
    else:
        if node["material"] is not None:
            item.children.append(("", _kept(node["material"])))
        texture = node["texture"]
    for each in (texture, node["textureTransform"]):
        if each is not None:
            item.children.append(("", _kept(each)))
    return item


def _viewpoint(node: Node) -> Item:
    """At the root, so that it has no frame."""
    turn = rotation_field(back(BACK_TO_FORWARD), node["orientation"], back(RUB_TO_FLU))
    return _item(
        "Viewpoint",
        position=_text(rotate(TO_Y_UP, node["position"])),
        orientation=_text(turn),
        fieldOfView=_text(node["fieldOfView"]),
    )


def _kept(node: Node) -> Item:
    """A node whose fields mean the same; those that are not set have other defaults in the formats."""
    fields = {}
    for name in _KEPT[node.type_name]:
        value = node[name]
        if node.is_set(name) or (isinstance(value, (float, tuple)) and not isinstance(value, bool)):
            fields[name] = " ".join(map(quoted, value)) if name == "url" else _text(value)
    return _item(node.type_name, **fields)


def _item(type_name: str, /, **fields: str) -> Item:
    return Item(type_name, NOWHERE, dict(fields))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (tuple, list)):
        return " ".join(_text(each) for each in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _write_xml(item: Item, indent: str, lines: list[str]) -> None:
    name = f" DEF={quoteattr(item.def_name)}" if item.def_name else ""
    fields = name + "".join(f" {key}={quoteattr(_xml_value(value))}" for key, value in item.fields.items())
    if not item.children:
        lines.append(f"{indent}<{item.name}{fields}/>")
        return
    lines.append(f"{indent}<{item.name}{fields}>")
    for _, child in item.children:
        _write_xml(child, indent + "  ", lines)
    lines.append(f"{indent}</{item.name}>")


def _xml_value(value: str) -> str:
    return value.lower() if value in ("TRUE", "FALSE") else value


def _write_vrml(item: Item, before: str, indent: str, lines: list[str]) -> None:
    name = f"DEF {item.def_name} " if item.def_name else ""
    lines.append(f"{indent}{before}{name}{item.name} {{")
    inner = indent + "  "
    for key, value in item.fields.items():
        is_list = key in _LISTS or (key == "height" and item.name == "ElevationGrid")
        lines.append(f"{inner}{key} [ {value} ]" if is_list else f"{inner}{key} {value}")
    single = [(_HOLDERS[child.name], child) for _, child in item.children if child.name in _HOLDERS]
    many = [child for _, child in item.children if child.name not in _HOLDERS]
    for holder, child in single:
        _write_vrml(child, f"{holder} ", inner, lines)
    if many:
        lines.append(f"{inner}children [")
        for child in many:
            _write_vrml(child, "", inner + "  ", lines)
        lines.append(f"{inner}]")
    lines.append(indent + "}")
