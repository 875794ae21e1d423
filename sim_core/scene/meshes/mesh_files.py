"""Mesh files: OBJ, STL, Collada, glTF, PLY and OFF as triangles in metres, z up.

OBJ, STL, PLY and OFF files have no unit and no axes: their numbers are used unchanged. Collada files state
both; they are rotated so that their up axis is z and scaled to metres, as Webots does. glTF is in metres with
y up, and is rotated likewise. Materials, buffers and pictures that a file names are searched for beside it.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from os.path import isfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Mat3
from sim_core.base.limits import limit, limit_text
from sim_core.scene.meshes.mesh_sizes import TooLargeError, check, check_collada, check_gltf
from sim_core.scene.meshes.picture_files import (
    MeshPicture,
    PictureError,
    checked_picture_readers,
    open_picture,
)
from sim_core.scene.meshes.silenced_readers import quiet

VertexColour = tuple[float, float, float, float]

FARTHEST = 1e9
"""Largest coordinate of a mesh in m: products of four coordinates are finite."""

FORMATS = {f".{kind}": kind for kind in ("obj", "stl", "dae", "glb", "gltf", "ply", "off")}
TEXTURES = "materials/textures"
"""Folder of the pictures of a Gazebo model, beside its `meshes`."""
_HEAD = 65_536
"""Number of bytes at the start of a Collada file that contain its asset."""
_UP = {
    "X_UP": ((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)),
    "Y_UP": ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    "Z_UP": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}


class MeshFileError(Exception):
    """A file is not a usable mesh; never leaves this package."""


@dataclass(frozen=True, eq=False)
class MeshPart:
    """The triangles of one material in a file.

    Attributes:
        name: names of the geometry, in Collada its id and its name.
        material: index of its material in the file, -1 without one.
        colour: red, green, blue and opacity of the material from 0 to 1, or None.
        triangles: (n, 3, 3) corners in m, anticlockwise seen from the front.
        picture: picture that replaces `colour`; None: the file names none.
        places: (n, 3, 2) texture coordinates of the corners: 0 to 1 from the left and from below; None: the
            file has none.
    """

    names: tuple[str, ...]
    material: int
    colour: VertexColour | None
    triangles: FloatArray
    places: FloatArray | None = None
    picture: MeshPicture | None = None

    def inside_out(self) -> MeshPart:
        """Return the same part with the opposite front side."""
        places = self.places[:, ::-1] if self.places is not None else None
        return replace(self, triangles=np.ascontiguousarray(self.triangles[:, ::-1]), places=places)


@dataclass(frozen=True)
class MeshFile:
    """Contents of a mesh file.

    Attributes:
        parts: parts with triangles, in file order.
        materials: number of materials.
    """

    parts: tuple[MeshPart, ...]
    materials: int = 0


def read_mesh(path: Path) -> MeshFile:
    """Read a mesh file; a file that has not changed since is read once only.

    Raises:
        MeshFileError: the format is unknown, or the file is too large or invalid.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise MeshFileError(f"cannot be read: {error.strerror}") from None
    return _read(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=256)
