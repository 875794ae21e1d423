"""The files that a mesh file names: materials, buffers and pictures."""

from __future__ import annotations

import io
from os.path import isfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sim_core.scene.meshes.picture_files import MOST_BYTES as MOST_PICTURE_BYTES
from sim_core.scene.meshes.picture_files import MeshPicture

MOST_BYTES = 128 * 2**20
MATERIALS_AND_BUFFERS = (".mtl", ".bin")
NAME = "file_path"
"""Where trimesh notes, in a picture that Pillow has opened, what a .mtl file calls it."""
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tga", ".tif", ".tiff", ".webp")


def find_picture(folder: Path, name: str) -> Path | None:
    """The file of a picture that a mesh in a folder names; None: it is nowhere.

    The name counts from the mesh's folder. Exporters write the paths of their own machines, too: then a file
    of that name beside the mesh is taken. Options that stand before the name in a .mtl file have no effect.
    """
    name = unquote(name.removeprefix("file://")).replace("\\", "/")
    for path in (name, name.rsplit(" ", 1)[-1] if name.startswith("-") else ""):
        if not path.lower().endswith(PICTURES):
            continue
        for file in (folder / path.lstrip("/"), folder / path.rsplit("/", 1)[-1]):
            if isfile(file):
                return file.resolve()
    return None


def mesh_picture(folder: Path, name: str) -> MeshPicture:
    """The picture that a mesh in a folder names, wherever it is."""
    return MeshPicture(name, find_picture(folder, name))


def resolver_of(folder: Path, pictures: dict[str, MeshPicture]) -> Any:
    """Gives trimesh the materials and buffers that lie beside a mesh, and pictures; no other files.

    Args:
        folder: of the mesh.
        pictures: is filled with those that were asked for, by name.
    """
    from trimesh.resolvers import Resolver

    class Beside(Resolver):
        def __init__(self) -> None:
            pass

        def get(self, name: str) -> bytes:
            if name.lower().endswith(PICTURES):
                pictures[name] = mesh_picture(folder, name)
                path, most = find_picture(folder, name), MOST_PICTURE_BYTES
            else:
                path, most = (folder / name).resolve(), MOST_BYTES
                inside = path.is_relative_to(folder.resolve())
                if not inside or path.suffix.lower() not in MATERIALS_AND_BUFFERS:
                    path = None
            data = path.read_bytes() if path is not None and path.stat().st_size <= most else None
            if name in pictures and (data is None or not _is_picture(data)):
                return _stand_in(name)
            if data is None:
                raise FileNotFoundError(name)
            return data

        def keys(self) -> list[str]:
            return []

        def namespaced(self, namespace: str) -> Beside:
            return self

        def write(self, name: str, data: bytes) -> None:
            raise PermissionError(name)

    return Beside()


def _is_picture(data: bytes) -> bool:
    from PIL import Image

    try:
        Image.open(io.BytesIO(data)).close()
    except Exception:  # Pillow's readers raise many kinds
        return False
    return True


def _stand_in(name: str) -> bytes:
    """A picture for one that cannot be had, which knows the other's name: the readers leave it out otherwise,
    and nobody would know of it."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    text = PngInfo()
    text.add_text(NAME, name)
    out = io.BytesIO()
    Image.new("RGB", (1, 1)).save(out, "PNG", pnginfo=text)
    return out.getvalue()
