"""Search for mesh and picture files that a scene names and that do not exist."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from sim_core.base.errors import LEFT_OUT, Mistake, SceneError, bounded
from sim_core.scene.assets import PROTO_ENDING, Assets
from sim_core.scene.meshes.node_files import FILE_NODES, IRRADIANCE, SKY, FileReference, file_of
from sim_core.scene.node import Node
from sim_core.scene.scene import Scene

_FIELDS = dict.fromkeys((*FILE_NODES, "ImageTexture"), ("url",)) | {
    "Background": (*SKY, *IRRADIANCE),
    "Camera": ("noiseMaskUrl",),
}


def missing_files(scene: Scene, assets: Assets) -> list[SceneError]:
    """Return one warning for each missing mesh file, and one for all missing pictures.

    With `assets.may_download` missing files are downloaded into the cache and found there afterwards.
    """
    meshes: dict[str, Mistake] = {}
    pictures: dict[str, SceneError] = {}
    checked: set[tuple[str, str]] = set()
    for node in scene.walk():
        for file in _files(node):
            key = (file.url, node.source.file)
            if key in checked:
                continue
            checked.add(key)
            try:
                file.find_file(assets)
            except SceneError as error:
                if node.type_name == "Camera":  # it reports this itself
                    continue
                if node.type_name in FILE_NODES:
                    meshes.setdefault(file.url, Mistake.from_error(error, LEFT_OUT))
                else:
                    pictures.setdefault(file.url, error)
    warnings: list[SceneError] = [*bounded(meshes.values())]
    if pictures:
        first, *others = pictures.values()
        more = f" (and {len(others)} more pictures)" if others else ""
        warnings.append(SceneError(first.file, first.line, first.column, f"{first.found}{more}"))
    return warnings


def used_files(scene: Scene, assets: Assets) -> list[Path]:
    """Return the PROTO, mesh and picture files of a scene that are found."""
    found: dict[Path, None] = {Path(file): None for file in scene.headers if file.endswith(PROTO_ENDING)}
    for node in scene.walk():
        for file in _files(node):
            with suppress(SceneError):
                found[file.find_file(assets)] = None
    return list(found)


def _files(node: Node) -> list[FileReference]:
    """Return the mesh and picture files that a node names."""
    fields = _FIELDS.get(node.type_name, ())
    return [file_of(node, field) for field in fields if node[field]]
