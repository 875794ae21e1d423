"""X3D (.x3d) and VRML97 (.wrl) files to scenes.

Standard nodes become scenery that stands still: every Shape whose geometry can collide is a Solid with it as
its boundingObject, unless a Collision with `enabled` false is above it. A file whose Scene holds a World is a
simulation instead, with robots and motors (see `x3d_robots.py`).

In both formats y is up, and in a World robots face +z: x, y, z there are y, z, x here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.base.turns import KEEP
from sim_core.scene.axes import BACK_TO_FORWARD, LYING, RUB_TO_FLU, Y_TO_Z
from sim_core.scene.files import read_text
from sim_core.scene.node import Node, NodeAxes
from sim_core.scene.older.restate import restated
from sim_core.scene.scene import Scene
from sim_core.scene.x3d.scenery_item import Item
from sim_core.scene.x3d.vrml_reader import read_vrml
from sim_core.scene.x3d.x3d_robots import read_world
from sim_core.scene.x3d.x3d_scenery import Builder
from sim_core.scene.x3d.xml_reader import read_xml

READERS: dict[str, Callable[[str, str], Item]] = {".x3d": read_xml, ".wrl": read_vrml}
"""By the ending of the file."""
ENDINGS = tuple(READERS)


def load_x3d(path: str | Path) -> Scene:
    """Read an X3D or VRML97 file.

    Raises:
        SceneErrors: it cannot be read, or with the problems found in it.
    """
    file = str(path)
    return parse_x3d(read_text(path, "an X3D or VRML97 file"), file)


def parse_x3d(text: str, file: str = "<string>.x3d") -> Scene:
    """Read text; the ending of the file's name says in which format it is.

    Raises:
        SceneErrors: with the problems found in it.
    """
    root = _read(text, file)
    builder = Builder(Path(file), _read_inline)
    scene = Scene(file=file)
    try:
        world = root.first("World")
        nodes = read_world(builder, world) if world is not None else []
        nodes += builder.nodes(root)
    except SceneError as error:
        builder.problems.append(error)
        nodes = []
    if builder.problems:
        raise SceneErrors(builder.problems)
    for node in (*builder.views, *nodes):
        for each in node.walk():
            each.axes = _axes_of(each)
    scene.nodes = [builder.info, *restated(builder.views + nodes)]
    scene.warnings = builder.warnings
    return scene


def _axes_of(node: Node) -> NodeAxes:
    """Those of the formats: every frame has the same."""
    own = BACK_TO_FORWARD
    if node.type_name == "Viewpoint":
        own = RUB_TO_FLU
    elif node.is_a("Geometry"):
        own = Y_TO_Z if node.type_name in LYING else KEEP
    return NodeAxes(BACK_TO_FORWARD, own, BACK_TO_FORWARD, is_old=True)


def _read(text: str, file: str) -> Item:
    """The item whose children are the roots of the scene."""
    root = READERS[Path(file).suffix.lower()](text, file)
    if root.name == "X3D":
        scene = root.first("Scene", "scene")
        if scene is None:
            raise SceneErrors([SceneError(*root.source, "an X3D without a Scene", "one Scene")])
        return scene
    if root.name != "Scene":
        raise SceneErrors([SceneError(*root.source, f'the element "{root.name}"', "X3D")])
    return root


def _read_inline(path: Path) -> Item:
    return _read(read_text(path, "an X3D or VRML97 file"), str(path))
