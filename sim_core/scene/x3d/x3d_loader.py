"""Loading of X3D (.x3d) and VRML97 (.wrl) files as scenes.

Standard nodes become static scenery: every Shape whose geometry can collide is a Solid with it as
its boundingObject, unless a Collision with `enabled` false is above it. A file whose Scene contains a World
is a simulation instead, with robots and motors (see `x3d_robots.py`).

In both formats y is up, and in a World robots face +z. The nodes keep these axes; see `scene/axes.py`.

The fields of VRML97 nodes are not checked: the type of a value is recognized from its text. PROTO
definitions, routes and scripts are skipped; they make no static scenery.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.scene.axes import assign_axes
from sim_core.scene.files import read_text
from sim_core.scene.node import NO_SOURCE, Node, Source
from sim_core.scene.node_types import FieldType, NodeType
from sim_core.scene.scene import Scene
from sim_core.scene.wbt.cursor import Cursor, TooManyProblemsError
from sim_core.scene.wbt.field_values import ANY, KEYWORDS
from sim_core.scene.wbt.header import X3D_HEADER
from sim_core.scene.wbt.lexer import Lines, Token, tokenize
from sim_core.scene.wbt.parser import DEFINITIONS, Parser
from sim_core.scene.wbt.shared import Shared
from sim_core.scene.x3d.scenery_item import Item
from sim_core.scene.x3d.x3d_robots import read_world
from sim_core.scene.x3d.x3d_scenery import Builder
from sim_core.scene.x3d.xml_reader import read_xml

ENDINGS = (".x3d", ".wrl")


def load_x3d(path: str | Path) -> Scene:
    """Read an X3D or VRML97 file.

    Raises:
        SceneErrors: it cannot be read, or the problems found in it.
    """
    file = str(path)
    return parse_x3d(read_text(path, "an X3D or VRML97 file"), file)


def parse_x3d(text: str, file: str = "<string>.x3d") -> Scene:
    """Read text in the format given by the ending of the file's name.

    Raises:
        SceneErrors: the problems found in it.
    """
    builder = Builder(Path(file), _read)
    root = _read(text, file, builder.warnings)
    scene = Scene(file=file, header=X3D_HEADER)
    try:
        world = root.first("World")
        nodes = read_world(builder, world) if world is not None else []
        nodes += builder.nodes(root)
    except SceneError as error:
        builder.problems.append(error)
        nodes = []
    if builder.problems:
        raise SceneErrors(builder.problems)
    scene.nodes = [builder.info, *builder.views, *nodes]
    for node in scene.walk():  # nodes without element get the place of the node that they are for
        if node.source is NO_SOURCE:
            node.source = node.parent.source if node.parent is not None else Source(file, 0, 0)
    scene.headers = dict.fromkeys(builder.inlined, X3D_HEADER)
    scene.warnings = builder.warnings
    assign_axes(scene)
    return scene


def _read(text: str, file: str, warnings: list[SceneError]) -> Item:
    """Return the item whose children are the roots of the scene, in the format given by the file's ending."""
    root = read_xml(text, file) if file.lower().endswith(".x3d") else read_vrml(text, file, warnings)
    if root.name == "X3D":
        scene = root.first("Scene", "scene")
        if scene is None:
            raise SceneErrors([SceneError(*root.source, "an X3D without a Scene", "one Scene")])
        return scene
    if root.name != "Scene":
        raise SceneErrors([SceneError(*root.source, f'the element "{root.name}"', "X3D")])
    return root


HEADER = "#VRML V2.0 utf8"
SCRIPT = "Script"


def read_vrml(text: str, file: str, warnings: list[SceneError]) -> Item:
    """Return a `Scene` item with the root nodes.

    Raises:
        SceneErrors: all problems found.
    """
    if not text.startswith("#VRML V2.0"):
        found = "another first line" if text.strip() else "no header"
        raise SceneErrors([SceneError(file, 1, 1, found, f'"{HEADER}" (VRML97)')])
    lines = Lines(text)
    tokens, problems = tokenize(text, file, lines)
    parser = _SceneryParser(Cursor(tokens, file, lines), {}, Shared(warnings))
    with suppress(TooManyProblemsError):
        parser.parse_file()
    problems += parser.cursor.problems
    if problems:
        raise SceneErrors(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return Item("Scene", Source(file, 1, 1), children=[("", _item(node)) for node in parser.roots])


class _AnyFields(dict[str, FieldType]):
    """Fields of a node type that accepts every name."""

    def __contains__(self, name: object) -> bool:
        return name not in DEFINITIONS and name not in KEYWORDS

    def __missing__(self, name: str) -> FieldType:
        return FieldType(name, ANY, "")


class _SceneryParser(Parser):
    """Makes nodes of which only the type name is known; USE is resolved later."""

    _fields = _AnyFields()

    def type_of(self, head: Token) -> NodeType | None:
        return NodeType(head.text, (), self._fields, frozenset()) if head.text != SCRIPT else None

    def without_type(self, first: Token, head: Token, field: FieldType | None, name: str | None) -> Node:
        return Node(NodeType(head.text, (), self._fields, frozenset()), self.source(first), name)

    def definition(self, token: Token) -> None:
        self.cursor.skip_definition()

    def used(self, first: Token, token: Token, field: FieldType | None) -> Node:
        node = self.without_type(first, first, field, None)
        node.use_name = token.text
        return node


def _item(node: Node) -> Item:
    item = Item(node.type_name, node.source, def_name=node.def_name, use_name=node.use_name)
    for name, value in node.fields.items():
        if isinstance(value, str):
            item.fields[name] = value
        else:
            nodes = value if isinstance(value, list) else [value]
            item.children += [(name, _item(each)) for each in nodes if each is not None]
    return item
