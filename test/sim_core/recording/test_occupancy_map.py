"""Maps of worlds against the geometry they are cut from, computed here point by point."""

import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from ros_bridge.cli.__main__ import main
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import Pose, transposed
from sim_core.base.shipped import find_world
from sim_core.model.geometry import Box, Cylinder, Geometry
from sim_core.recording.occupancy_map import OccupancyMap, occupancy_map
from sim_core.scene import load_scene, parse_scene
from sim_core.session.simulation import Simulation

SIZE = 0.04
WORLDS = {
    "wall_avoiders": 0.05,
    "wall_follower": 0.05,
    "fast2d": 0.05,
    "soccer": 0.05,
    "swarm": 0.03,
    "ute": 0.3,
    "navigation": 0.172,
}
"""Shipped worlds, and the height in m at which each is cut."""
ARENAS = ("wall_avoiders", "wall_follower", "fast2d", "swarm", "navigation")
"""Those whose walls let no robot out at that height."""


def simulate(world: str) -> Simulation:
    return Simulation(load_scene(find_world(world)), SimulationConfig(plugins=False))


def obstacles(sim: Simulation) -> list[tuple[Geometry, Pose]]:
    """Return the shapes that collide, are static and are not the ground, with their poses."""
    found = []
    for record in sim.physics.model.bounding.records:
        if record.robot is None and isinstance(record.geometry, (Box, Cylinder)):
            frame = sim.physics.frame(record.solid).pose() if record.solid is not None else Pose()
            found.append((record.geometry, frame * record.offset))
    return found


def distance(geometry: Geometry, pose: Pose, points: np.ndarray) -> np.ndarray:
    """Return a lower bound of the distance of points (n, 3) outside a box or a cylinder; 0 inside."""
    x, y, z = ((points - pose.position) @ np.array(transposed(pose.rotation)).reshape(3, 3).T).T
    if isinstance(geometry, Box):
        outside = [abs(v) - length / 2.0 for v, length in zip((x, y, z), geometry.size, strict=True)]
    else:
        assert isinstance(geometry, Cylinder)
        outside = [np.hypot(x, y) - geometry.radius, abs(z) - geometry.height / 2.0]
    return np.linalg.norm(np.maximum(0.0, outside), axis=0)


def centres(grid: OccupancyMap, height: float) -> np.ndarray:
    """Return the middles of the cells, (rows, columns, 3)."""
    rows, columns = grid.occupied.shape
    x = grid.origin[0] + (np.arange(columns) + 0.5) * grid.resolution
    y = grid.origin[1] + (np.arange(rows) + 0.5) * grid.resolution
    return np.stack([*np.meshgrid(x, y), np.full((rows, columns), height)], axis=2)


