"""Which of the mesh and picture files that a scene names are nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sim_core.base.errors import SceneError
from sim_core.scene.assets import PROTO_ENDING, Assets, NotFoundError
from sim_core.scene.meshes.node_files import FILE_NODES, file_of, find_file, places
from sim_core.scene.node import Node
from sim_core.scene.scene import Scene


def missing_files(scene: Scene, assets: Assets) -> list[SceneError]:
    """One warning for each mesh file that is nowhere, and one for all pictures.

    With `assets.may_download` files are brought into the cache, where they are found from then on.
    """
    meshes: dict[str, SceneError] = {}
    pictures: dict[str, SceneError] = {}
    asked: set[tuple[str, str]] = set()
    for node in _with_files(scene):
        key = (node["url"][0], node.source.file)
        if key in asked:
            continue
        asked.add(key)
        try:
            file_of(node).find(assets)
        except SceneError as error:
            group = meshes if node.type_name in FILE_NODES else pictures
            group.setdefault(key[0], error)
    for node in scene.walk():
        if node.has_field("noiseMaskUrl") and node["noiseMaskUrl"]:
            with suppress(NotFoundError):  # the camera says it, wherever it comes from
                find_file(node["noiseMaskUrl"], places(node), assets)
    warnings = list(meshes.values())
    if pictures:
        first, *others = pictures.values()
        more = f" (and {len(others)} more pictures)" if others else ""
        warnings.append(SceneError(first.file, first.line, first.column, f"{first.found}{more}"))
    return warnings


def used_files(scene: Scene, assets: Assets) -> list[Path]:
    """The PROTO, mesh and picture files that a scene is made of, as far as they are found."""
    found: dict[Path, None] = {Path(file): None for file in scene.headers if file.endswith(PROTO_ENDING)}
    for node in _with_files(scene):
        with suppress(SceneError):
            found[file_of(node).find(assets)] = None
    return list(found)


def _with_files(scene: Scene) -> Iterator[Node]:
    for node in scene.walk():
        if (node.type_name in FILE_NODES or node.type_name == "ImageTexture") and node["url"]:
            yield node
