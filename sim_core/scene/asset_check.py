"""Which of the mesh and picture files that a scene names are nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from sim_core.base.errors import SceneError
from sim_core.scene.assets import Assets, NotFoundError
from sim_core.scene.meshes.mesh_nodes import FILE_NODES, asset_file, find_file, mesh_parts, places
from sim_core.scene.meshes.picture_files import PictureError
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
            asset_file(node, assets)
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


def broken_files(scene: Scene) -> list[SceneError]:
    """One warning for each mesh file that is there and cannot be used, or that lacks a picture."""
    found: dict[str, SceneError] = {}
    for node in _with_files(scene):
        if node.type_name in FILE_NODES:
            try:
                asset_file(node)
            except SceneError:
                continue  # said when the scene was read
            try:
                parts = mesh_parts(node)
            except SceneError as error:
                found.setdefault(error.found, error)
                continue
            pictures = [part.picture for part in parts if part.picture and node.type_name == "CadShape"]
            for picture in dict.fromkeys(pictures):
                try:
                    picture.pixels()
                except PictureError as error:
                    what = f'CadShape.url {node["url"][0]}: its picture "{picture.name}": {error}'
                    found.setdefault(what, SceneError(*node.source, what))
    return list(found.values())


def _with_files(scene: Scene) -> Iterator[Node]:
    for node in scene.walk():
        if (node.type_name in FILE_NODES or node.type_name == "ImageTexture") and node["url"]:
            yield node