def _read(path: Path, _modified: int, size: int) -> MeshFile:
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise MeshFileError(f'the ending "{path.suffix}", expected one of {", ".join(FORMATS)}')
    if size > limit("mesh_bytes"):
        raise MeshFileError(f"{size} bytes, expected {limit_text('mesh_bytes')}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MeshFileError(f"cannot be read: {error.strerror}") from None
    try:
        with quiet():
            mesh = _collada(data, path) if kind == "dae" else _read_by_trimesh(data, kind, path)
    except (MeshFileError, MemoryError):
        raise
    except TooLargeError as error:
        raise MeshFileError(str(error)) from None
    except Exception as error:  # the readers raise exceptions of many types
        if isinstance(error, ModuleNotFoundError) and error.name in ("trimesh", "collada"):
            package = "pycollada" if error.name == "collada" else error.name
            raise MeshFileError(f"{kind} files need the package {package} (pip install {package})") from None
        text = " ".join(str(error).split()) or type(error).__name__
        raise MeshFileError(f"a broken {kind} file ({text[:120]})") from None
    count = sum(len(part.triangles) for part in mesh.parts)
    if not count:
        raise MeshFileError("no triangles")
    if count > limit("mesh_triangles"):
        raise MeshFileError(f"{count} triangles, expected {limit_text('mesh_triangles')}")
    return mesh


def collada_frame(path: Path) -> tuple[Mat3, float]:
    """Return the rotation that `read_mesh` applies to a Collada file and its unit in m, to invert both.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD).decode("utf-8", "replace")
    axis = re.search(r"<up_axis>\s*(\w+)", head)
    unit = re.search(r"<unit\b[^>]*\bmeter\s*=\s*[\"']\s*([-+.\deE]+)", head)
    rows = _UP.get(axis[1] if axis is not None else "Y_UP", _UP["Y_UP"])
    (a, b, c), (d, e, f), (g, h, i) = rows
    return (a, b, c, d, e, f, g, h, i), float(unit[1]) if unit is not None else 1.0


def _read_by_trimesh(data: bytes, kind: str, path: Path) -> MeshFile:
    """Read a file of any format except Collada."""
    import trimesh

    if kind == "obj":
        data = _in_utf8(data)
    elif kind in ("glb", "gltf"):
        check_gltf(data)
    beside = MeshResolver(path.parent)
    with checked_picture_readers():
        scene: Any = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False, resolver=beside)
    embedded: dict[int, MeshPicture] = {}
    parts: list[MeshPart] = []
    materials: dict[str, int] = {}
    turn = np.array(_UP["Y_UP" if kind in ("glb", "gltf") else "Z_UP"])
    nodes = sorted(scene.graph.nodes_geometry)
    faces = (getattr(scene.geometry[scene.graph[node][1]], "faces", ()) for node in nodes)
    check("mesh_triangles", sum(map(len, faces)), "triangles")
    for node in nodes:
        transform, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not hasattr(mesh, "faces"):
            continue
        points = np.asarray(mesh.vertices, float) @ transform[:3, :3].T + transform[:3, 3]
        corners = (points @ turn.T)[np.asarray(mesh.faces)]
        places = _texture_coordinates(getattr(mesh.visual, "uv", None), mesh.faces, len(points))
        if np.linalg.det(transform[:3, :3]) < 0.0:
            corners, places = _reversed(corners, places)
        material = getattr(mesh.visual, "material", None)
        index, colour, picture = -1, None, None
        if material is not None:
            index = materials.setdefault(str(getattr(material, "name", "")), len(materials))
            picture = _picture_of(material, beside.pictures, embedded)
            colour = _colour(_factor(material, picture))
        parts += _part((str(name),), index, colour, corners, places, picture)
    return MeshFile(tuple(parts), len(materials))


def _picture_of(
    material: Any, pictures: dict[str, MeshPicture], embedded: dict[int, MeshPicture]
) -> MeshPicture | None:
    """Return the picture of a material's colour, or None.

    Args:
        material: material of trimesh.
        pictures: pictures in separate files, by name.
        embedded: pictures within the mesh file found so far, by id of the Pillow image.
    """
    image = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
    if image is None:
        return None
    name = str(image.info.get(NAME, ""))
    if name in pictures:
        return pictures[name]
    is_opaque = getattr(material, "alphaMode", None) in (None, "OPAQUE")
    return embedded.setdefault(id(image), MeshPicture("a picture in it", image, is_opaque))


def _factor(material: Any, picture: MeshPicture | None) -> FloatArray:
    """Return the colour by which a picture is multiplied, or that of the material; white by default."""
    has_colour = "kd" in getattr(material, "kwargs", {}) or picture is None
    if hasattr(material, "baseColorFactor"):
        has_colour = material.baseColorFactor is not None
    return np.asarray(material.main_color) / 255.0 if has_colour else np.ones(4)


def _collada(data: bytes, path: Path) -> MeshFile:
    """Read a Collada file; parts are in the order of its scene."""
    import collada

    file = collada.Collada(io.BytesIO(data), ignore=[collada.common.DaeError])
    if file.scene is None:
        raise MeshFileError("a dae file without a scene")
    check_collada(file.scene.nodes)
    order = {material.id: index for index, material in enumerate(file.materials)}
    unit = file.assetInfo.unitmeter or 1.0
    turn = np.array(_UP.get(str(file.assetInfo.upaxis), _UP["Y_UP"])) * unit
    parts: list[MeshPart] = []
    pictures: dict[str, MeshPicture] = {}
    skins = (skin.geometry for skin in file.scene.objects("controller") if hasattr(skin, "geometry"))
    for bound in (*file.scene.objects("geometry"), *skins):  # skins in their bind pose, not deformed
        names = (str(bound.original.id), str(bound.original.name))
        mirrored = np.linalg.det(np.asarray(bound.matrix)[:3, :3]) < 0.0
        for primitive in bound.primitives():
            if hasattr(primitive, "triangleset"):
                primitive = primitive.triangleset()
            if not isinstance(primitive, collada.triangleset.BoundTriangleSet) or primitive.vertex is None:
                continue  # a primitive of lines
            corners = (np.asarray(primitive.vertex, float) @ turn.T)[np.asarray(primitive.vertex_index)]
            places = None
            if len(primitive.texcoordset) and len(primitive.texcoordset[0]):
                table = np.asarray(primitive.texcoordset[0], float)[:, :2]
                places = _texture_coordinates(table, primitive.texcoord_indexset[0], len(table))
            if mirrored:
                corners, places = _reversed(corners, places)
            material = primitive.material
            index = order.get(material.id, -1) if material is not None else -1
            diffuse = getattr(getattr(material, "effect", None), "diffuse", None)
            colour = _colour(np.asarray(diffuse, float)) if isinstance(diffuse, (tuple, list)) else None
            picture = None
            if isinstance(diffuse, collada.material.Map):
                name = str(diffuse.sampler.surface.image.path)
                picture = pictures.setdefault(name, mesh_picture(path.parent, name))
            parts += _part(names, index, colour, corners, places, picture)
    return MeshFile(tuple(parts), len(order))


def _in_utf8(data: bytes) -> bytes:
    """Convert text to UTF-8; invalid bytes are read as Latin-1, which older programs write in comments and
    names."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").encode("utf-8")
    return data


