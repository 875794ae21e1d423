"""Older nodes get their later forms when a file is read; their axes stay (`scene/axes.py`)."""

from __future__ import annotations

from collections.abc import Iterable

from sim_core.base.errors import SceneError
from sim_core.scene.axes import FIRST_FLU_VERSION, settle_axes
from sim_core.scene.node import Node
from sim_core.scene.older.old_nodes import renew
from sim_core.scene.scene import ENU, Scene


def convert_old(scene: Scene) -> None:
    """Give old nodes of a scene and of its PROTO instances their later forms, in place; a warning says so."""
    renew_old(scene, scene.walk())
    settle_axes(scene)
    _say(scene)


def renew_old(scene: Scene, nodes: Iterable[Node]) -> None:
    """Give old nodes, which stand in a scene or shall, their later forms, in place."""
    headers = {scene.file: scene.header, **scene.headers}
    if any(header.is_before(FIRST_FLU_VERSION) for header in headers.values()):
        for node in nodes:
            definition = node.proto.node_type.proto if node.proto is not None else None
            file = node.source.file if definition is None else definition.file
            header = headers.get(file.removesuffix(" (as made by its template)"), scene.header)
            if header.is_before(FIRST_FLU_VERSION):
                renew(node, header)


def _say(scene: Scene) -> None:
    """One line for a world in other axes, and one for each old PROTO that is in use in a world of today."""
    system, header = scene.axes.system, scene.header
    if header.is_before(FIRST_FLU_VERSION):
        found = f"a world of version {header.version} in {system} axes; topics speak ENU and FLU"
        scene.warnings.insert(0, SceneError(scene.file, 1, 1, found))
        return
    if system != ENU:
        found = f"a world in {system} axes; topics speak ENU"
        scene.warnings.insert(0, SceneError(scene.file, 1, 1, found))
    told = set()
    for node in scene.walk():
        definition = node.proto.node_type.proto if node.proto is not None else None
        if (
            definition is None
            or definition.file in told
            or not definition.header.is_before(FIRST_FLU_VERSION)
        ):
            continue
        told.add(definition.file)
        found = f"PROTO {definition.name} of version {definition.header.version}: its shapes and devices "
        scene.warnings.append(SceneError(definition.file, 1, 1, found + "have the axes of that time"))
