"""Markers that become triangles: arrows, lists of boxes, mesh files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import Float32Array
from sim_core.scene.meshes.mesh_files import MeshFileError, read_mesh

SIDES = 16
HEAD_LENGTH, HEAD_WIDTH = 0.23, 2.0
"""Head of an arrow without points: parts of its length and of its shaft's width, as RViz draws it."""
_BOX_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def arrow(marker: Any) -> Float32Array | None:
    """Return an arrow in the marker's frame; None: it has neither 0 nor 2 points, or both are the same.

    With two points it goes from the first to the second, and the scale is shaft width, head width and head
    length. Without points it goes along x, and the scale is its length and the widths of its shaft.

    """
    if not marker.points:
        length = marker.scale.x
        shape = _arrow(length, 1.0, HEAD_LENGTH * length, HEAD_WIDTH)
        return (shape * (1.0, marker.scale.y, marker.scale.z)).astype(np.float32)
    if len(marker.points) != 2:
        return None
    start, end = (np.array((point.x, point.y, point.z)) for point in marker.points)
    length = float(np.linalg.norm(end - start))
    if length == 0.0:
        return None
    head = min(marker.scale.z or HEAD_LENGTH * length, length)
    ahead = (end - start) / length
    side = np.cross(ahead, (0.0, 0.0, 1.0) if abs(ahead[2]) < 0.9 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    turn = np.stack((ahead, side, np.cross(ahead, side)))
    return (start + _arrow(length, marker.scale.x, head, marker.scale.y) @ turn).astype(np.float32)


def boxes(points: Float32Array, scale: tuple[float, float, float]) -> Float32Array:
    """Return a box around each point, 36 corners each."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * scale
    faces = [face[i] for face in _BOX_FACES for i in (0, 1, 2, 0, 2, 3)]
    return (points[:, None, :] + corners[faces]).reshape(-1, 3).astype(np.float32)


class MeshFiles:
    """Meshes that markers refer to or contain.

    Args:
        warn: called once for each mesh that cannot be read.
    """

    def __init__(self, warn: Callable[[str], Any] = lambda text: None) -> None:
        self.warn = warn
        self._warned: set[str] = set()
        self._contents: dict[str, bytes] = {}

    def remove_contents(self) -> None:
        """Drop the contents of markers, which later markers cannot refer to any more."""
        self._contents.clear()

    def glb_of(self, marker: Any) -> bytes | None:
        """Return the binary glTF that a marker contains, or contained earlier; None: it has none."""
        name = marker.mesh_file.filename
        if not (marker.mesh_use_embedded_materials and name.endswith(".glb")):
            return None
        if marker.mesh_file.data:
            self._contents[name] = bytes(marker.mesh_file.data)
        return self._contents.get(name)

    def triangles_of(self, marker: Any) -> Float32Array | None:
        """Return the triangles of a MESH_RESOURCE; None: it cannot be read."""
        name = marker.mesh_resource
        try:
            if marker.mesh_file.data:
                return _of_bytes(bytes(marker.mesh_file.data), Path(marker.mesh_file.filename or name).suffix)
            return _of_file(_path_of(name))
        except (MeshFileError, OSError, ValueError) as error:
            if name not in self._warned:
                self._warned.add(name)
                self.warn(f'a marker with the mesh "{name}": {error}')
            return None


def _path_of(resource: str) -> Path:
    """Return the path of `file:///…`, `package://NAME/…`, or a plain path.

    Raises:
        ValueError: the package is not installed here, or the scheme is not supported.
    """
    parts = urlparse(resource)
    if parts.scheme == "package":
        from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

        try:
            return Path(get_package_share_directory(parts.netloc)) / unquote(parts.path).lstrip("/")
        except (PackageNotFoundError, LookupError, OSError):
            raise ValueError(f'found no package "{parts.netloc}" on the viewer\'s machine') from None
    if parts.scheme not in ("file", ""):
        raise ValueError(f"found {parts.scheme}:, expected file: or package:")
    return Path(unquote(parts.path))


def _of_file(path: Path) -> Float32Array:
    parts = read_mesh(path).parts
    if not parts:
        raise ValueError("found no triangles")
    return np.concatenate([part.triangles.reshape(-1, 3) for part in parts]).astype(np.float32)


@lru_cache(maxsize=32)
def _of_bytes(data: bytes, ending: str) -> Float32Array:
    with tempfile.NamedTemporaryFile(suffix=ending) as file:
        file.write(data)
        file.flush()
        return _of_file(Path(file.name))


def _arrow(length: float, shaft: float, head: float, width: float) -> NDArray[np.float64]:
    """Return the corners of an arrow along x from 0: a shaft and a cone, widths in m."""
    angles = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
    ring = np.stack((np.zeros_like(angles), np.cos(angles), np.sin(angles)), axis=1) / 2.0
    neck = length - head
    tail, joint = ring * shaft, ring * shaft + (neck, 0.0, 0.0)
    rim = ring * width + (neck, 0.0, 0.0)
    first, tip = np.zeros(3), np.array((length, 0.0, 0.0))
    triangles: list[Any] = []
    for i in range(SIDES):
        j = i + 1
        triangles += [first, tail[j], tail[i], tail[i], tail[j], joint[j], tail[i], joint[j], joint[i]]
        triangles += [joint[j], rim[j], rim[i], joint[j], rim[i], joint[i], rim[i], rim[j], tip]
    return np.array(triangles)
