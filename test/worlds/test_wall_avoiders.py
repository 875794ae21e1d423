"""Ten robots for two minutes, driven in this process by the controller's own rules."""

import itertools
import math
from collections.abc import Iterator

import pytest

from ros_bridge.controllers.wall_avoider import decide
from sim_core import SimulationConfig, load_world
from sim_core.base.geometry import Vec3
from sim_core.base.shipped import shipped_worlds
from sim_core.session.simulation import Simulation

PERIOD, DURATION = 0.2, 120.0
BODY_RADIUS = 0.2
"""m; half of the narrowest side of the hull: a centre nearer to a wall than that has gone into it."""
HALF_WALL = 0.1

INNER_WALLS = {  # ends of the middle lines, m
    "wall 5": ((4.0, -5.0), (4.0, 1.0)),
    "wall 6": ((4.0, 4.0), (4.0, 10.0)),
    "wall 7": ((1.0, -5.0), (7.0, -5.0)),
    "wall 8": ((-10.0, 3.0), (-6.0, 3.0)),
    "wall 9": ((-4.0, -10.0), (-4.0, -6.0)),
}

Track = list[Vec3]


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return load_world(shipped_worlds()["wall_avoiders"], SimulationConfig(sampling_period=PERIOD))


@pytest.fixture(scope="module")
def tracks(simulation: Simulation) -> dict[str, Track]:
    """Positions of the robots five times a second."""
    found: dict[str, Track] = {
        name: [robot.frame.pose().position] for name, robot in simulation.robots.items()
    }
    while simulation.time < DURATION:
        simulation.run(PERIOD)
        for name, robot in simulation.robots.items():
            left, right = decide(*(robot[sensor].value for sensor in ("ds_front", "ds_left", "ds_right")))
            robot["motor_left"].set_velocity(left)
            robot["motor_right"].set_velocity(right)
            found[name].append(robot.frame.pose().position)
    return found


def distance_to_line(place: Vec3, line: tuple[tuple[float, float], tuple[float, float]]) -> float:
    """m from a place to a straight line between two ends, seen from above."""
    (x1, y1), (x2, y2) = line
    x, y = place[0] - x1, place[1] - y1
    along = (x * (x2 - x1) + y * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)
    along = min(1.0, max(0.0, along))
    return math.hypot(x - along * (x2 - x1), y - along * (y2 - y1))


def windows(track: Track, seconds: float) -> Iterator[Track]:
    count = round(seconds / PERIOD)
    return (track[start : start + count + 1] for start in range(0, len(track) - count, count))


def test_there_are_ten_free_running_robots(simulation: Simulation) -> None:
    assert list(simulation.robots) == [f"robot{number}" for number in range(1, 11)]
    for robot in simulation.robots.values():
        assert robot.controller == "wall_avoider" and not robot.synchronized
        assert robot.drive is not None
        assert robot.drive.wheel_radius == pytest.approx(0.2)
        assert robot.drive.wheel_separation == pytest.approx(0.5)


def test_every_robot_keeps_moving(tracks: dict[str, Track]) -> None:
    for name, track in tracks.items():
        for part in windows(track, 10.0):
            way = sum(math.dist(a[:2], b[:2]) for a, b in itertools.pairwise(part))
            assert way > 1.0, f"{name} stands still"


def test_nobody_is_pushed_through_a_wall(tracks: dict[str, Track]) -> None:
    nearest = HALF_WALL + BODY_RADIUS
    for name, track in tracks.items():
        for place in track:
            assert max(abs(place[0]), abs(place[1])) < 10.0 - nearest, f"{name} left the arena"
            for wall, line in INNER_WALLS.items():
                assert distance_to_line(place, line) > nearest, f"{name} is in {wall}"


def test_the_lines_above_are_the_walls_of_the_world(simulation: Simulation) -> None:
    solids = {node["name"]: node for node in simulation.scene.nodes if node.is_a("Solid")}
    for name, ends in INNER_WALLS.items():
        x, y, _ = solids[name]["translation"]
        assert (x, y) == pytest.approx(tuple((a + b) / 2 for a, b in zip(*ends, strict=True)))
        thick, length, _ = solids[name]["boundingObject"]["size"]
        assert (thick / 2, length) == pytest.approx((HALF_WALL, math.dist(*ends)))


def test_nobody_falls_over_or_takes_off(tracks: dict[str, Track], simulation: Simulation) -> None:
    for name, track in tracks.items():
        assert all(0.15 < place[2] < 0.35 for place in track), name
        upright = simulation.robot(name).frame.pose().rotation[8]
        assert upright > math.cos(math.radians(20.0)), name
