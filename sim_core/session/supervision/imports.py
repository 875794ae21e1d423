"""Adding nodes to a running world and removing them: reading them, and checking where they are allowed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import count

from sim_core.base.errors import SceneError
from sim_core.scene import Node, Scene, parse_scene
from sim_core.scene.node_types import FieldType
from sim_core.scene.older.legacy import convert_old
from sim_core.scene.proto.expansion import instance_around
from sim_core.scene.wbt.lexer import quoted
from sim_core.session.supervision.parameters import given as value_of
from sim_core.session.supervision.parameters import kind_of, parameter_of

HEADERS = ("#VRML_SIM", "#VRML_OBJ", "VRML_SIM")
AT_START_ONLY = ("WorldInfo", "Charger")
"""Nodes that are only read when a world is loaded."""

ONLY_ONE = ("Viewpoint", "Background", "Fog")
"""Nodes of which a world has at most one, at its root."""


def read_nodes(
    scene: Scene, text: str, file: str = "<imported>", importable: bool = False, skip_missing: bool = False
) -> list[Node]:
    """Read the root nodes of a text; it is in the axes of its header, otherwise in those of the world.

    PROTO nodes are those that the world declares. With `importable` only those that the world declares
    importable, or the text itself declares, are accepted, as in Webots, except in worlds before R2022b.
    Missing PROTO files are refused too, unless `skip_missing` is set as for a world.

    Raises:
        SceneErrors: with all problems found.
        SceneError: the text has no node.
    """
    if not text.lstrip().startswith(HEADERS):
        known = [each for each in scene.extern_protos if each.importable or not importable]
        declared = " ".join(f"EXTERNPROTO {quoted(proto.url)}" for proto in known)
        text = f"{scene.header.raw}\n{declared} {text}"
        if os.path.basename(file) == file:
            file = os.path.join(os.path.dirname(scene.file), file)
    elif text.lstrip().startswith("#VRML_OBJ"):
        text = text.replace("#VRML_OBJ", "#VRML_SIM", 1)
    read = parse_scene(text, file, scene.assets, skip_missing, scene, declared_only=importable)
    convert_old(read, scene)
    if not read.nodes and read.warnings:  # all nodes have been skipped
        raise read.warnings[0]
    if not read.nodes:
        raise SceneError(file, 0, 0, "no node to import", "one or more nodes")
    known_warnings = set(map(str, scene.warnings))
    scene.warnings += [each for each in read.warnings if str(each) not in known_warnings]
    scene.headers = {file: read.header, **read.headers, **scene.headers}
    names = {proto.name for proto in scene.extern_protos}
    scene.extern_protos += [proto for proto in read.extern_protos if proto.name not in names]
    return read.nodes


def check_import(scene: Scene, nodes: list[Node], holder: Node | None, field: str) -> list[Node]:
    """Return the nodes that can be added; the scene's warnings give the reasons for the others.

    Raises:
        SceneError: none can be added; gives the reason.
    """
    kind = None if holder is None else _kind_of(holder, field, len(nodes))
    present = {each.type_name: each for each in scene.nodes}
    kept: list[Node] = []
    refused: list[SceneError] = []
    for node in nodes:
        there, fits = present.get(node.type_name), node.proto.node_type if node.proto else node.node_type
        if node.type_name in AT_START_ONLY:
            found = f"an import of a {node.type_name}"
            refused.append(_refusal(node, found, "a node that need not be there at the start"))
        elif node.type_name in ONLY_ONE and there is not None:
            found = f"a second {node.type_name}, beside that at {there.where}"
            refused.append(_refusal(node, found, "one of them"))
        elif holder is not None and kind is not None and not kind.holds(fits):
            expected = "a " + " or ".join(kind.nodes) if kind.nodes else f"no {node.type_name}"
            refused.append(_refusal(node, f"{node.type_name} in {holder.type_name}.{field}", expected))
        else:
            kept.append(node)
            present.setdefault(node.type_name, node)
    if not kept:
        raise refused[0]
    scene.warnings += refused
    return kept


def _kind_of(holder: Node, field: str, count: int) -> FieldType:
    """Return the type of a field that must accept `count` more nodes.

    Raises:
        SceneError: it does not.
    """
    kind = kind_of(holder, field)
    if kind is None:
        holder[field]  # raises SceneError: there is no such field
        raise AssertionError
    given = parameter_of(holder, field)
    _refuse_inside_proto(holder, "an import into", include_itself=given is None)
    if not kind.type.endswith("Node"):
        raise _refusal(holder, f"an import into {holder.path()}.{field}", "a field that holds nodes")
    present = holder[field] if given is None else value_of(holder, given)
    if kind.type == "SFNode" and (count > 1 or present is not None):
        raise _refusal(
            holder, f"{holder.path()}.{field} holds one node", "an empty field and one node for it"
        )
    return kind


def give_names(nodes: list[Node], taken: Iterable[str]) -> None:
    """Append numbers to names of robots that are taken, as in Webots."""
    names = set(taken)
    for robot in (each for node in nodes for each in node.walk() if each.is_a("Robot")):
        if robot["name"] in names:
            own = robot["name"]
            robot["name"] = next(new for number in count(1) if (new := f"{own}({number})") not in names)
        names.add(robot["name"])


def check_removal(scene: Scene, node: Node) -> None:
    """Check that a node can be removed.

    Raises:
        SceneError: it cannot; gives the reason.
    """
    root = [node, *node.ancestors()][-1]
    if root not in scene.nodes:
        raise _refusal(node, f"{node.path()} is not in the world", "a node of it")
    if node.type_name in AT_START_ONLY:
        raise _refusal(node, f"the removal of {node.path()}", "a node that the world can do without")
    _refuse_inside_proto(node, "the removal of", include_itself=False)


def _refuse_inside_proto(node: Node, what: str, include_itself: bool) -> None:
    """Refuse nodes inside a PROTO instance: its body is made from its parameters and cannot be changed
    alone."""
    inside = node if include_itself and node.proto is not None else instance_around(node)
    if inside is not None and inside.proto is not None:
        name = inside.proto.node_type.name
        raise _refusal(node, f"{what} {node.path()}, a part of a {name}", "a node that no PROTO makes")


def _refusal(node: Node, found: str, expected: str) -> SceneError:
    return SceneError(*node.source, found, expected)
