"""Writer of scenes as X3D and VRML97 text.

Scenes that were read from these formats become items again, which are read as the same scene. Nodes
have the axes of the formats, so that their fields are written unchanged. Nodes that `x3d_robots.py` and
`x3d_scenery.py` make of elements become elements again; other nodes are left out with a warning.
"""

from __future__ import annotations

import math
from xml.sax.saxutils import quoteattr

from sim_core.base.errors import SceneError
from sim_core.base.geometry import (
    ZERO,
    AxisAngle,
    Vec3,
    cross,
    dot,
    normalized,
    rotate,
    rotation_from_axis_angle,
)
from sim_core.scene.axes import BACK_TO_FORWARD
from sim_core.scene.node import NO_SOURCE, Node
from sim_core.scene.scene import Scene
from sim_core.scene.slots import through_slots
from sim_core.scene.wbt.lexer import quoted, unquoted
from sim_core.scene.wbt.writer import is_copy_of
from sim_core.scene.x3d.scenery_item import Item
from sim_core.scene.x3d.x3d_export import scene_items, text_of
from sim_core.scene.x3d.x3d_losses import fields_left_out
from sim_core.scene.x3d.x3d_robots import (
    CASTER_DENSITY,
    GROUND,
    HULL_DENSITY,
    OPEN_TO_ALL,
    SENSOR_LENGTH,
    SURFACE,
    VELOCITIES,
    WHEEL_DENSITY,
)
from sim_core.scene.x3d.x3d_shapes import COLLIDES, FIELDS

UNCHANGED_TYPES = {*FIELDS, "Group", "Shape", "Appearance"}
"""Types that have the same name and fields in the formats."""
WORLD_FIELDS = ("basicTimeStep", "runRealTime")
PLACE = ("translation", "rotation")
MOTION = (*PLACE, *VELOCITIES)
NEAR = 1e-3
"""Tolerance in m, and sine of an angle, for the drift of joints in a running world."""


def items_as_read(scene: Scene) -> tuple[list[Item], list[SceneError]]:
    """Return the items at the root of a file, and warnings about parts of the scene that are left out."""
    is_world = any(_is_ground(node) for node in scene.nodes)
    export = _NodeWriter(is_world)
    roots, world = [], Item("World", NO_SOURCE)
    for node in scene.nodes:
        if node.type_name == "WorldInfo":
            roots.append(Item("WorldInfo", NO_SOURCE, _texts(node, ("title", "info"))))
            world.fields = _texts(node, WORLD_FIELDS)
        elif node.type_name in ("Viewpoint", "Background", "Fog"):
            roots += export.items(node)
        elif not _is_ground(node):
            world.children += [("", item) for item in export.items(node)]
    if is_world:
        roots.append(world)
    else:
        roots += [item for _, item in world.children]
    return roots, list(export.warnings.values())


