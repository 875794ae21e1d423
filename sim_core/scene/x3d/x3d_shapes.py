"""Shapes of X3D and VRML97: appearances and geometries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim_core.scene.node import Node
from sim_core.scene.x3d.scenery_item import Item

if TYPE_CHECKING:
    from sim_core.scene.x3d.x3d_scenery import Builder

COLLIDES = ("Box", "Sphere", "Cylinder", "Capsule", "ElevationGrid", "IndexedFaceSet")
_LIGHT = ("ambientIntensity", "color", "intensity", "on")
FIELDS: dict[str, tuple[str, ...]] = {
    "Box": ("size",),
    "Sphere": ("radius",),
    "Cylinder": ("height", "radius", "bottom", "side", "top"),
    "Cone": ("height", "bottomRadius", "bottom", "side"),
    "ElevationGrid": ("height", "xDimension", "zDimension", "xSpacing", "zSpacing"),
    "IndexedFaceSet": (
        *("coordIndex", "texCoordIndex", "normalIndex", "ccw", "convex", "normalPerVertex", "creaseAngle"),
    ),
    "Coordinate": ("point",),
    "TextureCoordinate": ("point",),
    "Normal": ("vector",),
    "Material": (
        *("ambientIntensity", "diffuseColor", "emissiveColor", "shininess", "specularColor", "transparency"),
    ),
    "ImageTexture": ("url", "repeatS", "repeatT"),
    "TextureTransform": ("center", "rotation", "scale", "translation"),
    "DirectionalLight": (*_LIGHT, "direction"),
    "PointLight": (*_LIGHT, "location", "attenuation", "radius"),
    "SpotLight": (*_LIGHT, "location", "direction", "attenuation", "radius", "beamWidth", "cutOffAngle"),
    "Viewpoint": ("position", "orientation", "fieldOfView", "description"),
    "Background": ("skyColor",),
    "Fog": ("color", "visibilityRange", "fogType"),
}
"""Fields with the same meaning in both, by node type."""
SIZES = {"size", "radius", "height", "bottomRadius"}
SIMPLE = ("Box", "Sphere", "Cylinder", "Cone")
POINTS = {"Coordinate": "coord", "TextureCoordinate": "texCoord", "Normal": "normal"}
TRIANGLES = ("TriangleSet", "IndexedTriangleSet", "QuadSet", "IndexedQuadSet")
PHYSICAL = {"baseColor": 3, "emissiveColor": 3, "metallic": 1, "roughness": 1, "transparency": 1}
"""Fields of a PhysicalMaterial of X3D 4, with their number of components."""


def node_from(item: Item) -> Node:
    """Return a node of the same type, with the fields of FIELDS that the item has."""
    node = Node.create(item.name)
    node.source = item.source
    for name in filter(item.fields.__contains__, FIELDS[item.name]):
        node[name] = item.value(name, node.node_type.fields[name].type)
    return node


def read_shape(builder: Builder, item: Item) -> Node | None:
    """Return a Shape, or None if it has no supported geometry."""
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
    """Return an Appearance, or a PBRAppearance for a PhysicalMaterial."""
    children = [(written, builder.original(written)) for _, written in item.children]
    physical = next((child for _, child in children if child.name == "PhysicalMaterial"), None)
    node = _physical(physical) if physical is not None else Node.create("Appearance")
    texture_field = "baseColorMap" if physical is not None else "texture"
    for _, child in children:
        if child.name == "Material":
            node["material"] = _material(child)
        elif child.name == "ImageTexture":
            node[texture_field] = node_from(child)
        elif child.name == "TextureTransform":
            node["textureTransform"] = node_from(child)
        elif child.name != "PhysicalMaterial":
            builder.warn(child, f"{child.name} is not read")
    node.source = item.source
    return node


def read_geometry(builder: Builder, item: Item) -> Node | None:
    """Return a geometry, or None with a warning."""
    if item.name in SIMPLE:
        node = node_from(item)
        for name in SIZES & item.fields.keys():
            if not all(value > 0.0 for value in item.numbers(name) or []):
                raise item.error(name, "numbers above 0")
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
    """Give a node the DEF and USE names of its item, so that it can be written with them again."""
    node.def_name, node.use_name = written.def_name, written.use_name
    return node


def _material(item: Item) -> Node:
    node = node_from(item)
    for name, value in node.fields.items():  # all of them are from 0 to 1
        parts = [min(max(each, 0.0), 1.0) for each in (value if isinstance(value, tuple) else (value,))]
        node[name] = tuple(parts) if isinstance(value, tuple) else parts[0]
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


def _grid(item: Item) -> Node:
    node = node_from(item)
    if node["xDimension"] * node["zDimension"] != len(node["height"]):
        raise item.error("height", f"{node['xDimension'] * node['zDimension']} numbers")
    return node


def _face_set(builder: Builder, item: Item) -> Node:
    node = node_from(item)
    _take_points(builder, item, node)
    count = len(node["coord"]["point"]) if node["coord"] is not None else 0
    if any(index >= count for index in node["coordIndex"]):
        raise item.error("coordIndex", f"numbers below {count}, the number of points")
    return node


def _triangles(builder: Builder, item: Item) -> Node:
    """Return sets of triangles or quads as faces."""
    corners = 4 if "Quad" in item.name else 3
    node = Node.create("IndexedFaceSet")
    _take_points(builder, item, node)
    count = len(node["coord"]["point"]) if node["coord"] is not None else 0
    indexed = item.name.startswith("Indexed")
    indices = item.value("index", "MFInt32") if indexed else list(range(count))
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
        field = POINTS.get(child.name)
        if field is None:
            builder.warn(child, f"{child.name} is not read")
        else:
            node[field] = node_from(child)