def _texture_coordinates(table: Any, corners: Any, count: int) -> FloatArray | None:
    """Return the texture coordinates of the corners of triangles from a table; None: there are none to
    use."""
    if table is None:
        return None
    table = np.asarray(table, float)
    if table.shape != (count, 2) or not np.isfinite(table).all():
        return None
    places: FloatArray = table[np.asarray(corners)]
    return places


def _reversed(corners: FloatArray, places: FloatArray | None) -> tuple[FloatArray, FloatArray | None]:
    return corners[:, ::-1], places[:, ::-1] if places is not None else None


def _part(
    names: tuple[str, ...],
    material: int,
    colour: VertexColour | None,
    corners: FloatArray,
    places: FloatArray | None,
    picture: MeshPicture | None,
) -> list[MeshPart]:
    """Return one part, or none if there are no triangles.

    Raises:
        MeshFileError: a coordinate is not finite.
    """
    corners = np.ascontiguousarray(corners, float).reshape(-1, 3, 3)
    if not len(corners):
        return []
    if not np.abs(corners).max() < FARTHEST:  # false also for NaN
        raise MeshFileError(f"coordinates that are not finite or beyond {FARTHEST:g} m")
    corners.flags.writeable = False
    return [MeshPart(names, material, colour, corners, places, picture)]


def _colour(values: FloatArray) -> VertexColour | None:
    if values.shape not in ((3,), (4,)) or not np.isfinite(values).all():
        return None
    red, green, blue, *alpha = (min(1.0, max(0.0, float(value))) for value in values)
    return (red, green, blue, alpha[0] if alpha else 1.0)


MATERIALS_AND_BUFFERS = (".mtl", ".bin")
NAME = "file_path"
"""Attribute of a Pillow image in which trimesh stores the name that a .mtl file gives the picture."""
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tga", ".tif", ".tiff", ".webp")


def find_picture(folder: Path, name: str) -> Path | None:
    """Return the file of a picture that a mesh in a folder names; None: it is not found.

    The name is relative to the mesh's folder. Exporters also write paths of their own machines: then a file
    of that name beside the mesh, or in the folder of textures of Gazebo models, is used. Options before the
    name in a .mtl file have no effect.
    """
    name = unquote(name.removeprefix("file://")).replace("\\", "/")
    for path in (name, name.rsplit(" ", 1)[-1] if name.startswith("-") else ""):
        if not path.lower().endswith(PICTURES):
            continue
        base = path.rsplit("/", 1)[-1]
        for file in (folder / path.lstrip("/"), folder / base, folder.parent / TEXTURES / base):
            if isfile(file):
                return file.resolve()
    return None


def mesh_picture(folder: Path, name: str) -> MeshPicture:
    """Return the picture that a mesh in a folder names; its file may be missing."""
    return MeshPicture(name, find_picture(folder, name))


class MeshResolver:
    """Resolver for trimesh: materials, buffers and pictures beside a mesh; no other files.

    Attributes:
        folder: folder of the mesh.
        pictures: requested pictures by name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pictures: dict[str, MeshPicture] = {}

    def get(self, name: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            FileNotFoundError: the file is not found, too large, or not allowed.
        """
        if name.lower().endswith(PICTURES):
            self.pictures[name] = mesh_picture(self.folder, name)
            path, most = find_picture(self.folder, name), limit("picture_bytes")
        else:
            path, most = (self.folder / name).resolve(), limit("mesh_bytes")
            inside = path.is_relative_to(self.folder.resolve())
            if not inside or path.suffix.lower() not in MATERIALS_AND_BUFFERS:
                path = None
        data = path.read_bytes() if path is not None and path.stat().st_size <= most else None
        if name in self.pictures and (data is None or not _is_picture(data)):
            return _placeholder(name)
        if data is None:
            raise FileNotFoundError(name)
        return data

    __getitem__ = get


def _is_picture(data: bytes) -> bool:
    try:
        open_picture(data).close()
    except PictureError:
        return False
    return True


def _placeholder(name: str) -> bytes:
    """Return a picture with the name of one that is missing, so that the readers do not silently omit it."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    text = PngInfo()
    text.add_text(NAME, name)
    out = io.BytesIO()
    Image.new("RGB", (1, 1)).save(out, "PNG", pnginfo=text)
    return out.getvalue()
