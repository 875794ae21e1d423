"""`<heightmap>`: a grey picture as a grid of heights."""

from __future__ import annotations

import numpy as np

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.geometry import Pose
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.meshes.picture_files import PictureError, open_picture
from sim_core.scene.robot_description import GeometryElement
from sim_core.scene.sdf.documents import Document
from sim_core.scene.sdf.uris import find
from sim_core.scene.sdf.values import vector

MAX_POINTS = 513
"""Largest number of points along a side; of a larger picture every k-th pixel is used."""


def heightmap(shape: Tag, by: Document, warnings: list[SceneError]) -> tuple[GeometryElement, Pose] | None:
    """Return the grid and the pose of its corner; None: a warning gives the reason.

    The brightest pixel has the height of the size, as in Gazebo; black is 0.

    Raises:
        SceneError: a number is invalid.
    """
    shape.all("use_terrain_paging", "sampling", "texture", "blend")
    uri = shape.word("uri")
    size, position = vector(shape, "size", (1.0, 1.0, 1.0)), vector(shape, "pos", (0.0, 0.0, 0.0))
    path = find(uri, by.path)
    if path is None or not path.is_file():
        warnings.append(Mistake(*shape.source, f'heightmap "{uri}" is not here', "left out"))
        return None
    try:
        picture = open_picture(path.read_bytes())
        pixels = np.asarray(picture.convert("F"), float)
    except (PictureError, OSError, ValueError) as error:
        warnings.append(Mistake(*shape.source, f'heightmap "{uri}": {error}', "left out"))
        return None
    every = max(1, -(-(max(pixels.shape) - 1) // (MAX_POINTS - 1)))
    pixels = pixels[::every, ::every]
    brightest = 65535.0 if pixels.max() > 255.0 else 255.0
    if min(pixels.shape) < 2 or min(size[:2]) <= 0.0:
        warnings.append(Mistake(*shape.source, f'heightmap "{uri}" without area', "left out"))
        return None
    rows = (pixels[::-1] / brightest * size[2]).tolist()  # the first row of a picture has the largest y
    grid = GeometryElement("grid", size[:2], heights=tuple(map(tuple, rows)))
    x, y, z = position
    return grid, Pose((x - size[0] / 2.0, y - size[1] / 2.0, z))