class _NodeWriter:
    def __init__(self, is_world: bool) -> None:
        self.is_world = is_world
        self.warnings: dict[str, SceneError] = {}
        self.defs: dict[str, Node] = {}

    def items(self, node: Node) -> list[Item]:
        """Return the item of a node; none if the formats cannot express it."""
        original = self.defs.get(str(node.use_name))
        if original is not None and is_copy_of(node, original):
            return [Item(node.type_name, NO_SOURCE, use_name=node.use_name)]
        item = self._item(node)
        if item is None:
            found = f"{node.type_name} has no form in X3D and is left out"
            self.warnings.setdefault(found, SceneError(*node.source, found))
            return []
        if node.def_name:
            item.def_name = node.def_name
            self.defs[node.def_name] = node
        if node.type_name == "Shape" and not self.is_world and _could_collide(node):
            return [Item("Collision", NO_SOURCE, {"enabled": "FALSE"}, [("", item)])]
        return [item]

    def _item(self, node: Node) -> Item | None:
        kind, is_part = node.type_name, _robot_above(node)
        if kind == "PBRAppearance":
            return self._physical(node)
        if kind in UNCHANGED_TYPES:
            item = Item(kind, NO_SOURCE, _texts(node))
            item.children = self._inside(node)
            if (
                kind == "Group"
                and item.children
                and all(each.name == "Collision" for _, each in item.children)
            ):
                within = [each for _, collision in item.children for each in collision.children]
                return Item("Collision", NO_SOURCE, {"enabled": "FALSE"}, within)
            return item
        if kind in ("Pose", "Transform"):
            holds_parts = is_part and any(each.is_a("Solid") or each.is_a("Joint") for each in node.walk())
            item = Item("Motor" if holds_parts else "Transform", NO_SOURCE, _texts(node))
            if holds_parts:
                item.fields["maxForce"] = "0"
            item.children = self._inside(node)
            return item
        if kind == "Robot":
            return self._robot(node)
        if kind == "Solid" and is_part:
            return self._body(node, "Motor", CASTER_DENSITY, maxForce="0", objectName=quoted(node["name"]))
        if kind == "Solid":
            if not self.is_world:
                return self._item(node["children"][0]) if len(node["children"]) == 1 else None
            return self._body(node, "Transform", None, objectName=quoted(node["name"]))
        if kind == "HingeJoint":
            return self._motor(node)
        if kind in ("DistanceSensor", "GPS"):
            item = Item(kind, NO_SOURCE, {"objectName": quoted(node["name"]), **_texts(node, PLACE)})
            if kind == "DistanceSensor" and node["lookupTable"][-1][0] != SENSOR_LENGTH:
                item.fields["length"] = text_of(node["lookupTable"][-1][0])
            item.children = self._inside(node)
            return item
        return None

    def _inside(self, node: Node) -> list[tuple[str, Item]]:
        return [("", item) for child in node.child_nodes() for item in self.items(child)]

    def _physical(self, node: Node) -> Item:
        fields = _texts(node)
        if "metalness" in fields:
            fields["metallic"] = fields.pop("metalness")
        item = Item("Appearance", NO_SOURCE, children=self._inside(node))
        item.children.insert(0, ("", Item("PhysicalMaterial", NO_SOURCE, fields)))
        return item

    def _robot(self, node: Node) -> Item:
        fields = {"objectName": quoted(node["name"]), **_texts(node, ("controller", "synchronization"))}
        if node["controller"] == OPEN_TO_ALL:
            fields.pop("controller", None)
        return self._body(node, "Robot", HULL_DENSITY, **fields)

    def _motor(self, joint: Node) -> Item | None:
        """Return the Motor of a hinge whose axis goes through the origin of the part that it rotates."""
        wheel, parameters = through_slots(joint["endPoint"]), joint["jointParameters"]
        motors = [each for each in joint["device"] if each.type_name == "RotationalMotor"]
        if wheel is None or wheel.type_name != "Solid" or parameters is None or not motors:
            return None
        place = _on_axis(wheel, parameters)
        if place is None:
            return None
        fields = {"objectName": quoted(motors[0]["name"]), "maxForce": text_of(motors[0]["maxTorque"])}
        fields |= _texts(parameters, ("minStop", "maxStop", "position"))
        item = self._body(wheel, "Motor", WHEEL_DENSITY, **fields)
        item.fields |= {name: text_of(value) for name, value in zip(PLACE, place, strict=True)}
        return item

    def _body(self, node: Node, name: str, density: float | None, **fields: str) -> Item:
        """Return the element of a Solid, with its Solid elements at their places among the other children.

        Args:
            density: default density of its Solids; None: a Solid needs its own density to have a mass.
        """
        physics = node["physics"]
        if physics is not None and physics["centerOfMass"] not in ([], [ZERO]):
            fields["centerOfMass"] = text_of(physics["centerOfMass"][0])
        item = Item(name, NO_SOURCE, {**fields, **_texts(node, MOTION)})
        within = [each for each in node["children"] if not _is_part(each)]
        made = [(child, found) for child in within for found in self.items(child)]
        at = 0
        for each in (node, *filter(_is_part, node["children"])):
            for place, solid in self._solids(each, density):
                holder = next((i for i in range(at, len(made)) if place and _is_at(made[i][0], place)), None)
                if holder is not None:
                    made[holder][1].children.insert(0, ("", solid))
                    at = holder + 1
                    continue
                if place is not None:
                    solid = Item("Transform", NO_SOURCE, _texts(place), [("", solid)])
                made.insert(at, (each, solid))
                at += 1
        item.children = [("", found) for _, found in made]
        return item

    def _solids(self, node: Node, density: float | None) -> list[tuple[Node | None, Item]]:
        """Return the elements with collision shapes, each with the Pose that contains it."""
        bounds: Node | None = node["boundingObject"]
        if bounds is None:
            return []
        words = node["contactMaterial"].split()
        fields = {name: words[words.index(name) + 1] for name in SURFACE if name in words}
        physics = node["physics"]
        if physics is not None and physics["density"] < 0.0:
            fields["mass"] = text_of(physics["mass"])
        elif physics is not None and physics["density"] != density:
            fields["density"] = text_of(physics["density"])
        found: list[tuple[Node | None, Item]] = []
        for part in bounds["children"] if bounds.type_name == "Group" else [bounds]:
            place = part if part.type_name == "Pose" else None
            items = [("", each) for each in self.items(part["children"][0] if place else part)]
            before = found[-1][0] if found else None
            if found and (place is before or (place and before and _is_at(before, place))):
                found[-1][1].children += items
            else:
                found.append((place, Item("Solid", NO_SOURCE, dict(fields), items)))
        return found


