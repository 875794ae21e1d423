"""Mesh and CadShape nodes: their files, and which triangles of them they show."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sim_core.base.errors import SceneError
from sim_core.scene.assets import Assets, NotFoundError
from sim_core.scene.meshes.mesh_files import MeshFile, MeshFileError, MeshPart, Triangles, read_mesh
from sim_core.scene.node import Node

FILE_NODES = ("Mesh", "CadShape")
_EMPTY = np.empty((0, 3, 3))


def mesh_parts(node: Node) -> list[MeshPart]:
    """The parts of its file that a Mesh or CadShape shows; of a Mesh without url none.

    As in Webots (reference, Mesh): `name` and `materialIndex` choose parts of Collada files and have no
    meaning for others.

    Raises:
        SceneError: the file is nowhere, is broken, or has no such part.
    """
    if not node["url"]:
        return []
    path = asset_file(node)
    try:
        file = read_mesh(path)
    except MeshFileError as error:
        raise SceneError(*node.source, f"{node.type_name}.url {path}: {error}") from None
    if node.type_name != "Mesh" or path.suffix.lower() != ".dae":
        return list(file.parts)
    return _chosen(node, file)


def mesh_triangles(node: Node) -> Triangles:
    """(n, 3, 3) all triangles that a Mesh or CadShape shows, `ccw` heeded.

    Raises:
        SceneError: as `mesh_parts`.
    """
    parts = [part.triangles for part in mesh_parts(node)]
    if not parts:
        return _EMPTY
    triangles = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return triangles if node["ccw"] else np.ascontiguousarray(triangles[:, ::-1])


def asset_file(node: Node, assets: Assets | None = None) -> Path:
    """The file that the first url of a node names.

    A relative URL counts from the file that the node stands in. A node of a PROTO may have it from the file
    of the instance: that is asked next.

    Args:
        assets: where to look; None: as the environment says, and never in the network.

    Raises:
        SceneError: it is nowhere; lists where it was looked for.
    """
    url: str = node["url"][0]
    try:
        return find_file(url, places(node), assets)
    except NotFoundError as error:
        where = f"; looked for at {', '.join(error.looked)}" if error.looked else ""
        raise SceneError(*node.source, f'{node.type_name}.url "{url}": {error}{where}') from None


def places(node: Node) -> tuple[str, ...]:
    """The files that a relative URL of a node counts from, in order."""
    return tuple(dict.fromkeys(each.source.file for each in (node, *node.ancestors())))


def find_file(url: str, bases: Iterable[str], assets: Assets | None = None) -> Path:
    """The file of a URL that may count from several files; after them from the common worlds of Webots.

    Raises:
        NotFoundError: it is nowhere.
    """
    assets = assets or Assets.for_world(None)
    relative = "://" not in url and not Path(url).is_absolute()
    files = [Path(base) for base in bases]
    if relative and assets.webots_home is not None:
        files.append(assets.webots_home / "projects" / "default" / "worlds" / "any.wbt")
    looked: list[str] = []
    reason = ""
    for file in files if relative else files[:1]:
        try:
            return assets.find(url, file)
        except NotFoundError as error:
            reason = reason or str(error)
            looked += [place for place in error.looked if place not in looked]
    raise NotFoundError(reason, looked)


def _chosen(node: Node, file: MeshFile) -> list[MeshPart]:
    """The parts of a Collada file with a Mesh's name and material."""
    name, material = node["name"], node["materialIndex"]
    parts = [part for part in file.parts if not name or name in part.names]
    if not parts:
        known = ", ".join(sorted({part.names[0] for part in file.parts}))
        raise SceneError(*node.source, f'Mesh.name "{name}"', f"a geometry of {node['url'][0]}: {known}")
    if material < 0:
        return parts
    if material >= file.materials:
        found = f"Mesh.materialIndex {material}"
        raise SceneError(*node.source, found, f"-1, or less than {file.materials}, as in {node['url'][0]}")
    return [part for part in parts if part.material == material]
