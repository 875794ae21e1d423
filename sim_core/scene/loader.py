"""Loading of scenes from world files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from itertools import accumulate, dropwhile
from pathlib import Path
from typing import Any

from sim_core.base.errors import SceneError, SceneErrors, bounded
from sim_core.base.machine import without_collection
from sim_core.scene.asset_check import missing_files
from sim_core.scene.assets import Assets
from sim_core.scene.axes import world_axes
from sim_core.scene.files import read_text
from sim_core.scene.node import Node
from sim_core.scene.older.legacy import convert_old
from sim_core.scene.older.old_scale import bake_scales
from sim_core.scene.proto.folding import Folding
from sim_core.scene.proto.missing import missing_proto_warnings
from sim_core.scene.proto.proto_library import ProtoScope
from sim_core.scene.proto.proto_parser import Load, ProtoParser
from sim_core.scene.proto.templates import Templates
from sim_core.scene.resets import reset_values
from sim_core.scene.scene import Scene
from sim_core.scene.sdf.file_kinds import is_sdf
from sim_core.scene.wbt.cursor import Cursor, TooManyProblemsError
from sim_core.scene.wbt.header import CURRENT, parse_header
from sim_core.scene.wbt.lexer import Lines, tokenize
from sim_core.scene.x3d.x3d_loader import ENDINGS, load_x3d

MOST_NAMES = 30
"""Largest number of names in one message."""


def load_scene(
    path: str | Path,
    *,
    download: bool = False,
    skip_missing: bool = False,
    lenient: bool = False,
    instanced: bool = False,
) -> Scene:
    """Read a world file and the PROTO files that it needs; old nodes are converted (see `legacy.py`).

    Files that end in .x3d or .wrl are read as X3D and VRML97 (see `x3d_loader.py`), those of Gazebo as SDF.

    Args:
        path: of the world.
        download: download files that are not on this machine.
        skip_missing: missing PROTO become empty nodes, with one warning for all of them.
        lenient: errors that Webots only warns of become warnings: unknown fields and
            nodes, nodes and values that are not allowed at their place; invalid values are reset
            (`resets.py`); always with `skip_missing`.
        instanced: of equal robots of a PROTO only the first has nodes (see `proto/folding.py`).

    Raises:
        SceneErrors: the file cannot be read, or with every problem found in it and in its PROTO files.
    """
    if Path(path).suffix.lower() in ENDINGS:
        scene = load_x3d(path)
        scene.is_lenient = lenient or skip_missing
        return _with_valid_values(scene)
    text = read_text(path, "a world file (.wbt)")
    if is_sdf(path, text):
        from sim_core.scene.sdf.reader import load_sdf

        scene = load_sdf(path)
        scene.skip_missing, scene.is_lenient = skip_missing, lenient or skip_missing
        return _with_valid_values(scene)
    return scene_from_text(
        text, path, download=download, skip_missing=skip_missing, lenient=lenient, instanced=instanced
    )


def world_info_of(path: Path) -> Node:
    """Return the WorldInfo of a world file; its other nodes and its PROTO files are not read.

    Raises:
        SceneErrors: the file cannot be read, or its header or the node is invalid.
    """
    if path.suffix.lower() in ENDINGS:
        return load_x3d(path).world_info
    text = read_text(path, "a world file (.wbt)")
    if is_sdf(path, text):
        from sim_core.scene.sdf.reader import load_sdf

        return load_sdf(path).world_info
    _, start = parse_header(text, str(path))
    tokens, _ = tokenize(text, str(path), Lines(text), start)
    depths = accumulate({"{": 1, "}": -1}.get(token.kind, 0) for token in tokens)
    behind = dropwhile(lambda each: each[0].text != "WorldInfo", zip(tokens, depths, strict=True))
    first = next(behind, None)
    if first is None:
        return parse_scene(text[:start], str(path)).world_info
    next(behind, None)  # its opening bracket
    end = next((token.offset + 1 for token, depth in behind if depth == first[1]), len(text))
    before = re.sub(r"[^\r\n]", " ", text[start : first[0].offset])  # lines and columns are unchanged
    return parse_scene(text[:start] + before + text[first[0].offset : end], str(path)).world_info


@without_collection()
def scene_from_text(
    text: str,
    path: str | Path,
    *,
    download: bool = False,
    skip_missing: bool = False,
    lenient: bool = False,
    instanced: bool = False,
    is_own_save: bool = False,
) -> Scene:
    """Make a scene from the text of a world file (.wbt), like `load_scene`.

    With `is_own_save` the text was saved with these same PROTO files: none replaces another one.

    Raises:
        SceneErrors: with every problem found in it and in its PROTO files.
    """
    assets = Assets.for_world(path, download)
    scene = parse_scene(
        text,
        str(path),
        assets,
        skip_missing,
        lenient=lenient,
        instanced=instanced,
        is_own_save=is_own_save,
    )
    convert_old(scene)
    bake_scales(scene)
    return _with_valid_values(scene)


def _with_valid_values(scene: Scene) -> Scene:
    """Return a scene; if it is lenient, with invalid values reset."""
    if scene.is_lenient:
        reset_values(scene.walk(), scene.warnings)
    return scene


def parse_scene(
    text: str,
    file: str = "<string>",
    assets: Assets | None = None,
    skip_missing: bool = False,
    world: Scene | None = None,
    lenient: bool = False,
    instanced: bool = False,
    is_own_save: bool = False,
    declared_only: bool = False,
) -> Scene:
    """Read a world from text without conversion of old nodes.

    Args:
        text: text of the file.
        file: its name, for messages, and for relative URLs in it.
        assets: search places for the files that it names; None: from the environment.
        skip_missing, lenient, instanced: see `load_scene`.
        is_own_save: see `scene_from_text`.
        world: scene to which the nodes will be added, and whose DEF names USE may name; None: a new one.
        declared_only: see `ProtoScope`.

    Raises:
        SceneErrors: with every problem found, in file order.
    """
    header, start = parse_header(text, file)
    lines = Lines(text)
    tokens, problems = tokenize(text, file, lines, start)
    lenient = lenient or skip_missing or (world is not None and world.is_lenient)
    scene = Scene(file=file, header=header, skip_missing=skip_missing, is_lenient=lenient)
    if world is not None:
        scene.numbers = world.numbers
    load = _load_for(scene, assets or Assets.for_world(None))
    if world is not None:
        load.templates.axes = world.axes.system
    load.folding = Folding() if instanced else None
    load.is_own_save = is_own_save
    scope = ProtoScope(load.library, Path(file), scene.extern_protos, header)
    scope.declared_only = declared_only
    parser = ProtoParser(Cursor(tokens, file, lines), load, scope)
    if world is not None and "USE" in text:
        parser.defs |= {node.def_name: node for node in world.walk() if node.def_name}
    try:
        with contextlib.suppress(TooManyProblemsError):
            parser.parse_file()
    finally:
        load.templates.close()
    scene.headers = load.library.headers()
    problems += parser.cursor.problems
    problems.sort(key=lambda problem: (problem.line, problem.column))
    problems += load.problems.values()
    if world is not None:  # nodes that are added to a running world are always written out
        problems += load.failed.values()
    if problems:
        raise SceneErrors(problems)
    scene.warnings += missing_proto_warnings(load.missing, load.library.assets.may_download)
    scene.warnings += bounded(load.failed.values())
    scene.warnings += _elsewhere_warnings(load.elsewhere)
    scene.warnings += missing_files(scene, load.library.assets)
    return scene


def expanded(scene: Scene, instance: Node, fields: dict[str, Any]) -> Node:
    """Return an expanded instance without parent, like another one but with other parameters.

    Args:
        scene: world of the other instance; its PROTO files are not read again.
        instance: the other instance.
        fields: the parameters; nodes among them are those of the other instance.

    Raises:
        SceneErrors: the PROTO cannot be expanded with them.
    """
    assert instance.proto is not None
    node = Node(instance.proto.node_type, instance.source, instance.def_name)
    node.fields = fields
    made = Scene(
        scene.file,
        skip_missing=scene.skip_missing,
        is_lenient=scene.is_lenient,
        numbers=scene.numbers,
    )
    load = _load_for(made, scene.assets)
    load.templates.axes = scene.axes.system
    tokens, _ = tokenize("", scene.file, lines := Lines(""))
    scope = instance.proto.node_type.proto.scope
    parser = ProtoParser(Cursor(tokens, scene.file, lines), load, scope)
    try:
        with contextlib.suppress(TooManyProblemsError):
            referrer = scene.header_of(instance.source.file)
            parser.expand(node, instance.proto.number, referrer)
    finally:
        load.templates.close()
    if load.problems or load.failed:
        raise SceneErrors([*load.problems.values(), *load.failed.values()])
    if node.proto is not None:
        node.proto.unset_defaults |= instance.proto.unset_defaults
    scene.headers |= scope.library.headers()
    return node


def _load_for(scene: Scene, assets: Assets) -> Load:
    """Return the start state of a load, with the context of templates (Webots reference, Content of the
    context)."""

    def context() -> dict[str, Any]:
        own = hashlib.sha256(str(Path(scene.file).resolve()).encode()).hexdigest()[:16]
        return {
            "world": os.path.realpath(scene.file),
            "project_path": str(assets.project or ""),
            "webots_version": {"major": CURRENT, "revision": ""},
            "webots_home": str(assets.webots_home or ""),
            "temporary_files_path": str(assets.cache.absolute() / "templates" / own),
            "os": "linux",
        }

    templates = Templates(context, world_axes(scene).system)
    return Load(
        scene.warnings,
        scene.is_lenient,
        scene=scene,
        templates=templates,
        assets=assets,
        skip_missing=scene.skip_missing,
    )


def _elsewhere_warnings(elsewhere: dict[str, tuple[tuple[str, int, int], Path]]) -> list[SceneError]:
    """Return one warning for all of `Load.elsewhere`."""
    if not elsewhere:
        return []
    names, more = ", ".join([*elsewhere][:MOST_NAMES]), len(elsewhere) - MOST_NAMES
    if more > 0:
        names += f" and {more} more"
    place, file = next(iter(elsewhere.values()))
    if len(elsewhere) == 1:
        return [SceneError(*place, f"PROTO {names} is not at its URL; taken in its place: {file}")]
    folder = os.path.commonpath([file.parent for _, file in elsewhere.values()])
    return [
        SceneError(*place, f"PROTO {names} are not at their URLs; taken in their place: those in {folder}")
    ]
