"""Which of the mesh files that a scene names cannot be used."""

from __future__ import annotations

from sim_core.base.errors import SceneError
from sim_core.model.geometry import CadShape, FileMesh
from sim_core.model.geometry_nodes import geometry_of
from sim_core.scene.meshes.picture_files import PictureError
from sim_core.scene.scene import Scene


def broken_files(scene: Scene) -> list[SceneError]:
    """One warning for each mesh file that is there and cannot be used, or that lacks a picture."""
    found: dict[str, SceneError] = {}
    for node in scene.walk():
        mesh = geometry_of(node)
        if not isinstance(mesh, FileMesh) or mesh.file is None:
            continue
        try:
            mesh.file.find()
        except SceneError:
            continue  # said when the scene was read
        try:
            parts = mesh.parts
        except SceneError as error:
            found.setdefault(error.found, error)
            continue
        pictures = [part.picture for part in parts if part.picture and isinstance(mesh, CadShape)]
        for picture in dict.fromkeys(pictures):
            try:
                picture.pixels()
            except PictureError as error:
                what = f'CadShape.url {mesh.file.url}: its picture "{picture.name}": {error}'
                found.setdefault(what, SceneError(*node.source, what))
    return list(found.values())