AXES: tuple[Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _could_collide(shape: Node) -> bool:
    """Return whether a Shape outside of Solids would be put into one by the reader."""
    is_scaled = any(each.type_name == "Transform" for each in shape.ancestors())
    return shape["geometry"].type_name in COLLIDES and not is_scaled


def _on_axis(wheel: Node, parameters: Node) -> tuple[Vec3, AxisAngle] | None:
    """Return the pose of a wheel as a Motor states it: on the axis, rotated about it; None: another pose."""
    axis, anchor = parameters["axis"], parameters["anchor"]
    translation, rotation = wheel["translation"], wheel["rotation"]
    if translation == anchor and rotation[:3] in (axis, tuple(-value + 0.0 for value in axis)):
        return translation, rotation
    unit = normalized(axis)
    turn = rotation_from_axis_angle(rotation)
    if math.dist(translation, anchor) > NEAR or math.dist(rotate(turn, unit), unit) > NEAR:
        return None
    across = normalized(cross(unit, min(AXES, key=lambda each: abs(dot(unit, each)))))
    turned = rotate(turn, across)
    return anchor, (*axis, math.atan2(dot(cross(across, turned), unit), dot(across, turned)))


def _is_ground(node: Node) -> bool:
    return node.type_name == "Solid" and node["name"] == node["contactMaterial"] == GROUND


def _is_part(node: Node) -> bool:
    """Return whether the reader makes such a Solid of an element with other values than the first one."""
    above = node.parent
    return (
        node.type_name == "Solid"
        and above is not None
        and above.is_a("Solid")
        and node["name"].startswith(f"{above['name']} part ")
    )


def _is_at(node: Node, place: Node) -> bool:
    return node.type_name == "Pose" and all(node.fields.get(name) == place.fields.get(name) for name in PLACE)


def _robot_above(node: Node) -> bool:
    return any(each.is_a("Robot") for each in node.ancestors())


def _texts(node: Node, names: tuple[str, ...] | None = None) -> dict[str, str]:
    """Return the fields that are set and contain no nodes."""
    return {
        name: text_of(value)
        for name, value in node.saved_fields().items()
        if (names is None or name in names)
        and not isinstance(value, Node)
        and not (isinstance(value, list) and value and isinstance(value[0], Node))
    }


_HOLDERS = {
    "Appearance": "appearance", "Material": "material", "PhysicalMaterial": "material",
    "ImageTexture": "texture",
    "TextureTransform": "textureTransform", "Coordinate": "coord", "TextureCoordinate": "texCoord",
    "Normal": "normal", "Box": "geometry", "Sphere": "geometry", "Cylinder": "geometry", "Cone": "geometry",
    "ElevationGrid": "geometry", "IndexedFaceSet": "geometry",
}  # fmt: skip
"""Field that contains a node, if it is not `children`."""
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
    """Return an X3D file, and warnings about parts of the scene that are left out."""
    roots, warnings = _items(scene)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<X3D profile="Interchange" version="3.3">',
        "  <Scene>",
    ]
    for item in roots:
        _write_xml(item, "    ", lines)
    text = "\n".join([*lines, "  </Scene>", "</X3D>"]) + "\n"
    return text, warnings + _left_out(scene, warnings, text, ".x3d")


