"""The navigator of examples/navigation, over DDS and by itself: a scan matcher, A*, and what they drive."""

from __future__ import annotations

import importlib
import itertools
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nav_msgs.msg import OccupancyGrid, Odometry
from processes import ReadProcess, started

from sim_core.base.shipped import find_world

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "navigation"
MAP = ROOT / "config" / "navigation" / "map.yaml"
LIMIT = 120.0


@pytest.fixture(scope="module")
def by_map() -> Iterator[Any]:
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module("by_map")
    sys.path.remove(str(FOLDER))
    sys.modules.pop("by_map")


@pytest.fixture(scope="module")
def grid(by_map: Any) -> Any:
    return by_map.read_map(MAP)


@pytest.fixture
def start() -> Iterator[Callable[..., ReadProcess]]:
    yield from started(ReadProcess)


def scan_of(by_map: Any, grid: Any, pose: tuple[float, float, float]) -> np.ndarray:
    """Ends of 180 rays in the robot's frame, found by walking along each through the grid."""
    found = []
    for angle in np.linspace(-math.pi, math.pi, 180, endpoint=False):
        for length in np.arange(0.1, 3.5, 0.01):
            point = length * np.array([math.cos(angle), math.sin(angle)])
            ((x, y),) = by_map.place(pose, point[None])
            if grid.occupied[grid.cell(x, y)]:
                found.append(point)
                break
    return np.array(found)


@pytest.mark.parametrize("pose", [(0.0, 0.0, 0.0), (2.6, 0.4, 2.0), (-0.4, 1.9, -1.0)])
def test_a_scan_tells_where_the_robot_is(by_map: Any, grid: Any, pose: tuple[float, float, float]) -> None:
    """Off by 10 cm and 6° at first, then by less than a cell: the map knows no more."""
    points = scan_of(by_map, grid, pose)
    x, y, yaw = pose
    guess = (x + 0.07, y - 0.07, yaw + 0.1)
    for _ in range(4):
        guess = by_map.matched(grid, points, guess)
    assert math.dist(guess[:2], pose[:2]) < 0.03
    assert abs(by_map.wrapped(guess[2] - yaw)) < 0.02


def test_a_scan_of_nothing_on_the_map_tells_nothing(by_map: Any, grid: Any) -> None:
    far = np.full(360, np.inf)
    assert by_map.matched(grid, by_map.ends(far, 0.0, 0.01), (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)


def test_a_way_keeps_away_from_walls_and_goes_round_them(by_map: Any, grid: Any) -> None:
    points = by_map.way(grid, (0.0, 0.0), (-0.5, 2.0), 0.16)
    assert math.dist(points[-1], (-0.5, 2.0)) < 0.05
    assert np.hypot(*np.diff(points, axis=0).T).max() < 0.05 * math.sqrt(2.0) + 1e-9
    assert min(grid.distance[grid.cell(x, y)] for x, y in points) >= 0.16
    assert not len(by_map.way(grid, (0.0, 0.0), (1.5, -1.2), 0.16))  # within a wall


def test_a_way_leads_out_of_a_tight_place_and_not_through_walls(by_map: Any, grid: Any) -> None:
    points = by_map.way(grid, (-0.9, 0.0), (0.0, 0.0), 0.16)
    apart = [grid.distance[grid.cell(x, y)] for x, y in points]
    assert apart[0] < 0.16 and all(b >= min(a, 0.16) for a, b in itertools.pairwise(apart))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("no.yaml", "--", "1,2"), "no.yaml: expected a map of map_server: FileNotFoundError"),
        ((str(MAP), "--", "1"), "argument goals: invalid 2 numbers value: '1'"),
        (("--start=0,nan,0", str(MAP)), "argument --start: invalid 3 numbers value: '0,nan,0'"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(words: tuple[str, ...], line: str) -> None:
    command = [sys.executable, FOLDER / "navigate.py", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 2 and line in done.stderr.splitlines()[-1]


def test_poses_are_a_group(by_map: Any) -> None:
    a, b, c = (1.0, 2.0, 0.5), (-0.3, 0.4, 2.5), (0.1, -0.7, -1.9)
    assert by_map.after(by_map.after(a, b), c) == pytest.approx(by_map.after(a, by_map.after(b, c)))
    assert by_map.after(a, by_map.inverse(a)) == pytest.approx((0.0, 0.0, 0.0))


def test_the_turtlebot_reaches_goals_by_map_scan_and_odometry(simulate: Any, client: Any, start: Any) -> None:
    """It believes to be 18 cm beside where it is; the second goal is in the other room."""
    sim = simulate(find_world("navigation"), mode="realtime", speed=2.0)
    truth = client.listen(Odometry, "/ground_truth")
    goals = ("0.8,0.5", "2.4,0.2")
    remapped = ("--ros-args", "-r", "/map:=/drawn")
    command = (FOLDER / "navigate.py", "--start=0.15,-0.1,0.1", MAP, *goals, *remapped)
    navigator = start(sys.executable, *command)
    maps = client.listen(OccupancyGrid, "/drawn", latched=True, matched=False)
    client.until(lambda: maps or navigator.process.poll() is not None, "the map")
    assert maps, navigator.lines
    (drawn,) = maps
    assert (drawn.header.frame_id, drawn.info.width, drawn.info.height) == ("map", 106, 86)
    client.until(lambda: navigator.process.poll() is not None, "the last goal", LIMIT)
    assert navigator.wait() == 0
    assert len(navigator.says("goal reached")) == 2, navigator.lines
    at = truth[-1].pose.pose.position
    assert math.dist((at.x, at.y), (2.4, 0.2)) < 0.2
    assert not sim.says("ERROR")
