"""Shapes of X3D and VRML97: what they look like, and their geometries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim_core.scene.node import Node
from sim_core.scene.x3d.scenery_item import Item

if TYPE_CHECKING:
    from sim_core.scene.x3d.x3d_scenery import Builder

COLLIDES = ("Box", "Sphere", "Cylinder", "Capsule", "ElevationGrid", "IndexedFaceSet")
SIMPLE: dict[str, dict[str, str]] = {
    "Box": {"size": "3"},
    "Sphere": {"radius": "1"},
    "Cylinder": {"height": "1", "radius": "1", "bottom": "flag", "side": "flag", "top": "flag"},
    "Cone": {"height": "1", "bottomRadius": "1", "bottom": "flag", "side": "flag"},
}
"""Fields of geometries that mean the same here, with the number of values of each."""
SIZES = {"size", "radius", "height", "bottomRadius"}
TRIANGLES = ("TriangleSet", "IndexedTriangleSet", "QuadSet", "IndexedQuadSet")
MATERIAL = {
    "ambientIntensity": 1, "diffuseColor": 3, "emissiveColor": 3, "shininess": 1, "specularColor": 3,
    "transparency": 1,
}  # fmt: skip
PHYSICAL = {"baseColor": 3, "emissiveColor": 3, "metallic": 1, "roughness": 1, "transparency": 1}
"""Fields of a PhysicalMaterial of X3D 4."""


def read_shape(builder: Builder, item: Item) -> Node | None:
    """A Shape, or None if it has no geometry that can be shown."""
    shape = Node.create("Shape")
    for holder, written in item.children:
        child = builder.original(written)
        if child.name == "Appearance" or holder == "appearance":
            shape["appearance"] = _named(read_appearance(builder, child), written)
        elif child.name in ("MetadataString", "MetadataSet"):
            continue
        else:
            geometry = read_geometry(builder, child)
            if geometry is not None:
                geometry.source = written.source
                shape["geometry"] = _named(geometry, written)
    if shape["geometry"] is None:
        return None
    shape.source = item.source
    return shape


def read_appearance(builder: Builder, item: Item) -> Node:
    """An Appearance, or a PBRAppearance for a PhysicalMaterial."""
    children = [(written, builder.original(written)) for _, written in item.children]
    physical = next((child for _, child in children if child.name == "PhysicalMaterial"), None)
    node = _physical(physical) if physical is not None else Node.create("Appearance")
    texture_field = "baseColorMap" if physical is not None else "texture"
    for _, child in children:
        if child.name == "Material":
            node["material"] = _material(child)
        elif child.name == "ImageTexture":
            texture = Node.create("ImageTexture", url=child.strings("url"))
            for name in ("repeatS", "repeatT"):
                if name in child.fields:
                    texture[name] = child.flag(name)
            texture.source = child.source
            node[texture_field] = texture
        elif child.name == "TextureTransform":
            node["textureTransform"] = _texture_transform(child)
        elif child.name != "PhysicalMaterial":
            builder.warn(child, f"{child.name} is not read")
    node.source = item.source
    return node


def read_geometry(builder: Builder, item: Item) -> Node | None:
    """A geometry, or None with a warning."""
    if item.name in SIMPLE:
        node = Node.create(item.name)
        for name, kind in SIMPLE[item.name].items():
            if name not in item.fields:
                continue
            if kind == "flag":
                node[name] = item.flag(name)
                continue
            values = item.numbers(name, int(kind)) or []
            if name in SIZES and not all(value > 0.0 for value in values):
                raise item.error(name, "numbers above 0")
            node[name] = tuple(values) if len(values) > 1 else values[0]
        return node
    if item.name == "ElevationGrid":
        return _grid(item)
    if item.name == "IndexedFaceSet":
        return _face_set(builder, item)
    if item.name in TRIANGLES:
        return _triangles(builder, item)
    builder.warn(item, f"{item.name} is not read")
    return None


def _named(node: Node, written: Item) -> Node:
    """Give a node the name that its item was written with, so that it can be written so again."""
    node.def_name, node.use_name = written.def_name, written.use_name
    return node


def _material(item: Item) -> Node:
    node = Node.create("Material")
    for name, count in MATERIAL.items():
        values = item.numbers(name, count)
        if values is not None:  # all of them are parts from 0 to 1
            clipped = [min(max(value, 0.0), 1.0) for value in values]
            node[name] = clipped[0] if count == 1 else tuple(clipped)
    node.source = item.source
    return node


def _physical(item: Item) -> Node:
    node = Node.create("PBRAppearance")
    for name, count in PHYSICAL.items():
        values = item.numbers(name, count)
        if values is not None:
            ours = "metalness" if name == "metallic" else name
            node[ours] = values[0] if count == 1 else tuple(values)
    if not node.is_set("roughness"):
        node["roughness"] = 1.0
    return node


def _texture_transform(item: Item) -> Node:
    node = Node.create("TextureTransform")
    for name, count in (("center", 2), ("rotation", 1), ("scale", 2), ("translation", 2)):
        values = item.numbers(name, count)
        if values is not None:
            node[name] = values[0] if count == 1 else tuple(values)
    return node


def _grid(item: Item) -> Node:
    node = Node.create("ElevationGrid", height=item.numbers("height") or [])
    for name in ("xDimension", "zDimension"):
        node[name] = _whole(item, name, [item.number(name)])[0]
    for name in ("xSpacing", "zSpacing"):
        node[name] = item.number(name, 1.0)
    if node["xDimension"] * node["zDimension"] != len(node["height"]):
        raise item.error("height", f"{node['xDimension'] * node['zDimension']} numbers")
    return node


def _face_set(builder: Builder, item: Item) -> Node:
    fields: dict[str, Any] = {"coordIndex": _indices(item, "coordIndex")}
    for name in ("texCoordIndex", "normalIndex"):
        if name in item.fields:
            fields[name] = _indices(item, name)
    for name in ("ccw", "convex", "normalPerVertex"):
        if name in item.fields:
            fields[name] = item.flag(name)
    if "creaseAngle" in item.fields:
        fields["creaseAngle"] = item.number("creaseAngle")
    node = Node.create("IndexedFaceSet", **fields)
    _take_points(builder, item, node)
    count = len(node["coord"]["point"]) if node["coord"] is not None else 0
    if any(index >= count for index in node["coordIndex"]):
        raise item.error("coordIndex", f"numbers below {count}, the number of points")
    return node


def _triangles(builder: Builder, item: Item) -> Node:
    """Sets of triangles or quads as faces."""
    corners = 4 if "Quad" in item.name else 3
    node = Node.create("IndexedFaceSet")
    _take_points(builder, item, node)
    count = len(node["coord"]["point"]) if node["coord"] is not None else 0
    indices = _indices(item, "index") if item.name.startswith("Indexed") else list(range(count))
    if any(not 0 <= index < count for index in indices) or len(indices) % corners:
        raise item.error("index", f"{corners} numbers for each face, below {count}")
    faces = (indices[start : start + corners] for start in range(0, len(indices), corners))
    node["coordIndex"] = [index for face in faces for index in (*face, -1)]
    if "ccw" in item.fields:
        node["ccw"] = item.flag("ccw")
    return node


def _take_points(builder: Builder, item: Item, node: Node) -> None:
    for _, written in item.children:
        child = builder.original(written)
        if child.name == "Coordinate":
            node["coord"] = Node.create("Coordinate", point=child.vectors("point", 3) or [])
        elif child.name == "TextureCoordinate":
            node["texCoord"] = Node.create("TextureCoordinate", point=child.vectors("point", 2) or [])
        elif child.name == "Normal":
            node["normal"] = Node.create("Normal", vector=child.vectors("vector", 3) or [])
        else:
            builder.warn(child, f"{child.name} is not read")


def _indices(item: Item, name: str) -> list[int]:
    return _whole(item, name, item.numbers(name) or [])


def _whole(item: Item, name: str, values: list[float]) -> list[int]:
    if any(value != int(value) or not -1 <= value < 2**31 for value in values):
        raise item.error(name, "whole numbers")
    return [int(value) for value in values]