def write_vrml(scene: Scene) -> tuple[str, list[SceneError]]:
    """Return a VRML97 file, and warnings about parts of the scene that are left out."""
    roots, warnings = _items(scene)
    lines = ["#VRML V2.0 utf8"]
    for item in roots:
        _write_vrml(item, "", "", lines)
    text = "\n".join(lines) + "\n"
    return text, warnings + _left_out(scene, warnings, text, ".wrl")


def _items(scene: Scene) -> tuple[list[Item], list[SceneError]]:
    """Return the items of a scene; a scene in these formats and axes is written with its original
    elements."""
    return items_as_read(scene) if _is_as_read(scene) else scene_items(scene)


def _is_as_read(scene: Scene) -> bool:
    return scene.axes.body == BACK_TO_FORWARD


def _left_out(scene: Scene, warnings: list[SceneError], text: str, ending: str) -> list[SceneError]:
    return fields_left_out(scene, text, ending) if _is_as_read(scene) and not warnings else []


def _write_xml(item: Item, indent: str, lines: list[str]) -> None:
    names = {"DEF": item.def_name, "USE": item.use_name}
    fields = "".join(f" {key}={quoteattr(name)}" for key, name in names.items() if name)
    fields += "".join(f" {key}={quoteattr(_xml_value(key, value))}" for key, value in item.fields.items())
    if not item.children:
        lines.append(f"{indent}<{item.name}{fields}/>")
        return
    lines.append(f"{indent}<{item.name}{fields}>")
    for _, child in item.children:
        _write_xml(child, indent + "  ", lines)
    lines.append(f"{indent}</{item.name}>")


def _xml_value(key: str, value: str) -> str:
    """Return a value as attributes have it: flags in small letters, one string without quotes."""
    if value.startswith('"') and key not in _LISTS and '"' not in (bare := unquoted(value)) and bare.strip():
        return bare
    return value.lower() if value in ("TRUE", "FALSE") else value


def _write_vrml(item: Item, before: str, indent: str, lines: list[str]) -> None:
    if item.use_name:
        lines.append(f"{indent}{before}USE {item.use_name}")
        return
    name = f"DEF {item.def_name} " if item.def_name else ""
    lines.append(f"{indent}{before}{name}{item.name} {{")
    inner = indent + "  "
    for key, value in item.fields.items():
        is_list = key in _LISTS or (key == "height" and item.name == "ElevationGrid")
        lines.append(f"{inner}{key} [ {value} ]" if is_list else f"{inner}{key} {value}")
    held = _HOLDERS if item.name != "Solid" else {}
    single = [(held[child.name], child) for _, child in item.children if child.name in held]
    many = [child for _, child in item.children if child.name not in held]
    for holder, child in single:
        _write_vrml(child, f"{holder} ", inner, lines)
    if many:
        lines.append(f"{inner}children [")
        for child in many:
            _write_vrml(child, "", inner + "  ", lines)
        lines.append(f"{inner}]")
    lines.append(indent + "}")