def spread(cells: np.ndarray, seed: tuple[int, int]) -> np.ndarray:
    """Return the cells that can be reached from one, over sides and corners."""
    reached = np.zeros_like(cells)
    pending = [seed]
    while pending:
        row, column = pending.pop()
        if not (0 <= row < cells.shape[0] and 0 <= column < cells.shape[1]):
            continue
        if reached[row, column] or not cells[row, column]:
            continue
        reached[row, column] = True
        pending += [(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return reached


@pytest.mark.parametrize(("world", "height"), WORLDS.items())
def test_every_occupied_cell_is_in_an_obstacle_and_every_wall_is_closed(world: str, height: float) -> None:
    sim = simulate(world)
    grid = occupancy_map(sim.physics, height, SIZE)
    points = centres(grid, height)
    occupied = points[grid.occupied]
    nearest = np.full(len(occupied), math.inf)
    closed = np.zeros(grid.occupied.shape, bool)
    for geometry, pose in obstacles(sim):
        nearest = np.minimum(nearest, distance(geometry, pose, occupied))
        closed |= distance(geometry, pose, points.reshape(-1, 3)).reshape(closed.shape) == 0.0
    assert nearest.max() <= SIZE / math.sqrt(2.0) + 1e-9  # half of the cell's diagonal
    assert closed.any() and not np.any(closed & ~grid.occupied)
    if world in ARENAS:
        start = next(iter(sim.robots.values())).frame.pose().position
        column, row = (math.floor((at - low) / SIZE) for at, low in zip(start, grid.origin, strict=False))
        inside = spread(~grid.occupied, (row, column))
        assert inside.any()
        assert not (inside[0].any() or inside[-1].any() or inside[:, 0].any() or inside[:, -1].any())


TURNED = """#VRML_SIM R2025a utf8
Solid { translation 1 2 0 rotation 0 0 1 0.5 boundingObject Box { size 3 0.02 1 } }
Solid { translation -1 0 0 boundingObject Cylinder { radius 0.5 height 1 } }
Solid { translation 0.5 -1 0 boundingObject IndexedFaceSet { coord Coordinate {
  point [ 0 0 -1, 1 0 -1, 0.5 0 1 ] } coordIndex [ 0 1 2 -1 ] } }
Solid { boundingObject Plane { size 9 9 } }
Robot { translation 3 0 0 children Shape { geometry DEF B Box { size 1 1 1 } } boundingObject USE B }
"""


def test_thin_walls_have_no_holes_and_areas_are_those_of_the_shapes() -> None:
    """A wall of 2 cm across cells of 5 cm; of the triangle at half its height the middle half of its base."""
    sim = Simulation(parse_scene(TURNED))
    fine = occupancy_map(sim.physics, 0.0, 0.01)
    area = fine.occupied.sum() * 1e-4
    rims = (2.0 * (3.0 + 0.02) + math.pi) * 0.01 + 0.5 * 0.01
    assert 3.0 * 0.02 + math.pi * 0.25 <= area <= 3.0 * 0.02 + math.pi * 0.25 + rims
    grid = occupancy_map(sim.physics, 0.0, 0.05)
    along = np.linspace(-1.5, 1.5, 5001)
    for x, y in zip(1.0 + along * math.cos(0.5), 2.0 + along * math.sin(0.5), strict=True):
        assert grid.occupied[cell(grid, x, y)]
    assert not grid.occupied[cell(grid, 1.0 - 0.1 * math.sin(0.5), 2.0 + 0.1 * math.cos(0.5))]
    assert [bool(grid.occupied[cell(grid, x, -0.999)]) for x in (0.7, 0.8, 1.2, 1.3)] == [
        *(False, True, True, False)
    ]


def cell(grid: OccupancyMap, x: float, y: float) -> tuple[int, int]:
    column, row = (
        math.floor((at - low) / grid.resolution) for at, low in zip((x, y), grid.origin, strict=True)
    )
    return row, column


def test_the_files_are_as_map_server_reads_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """REP-105 axes: the picture's last row is the lowest y; `origin` is its lower left corner."""
    world = tmp_path / "w.wbt"
    world.write_text(TURNED)
    assert main(["map", str(world), str(tmp_path / "room"), "--height", "0", "--resolution", "0.1"]) == 0
    about = yaml.safe_load((tmp_path / "room.yaml").read_text())
    assert about["image"] == "room.pgm"
    assert (about["mode"], about["negate"], about["resolution"]) == ("trinary", 0, 0.1)
    picture = np.asarray(Image.open(tmp_path / "room.pgm"))
    assert set(np.unique(picture)) == {0, 254}
    assert about["free_thresh"] > 1.0 - 254 / 255 and about["occupied_thresh"] < 1.0
    x, y, yaw = about["origin"]
    assert yaw == 0.0
    row, column = math.floor((0.0 - y) / 0.1), math.floor((-1.0 - x) / 0.1)
    assert picture[picture.shape[0] - 1 - row, column] == 0  # the cylinder's middle
    assert "room.yaml: written" in capsys.readouterr().out


def test_what_cannot_be_drawn_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sim = Simulation(parse_scene(TURNED))
    with pytest.raises(ConfigError, match="nothing that collides at a height of 5 m"):
        occupancy_map(sim.physics, 5.0, 0.05)
    with pytest.raises(ConfigError, match="expected at most 100000000 cells; use a coarser resolution"):
        occupancy_map(sim.physics, 0.0, 1e-4)
    (tmp_path / "w.wbt").write_text(TURNED)
    assert main(["map", str(tmp_path / "w.wbt"), str(tmp_path / "no" / "m")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert main(["map", str(tmp_path / "w.wbt"), "--resolution", "0"]) == 2
    assert "expected a number from 0.0001 to 1000" in capsys.readouterr().err
