"""A world from text: what the parsers of the world and of its PROTO files share, and the whole of it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.scene.asset_check import missing_files
from sim_core.scene.assets import Assets
from sim_core.scene.axes import world_axes
from sim_core.scene.limits import Budget
from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType
from sim_core.scene.proto.instances import expand
from sim_core.scene.proto.proto_library import ProtoLibrary, ProtoScope
from sim_core.scene.proto.templates import Templates
from sim_core.scene.scene import Scene, WorldAxes
from sim_core.scene.wbt.cursor import Cursor, GiveUpError
from sim_core.scene.wbt.header import CURRENT, parse_header
from sim_core.scene.wbt.lexer import Lines, tokenize
from sim_core.scene.wbt.parser import Parser


def parse_scene(
    text: str,
    file: str = "<string>",
    assets: Assets | None = None,
    skip_missing: bool = False,
    axes: WorldAxes | None = None,
) -> Scene:
    """Read a world from text.

    Args:
        text: of the file.
        file: its name, for messages, and for relative URLs in it.
        assets: where the files are that it names; None: as the environment says.
        skip_missing: a PROTO that is nowhere becomes an empty node and a warning; unknown fields are
            passed over with a warning.
        axes: of the world that the nodes are for; None: of this one.

    Raises:
        SceneErrors: with every problem found, in file order.
    """
    try:
        header, start = parse_header(text, file)
    except SceneError as error:
        raise SceneErrors([error]) from None
    lines = Lines(text)
    tokens, problems = tokenize(text, file, lines, start)
    scene = Scene(file=file, header=header, skip_missing=skip_missing)
    load = Load(scene, assets or Assets.for_world(None), skip_missing)
    if axes is not None:
        load.templates.axes = axes.system
    scope = ProtoScope(load.library, Path(file), scene.extern_protos)
    parser = Parser(Cursor(tokens, file, lines), load, scope)
    try:
        with contextlib.suppress(GiveUpError):
            parser.parse_file()
    finally:
        load.templates.close()
    scene.headers = load.library.headers()
    problems += parser.cursor.problems
    problems.sort(key=lambda problem: (problem.line, problem.column))
    problems += load.problems.values()
    if problems:
        raise SceneErrors(problems)
    scene.warnings += _told_of(load.elsewhere)
    scene.warnings += missing_files(scene, load.library.assets)
    return scene


def expanded(scene: Scene, instance: Node, fields: dict[str, Any]) -> Node:
    """An instance like another, with other parameters, expanded; it stands nowhere yet.

    Args:
        scene: the world of the other one; its PROTO files are not read again.
        instance: the other one.
        fields: the parameters; nodes among them are those that the other one was given.

    Raises:
        SceneErrors: the PROTO makes nothing of them.
    """
    assert instance.proto is not None
    node = Node(instance.proto.node_type, instance.source, instance.def_name)
    node.fields = fields
    made = Scene(scene.file, skip_missing=scene.skip_missing)
    load = Load(made, Assets.for_world(scene.file), scene.skip_missing)
    tokens, _ = tokenize("", scene.file, lines := Lines(""))
    parser = Parser(Cursor(tokens, scene.file, lines), load, instance.proto.node_type.proto.scope)
    try:
        with contextlib.suppress(GiveUpError):
            expand(parser, node)
    finally:
        load.templates.close()
    if load.problems:
        raise SceneErrors(list(load.problems.values()))
    scene.headers |= parser.scope.library.headers()
    return node


class Load:
    """What the parsers of a world and of its PROTO files share.

    Attributes:
        elsewhere: PROTO names that are not at their URLs: where each is named first, and the file that is
            taken in its place.
    """

    def __init__(self, scene: Scene, assets: Assets, skip_missing: bool) -> None:
        self.scene = scene
        self.skip_missing = skip_missing
        self.budget = Budget()
        self.templates = Templates(_template_context(scene, assets), world_axes(scene).system)
        self.library = ProtoLibrary(assets, self.parse_default)
        self.told: set[str] = set()
        self.problems: dict[str, SceneError] = {}
        self.elsewhere: dict[str, tuple[tuple[str, int, int], Path]] = {}

    def parse_default(self, cursor: Cursor, field: FieldType, scope: ProtoScope) -> object:
        """The default of an interface field that holds nodes."""
        return Parser(cursor, self, scope).default_nodes(field)


def _told_of(elsewhere: dict[str, tuple[tuple[str, int, int], Path]]) -> list[SceneError]:
    """One line for all of `Load.elsewhere`."""
    if not elsewhere:
        return []
    names = ", ".join(elsewhere)
    place, file = next(iter(elsewhere.values()))
    if len(elsewhere) == 1:
        return [SceneError(*place, f"PROTO {names} is not at its URL; taken in its place: {file}")]
    folder = os.path.commonpath([file.parent for _, file in elsewhere.values()])
    return [
        SceneError(*place, f"PROTO {names} are not at their URLs; taken in their place: those in {folder}")
    ]


def _template_context(scene: Scene, assets: Assets) -> dict[str, Any]:
    """What templates know of where they are (Webots reference, Content of the context object)."""
    return {
        "world": str(Path(scene.file).resolve()),
        "project_path": str(assets.project or ""),
        "webots_version": {"major": CURRENT, "revision": ""},
        "webots_home": str(assets.webots_home or ""),
        "temporary_files_path": tempfile.gettempdir(),
        "os": "linux",
    }
