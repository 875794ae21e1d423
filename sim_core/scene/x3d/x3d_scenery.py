"""Conversion of the standard nodes of X3D and VRML97 to our nodes, still in the axes of the file."""

from __future__ import annotations

from collections.abc import Callable
from os.path import isfile
from pathlib import Path
from typing import Any

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.base.geometry import (
    Pose,
    Vec3,
    add,
    axis_angle_from_rotation,
    rotate_back,
    rotation_from_axis_angle,
    scale,
    transposed,
)
from sim_core.scene.files import read_text
from sim_core.scene.node import Node
from sim_core.scene.x3d.scenery_item import MAX_DEPTH, MAX_ITEMS, Item
from sim_core.scene.x3d.x3d_shapes import COLLIDES, node_from, read_shape

GROUPS = ("Group", "StaticGroup", "Anchor", "Scene", "Billboard", "Collision", "LOD", "Switch")
LIGHTS = ("DirectionalLight", "PointLight", "SpotLight")
SILENT = (
    "NavigationInfo",
    "head",
    "meta",
    "WorldInfo",
    "ProtoDeclare",
    "ExternProtoDeclare",
    "World",
)
"""Nodes that are ignored without warning, because they have no shape."""
MAX_INLINES = 20
MAX_COPIES = 20_000
"""Largest number of nodes that USE may make: a few nested ones could otherwise exhaust the memory."""
_NO_SCALE = (1.0, 1.0, 1.0)


class Builder:
    """Converts items to nodes.

    Attributes:
        info: the WorldInfo.
        views: Viewpoint, Background and Fog: at most one of each.
        inlined: files of Inline nodes that were read.
        problems, warnings: found so far.
    """

    def __init__(self, file: Path, read: Callable[[str, str, list[SceneError]], Item]) -> None:
        self.file = file
        self.info = Node.create("WorldInfo", title=file.stem)
        self.views: list[Node] = []
        self.problems: list[SceneError] = []
        self.warnings: list[SceneError] = []
        self.collides = True
        self._read = read
        self._warned: set[str] = set()
        self._named: dict[str, Item] = {}
        self.inlined: set[str] = set()
        self._inlines: list[Path] = []
        self._count = 0
        self._copies = 0
        self._inside_use = 0
        self._open: list[Item] = []
        self._frames = 0
        self._solids = 0

    def nodes(self, item: Item) -> list[Node]:
        """Return the children of a group as nodes."""
        found = []
        for _, child in item.children:
            try:
                node = self.build_node(child)
            except SceneError as error:
                self.problems.append(error)
                continue
            if node is not None:
                found.append(node)
        return found

    def build_node(self, item: Item) -> Node | None:
        """Return one node; None: it has nothing visible."""
        written = item
        item = self.original(item)
        if any(each is item for each in self._open):
            raise SceneError(
                *written.source, f"USE of {written.use_name} within itself", "a node that is complete"
            )
        self._count += 1
        self._inside_use += written is not item
        self._copies += self._inside_use > 0
        self._open.append(item)
        try:
            if self._count > MAX_ITEMS or self._copies > MAX_COPIES or len(self._open) > MAX_DEPTH:
                self._report_too_large(written)
                return None
            node = self._make(item)
        finally:
            self._open.pop()
            self._inside_use -= written is not item
        if node is not None:
            node.source = written.source
            if written is item and item.def_name and node.def_name is None:
                node.def_name = item.def_name
        return node

    def original(self, item: Item) -> Item:
        """Return the item that USE names; other items are stored by their DEF names.

        Raises:
            SceneError: there is no such name.
        """
        if item.use_name is None:
            if item.def_name:
                self._named[item.def_name] = item
            return item
        found = self._named.get(item.use_name)
        if found is None:
            raise SceneError(*item.source, f"USE of {item.use_name}", "a name given by a DEF above")
        return found

    def _report_too_large(self, item: Item) -> None:
        """Report once that the scene is too large; the rest of it is skipped."""
        self._count = MAX_ITEMS
        found = f"more than {MAX_ITEMS} nodes, {MAX_COPIES} made by USE, or {MAX_DEPTH} levels"
        if found not in self._warned:
            self._warned.add(found)
            self.problems.append(SceneError(*item.source, found, "a smaller scene"))

    def warn(self, item: Item, found: str, expected: str = "") -> None:
        """Add a warning once."""
        if found not in self._warned:
            self._warned.add(found)
            self.warnings.append(SceneError(*item.source, found, expected))

    def _make(self, item: Item) -> Node | None:
        if item.name == "Transform":
            return self._transform(item)
        if item.name == "Shape":
            return self._scenery(item)
        if item.name in GROUPS:
            return self._group(item)
        if item.name in LIGHTS:
            return node_from(item)
        if item.name == "Inline":
            return self._inline(item)
        if item.name in ("Viewpoint", "Background", "Fog"):
            self._view(item)
        elif item.name == "WorldInfo":
            self.info["title"] = item.text("title", self.info["title"])
            if item.strings("info"):
                self.info["info"] = item.strings("info")
        elif item.name not in SILENT:
            self.warn(item, f"{item.name} is not read")
        return None

    def pose_fields(self, item: Item) -> dict[str, Any]:
        """Return the fields `translation` and `rotation`, as far as they are written."""
        fields: dict[str, Any] = {}
        for name, count in (("translation", 3), ("rotation", 4)):
            values = item.numbers(name, count)
            if values is not None:
                fields[name] = tuple(values)
        return fields

    def _transform(self, item: Item) -> Node:
        fields = self.pose_fields(item)
        factors = tuple(item.numbers("scale", 3) or _NO_SCALE)
        centre = tuple(item.numbers("center", 3) or (0.0, 0.0, 0.0))
        turn = tuple(item.numbers("scaleOrientation", 4) or (0.0, 0.0, 1.0, 0.0))
        stretched = factors != _NO_SCALE
        before, self.collides = self.collides, self.collides and not stretched
        if stretched and before:
            self.warn(item, "Transform.scale: what is below it is seen, and does not collide")
        self._frames += 1
        children = self.nodes(item)
        self._frames -= 1
        self.collides = before
        if any(centre) or (stretched and turn[3] != 0.0):
            return _about_centre(fields, factors, centre, turn, children)  # type: ignore[arg-type]
        node = Node.create("Transform" if stretched else "Pose", **fields, children=children)
        if stretched:
            node["scale"] = factors
        return node

    def _group(self, item: Item) -> Node | None:
        before = self.collides
        chosen = item
        if item.name == "Collision":
            self.collides = before and item.flag("enabled", item.flag("collide", True))
            chosen = _without(item, "proxy")
        elif item.name == "LOD":
            chosen = _only(item, 0)
        elif item.name == "Switch":
            chosen = _only(item, int(item.number("whichChoice", -1.0)))
        children = self.nodes(chosen)
        self.collides = before
        return Node.create("Group", children=children) if children else None

    def _scenery(self, item: Item) -> Node | None:
        """Return a Shape within a Solid of its own, so that it collides."""
        shape = read_shape(self, item)
        if shape is None or not self.collides or shape["geometry"].type_name not in COLLIDES:
            return shape
        self._solids += 1
        solid = Node.create("Solid", name=item.def_name or f"shape {self._solids}", children=[shape])
        bounds = shape["geometry"].copy()
        bounds.def_name = bounds.use_name = None
        solid["boundingObject"] = bounds
        return solid

    def _inline(self, item: Item) -> Node | None:
        """Return the nodes of another file, beside this one or below; only the first usable URL is read."""
        if not item.flag("load", True):
            return None
        base = self._inlines[-1] if self._inlines else self.file
        for url in item.strings("url"):
            path = Path(url)
            if "://" in url or path.is_absolute() or "\0" in url:
                continue
            path = (base.parent / path).resolve()
            if path in self._inlines or path == self.file.resolve() or len(self._inlines) >= MAX_INLINES:
                raise SceneError(*item.source, f'Inline of "{url}" within itself', "files that end")
            if path.suffix.lower() not in (".x3d", ".wrl"):
                break
            if not isfile(path):
                raise SceneError(*item.source, f'Inline of "{url}": no such file', str(path))
            return self._read_file(path)
        self.warn(
            item, f"Inline of {' '.join(item.strings('url')) or 'nothing'} is not read", "a relative path"
        )
        return None

    def _read_file(self, path: Path) -> Node | None:
        names, self._named = self._named, {}
        self._inlines.append(path)
        self.inlined.add(str(path))
        try:
            text = read_text(path, "an X3D or VRML97 file")
            children = self.nodes(self._read(text, str(path), self.warnings))
        except SceneErrors as error:
            self.problems += error.problems
            children = []
        finally:
            self._inlines.pop()
            self._named = names
        return Node.create("Group", children=children) if children else None

    def _view(self, item: Item) -> None:
        """Add the first Viewpoint, Background and Fog without a Transform above it."""
        if any(node.type_name == item.name for node in self.views) or self._frames:
            return
        node = node_from(item)
        if item.name == "Viewpoint" and not node.is_set("position"):
            node["position"] = (0.0, 0.0, 10.0)
        elif item.name == "Background" and node.is_set("skyColor"):
            node["skyColor"] = node["skyColor"][:1]
        self.views.append(node)


