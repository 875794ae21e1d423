"""A checkerboard before a camera, and what OpenCV makes of its pictures."""

import math
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from PIL import Image

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

COLUMNS, ROWS, CELL = 9, 7, 0.05
"""Cells, and the side of one in m."""
MARGIN = 1
"""Cells of white all round."""
PIXELS = 40
"""Of a cell of the picture."""


def save_board(path: Path) -> None:
    """The picture of the board."""
    cells = np.indices((ROWS + 2 * MARGIN, COLUMNS + 2 * MARGIN)).sum(axis=0) % 2
    inside = np.zeros_like(cells)
    inside[MARGIN:-MARGIN, MARGIN:-MARGIN] = 1
    board = np.where((cells == 0) & (inside == 1), 0, 255).astype(np.uint8)
    Image.fromarray(board.repeat(PIXELS, axis=0).repeat(PIXELS, axis=1)).save(path)


def board_node() -> str:
    """The board, shining, in the y-z plane, seen from -x; its middle is the origin."""
    size = f"{(COLUMNS + 2 * MARGIN) * CELL} {(ROWS + 2 * MARGIN) * CELL}"
    return f"""DEF BOARD Solid {{ name "board" children Pose {{
      rotation 0.57735027 -0.57735027 -0.57735027 2.0943951 children Shape {{ appearance Appearance {{
      material Material {{ diffuseColor 0 0 0 emissiveColor 1 1 1 }}
      texture ImageTexture {{ url "board.png" }} }} geometry Plane {{ size {size} }} }} }} }}"""


def inner_corners() -> np.ndarray:
    """(n, 3) where four cells meet, m, axes of the board: y to the left, z up, row by row from the top."""
    rows, columns = np.mgrid[1:ROWS, 1:COLUMNS]
    y, z = (COLUMNS / 2 - columns) * CELL, (ROWS / 2 - rows) * CELL
    return np.stack([np.zeros(y.size), y.ravel(), z.ravel()], axis=1)


def cells() -> tuple[np.ndarray, np.ndarray]:
    """(n, 3) the middles of all cells, in the axes of the board, and (n,) whether they are white."""
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS]
    y, z = ((COLUMNS - 1) / 2 - columns) * CELL, ((ROWS - 1) / 2 - rows) * CELL
    middles = np.stack([np.zeros(y.size), y.ravel(), z.ravel()], axis=1)
    return middles, ((rows + columns + 2 * MARGIN) % 2 == 1).ravel()


class Seen(NamedTuple):
    """A picture in which the board was found.

    Attributes:
        picture: (height, width, 3) blue, green, red.
        corners: (k, 2) pixels, in the order of `inner_corners`.
        turn, place: of the board, from the camera, m, device axes.
    """

    picture: np.ndarray
    corners: np.ndarray
    turn: np.ndarray
    place: np.ndarray


def boards(folder: Path, camera: str, count: int = 14) -> tuple[Any, list[Seen]]:
    """The device, and its pictures of the board in many poses."""
    save_board(folder / "board.png")
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }} {board_node()}
    Robot {{ name "r" children [
      Camera {{ width 640 height 480 fieldOfView 1.0 antiAliasing TRUE {camera} }} ] }}"""
    sim = Simulation(parse_scene(text, str(folder / "w.wbt")))
    device = sim.robot("r")["camera"]
    device.enabled = False
    rng = np.random.default_rng(3)
    found = []
    for _ in range(count):
        axis = rng.normal(size=3)
        axis[0] *= 0.3
        axis /= np.linalg.norm(axis)
        angle = math.radians(rng.uniform(15, 40))
        x = rng.uniform(0.55, 0.9)
        place = (x, *(rng.uniform(-0.22, 0.22, 2) * x * (1.0, 0.7)))
        sim.supervisor.set("BOARD", "translation", tuple(map(float, place)))
        sim.supervisor.set("BOARD", "rotation", (*map(float, axis), angle))
        sim.sample([device])
        picture = np.ascontiguousarray(device.value[..., :3])
        seen, corners = cv2.findChessboardCorners(picture, (COLUMNS - 1, ROWS - 1))
        if not seen:
            continue
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-4)
        corners = cv2.cornerSubPix(grey, corners, (4, 4), (-1, -1), criteria).reshape(-1, 2)
        if corners[0, 0] > corners[-1, 0]:
            corners = corners[::-1]  # seen from its other end
        pose = sim.supervisor.pose("BOARD")
        turn = np.array(pose.rotation).reshape(3, 3)
        found.append(Seen(picture, corners, turn, np.array(pose.position)))
    sim.close()
    return device, found
