"""The pictures of a Background as one strip of six squares. No GL."""

from __future__ import annotations

import numpy as np

from sim_core.base.errors import SceneError
from sim_core.scene import Node
from sim_core.scene.meshes.node_files import file_of
from sim_core.scene.meshes.picture_files import picture_of
from sim_core.sensing.render.surfaces import Pixels

FIELDS = ("frontUrl", "backUrl", "leftUrl", "rightUrl", "topUrl", "bottomUrl")
"""The sides of the cube, in the order of the squares."""
SIDES = (
    # Ahead, to the right in the picture, upwards, seen from within (Webots reference, Background); front: -x.
    ((-1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((1, 0, 0), (0, -1, 0), (0, 0, 1)),
    ((0, -1, 0), (-1, 0, 0), (0, 0, 1)),
    ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    ((0, 0, 1), (0, 1, 0), (1, 0, 0)),
    ((0, 0, -1), (0, 1, 0), (-1, 0, 0)),
)


def backdrop(background: Node | None) -> Pixels | None:
    """(6·n, n, 4) the pictures, one below the other; None: there are none, or one of them cannot be had.

    All get the size of the largest.
    """
    if background is None or any(not background[field] for field in FIELDS):
        return None
    try:
        pictures = [picture_of(file_of(background, field)) for field in FIELDS]
    except SceneError:
        return None
    side = max(max(picture.shape[:2]) for picture in pictures)
    squares = []
    for picture in pictures:
        rows, columns = (np.arange(side) * length // side for length in picture.shape[:2])
        squares.append(picture[rows[:, None], columns])
    return np.concatenate(squares)