def _about_centre(
    fields: dict[str, Any], factors: Vec3, centre: Vec3, turn: tuple[float, ...], children: list[Node]
) -> Node:
    """Return a Transform with a centre: T(t + c) R Q S Q⁻¹ T(-c), Q is `scaleOrientation` (X3D,
    Transform)."""
    q = rotation_from_axis_angle(turn)  # type: ignore[arg-type]
    outer = Pose.from_axis_angle(
        fields.get("translation", (0.0, 0.0, 0.0)), fields.get("rotation", (0, 0, 1, 0))
    )
    rotation = Pose((0.0, 0.0, 0.0), outer.rotation) * Pose((0.0, 0.0, 0.0), q)
    inner = Node.create(
        "Pose",
        translation=rotate_back(q, scale(centre, -1.0)),
        rotation=axis_angle_from_rotation(transposed(q)),
        children=children,
    )
    node = Node.create(
        "Transform" if factors != _NO_SCALE else "Pose",
        translation=add(outer.position, centre),
        rotation=axis_angle_from_rotation(rotation.rotation),
        children=[inner],
    )
    if factors != _NO_SCALE:
        node["scale"] = factors
    return node


def _without(item: Item, field: str) -> Item:
    kept = [(name, child) for name, child in item.children if name != field]
    return Item(item.name, item.source, item.fields, kept)


def _only(item: Item, index: int) -> Item:
    """Return one of the levels of a LOD, or of the choices of a Switch."""
    children = item.children[index : index + 1] if index >= 0 else []
    return Item(item.name, item.source, item.fields, children)
