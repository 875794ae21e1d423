"""Robots never drive through walls and other robots."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.swarm import BODY, RADIUS, robot_text, wall_text
from sim_core.session.simulation import Simulation

Build = Callable[..., Simulation]

TOLERANCE = 1e-3 * BODY
"""m by which discs may overlap (docs/fast2d.md)."""


def disc_depth_in_box(x: float, y: float, wall: tuple[float, float, float, float, float]) -> float:
    """Return how deep the disc of a robot is in a box: at x, y, of sizes a, b, turned by an angle."""
    at_x, at_y, a, b, yaw = wall
    c, s = math.cos(yaw), math.sin(yaw)
    u, v = c * (x - at_x) + s * (y - at_y), c * (y - at_y) - s * (x - at_x)
    dx, dy = abs(u) - a / 2.0, abs(v) - b / 2.0
    if dx <= 0.0 and dy <= 0.0:
        return BODY - max(dx, dy)
    return BODY - math.hypot(max(dx, 0.0), max(dy, 0.0))


def test_a_robot_stops_at_a_wall_and_its_wheels_keep_turning(build: Build) -> None:
    sim = build(robot_text("r"), wall_text("wall", 1.0, 0.0, "0.1 4 0.3"))
    robot = sim.robot("r")
    robot.drive.set_wheel_speeds(10.0, 10.0)
    sim.run(4.0)
    assert robot.frame.pose().position == pytest.approx((0.95 - BODY, 0.0, RADIUS), abs=TOLERANCE)
    assert robot.frame.linear_velocity() == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)
    assert robot["left"].position == pytest.approx(10.0 * sim.time)
    assert bool(sim.physics.can.rolling.table.pushed[0])


def test_a_robot_slides_along_a_wall_with_the_parallel_part_of_its_speed(build: Build) -> None:
    angle = 0.4
    sim = build(robot_text("r", 0.0, 0.0, angle), wall_text("wall", 0.0, 0.5, "40 0.1 0.3"))
    robot = sim.robot("r")
    robot.drive.set_wheel_speeds(10.0, 10.0)
    sim.run(4.0)
    before = robot.frame.pose().position
    sim.run(2.0)
    after = robot.frame.pose().position
    assert after[1] == pytest.approx(0.45 - BODY, abs=TOLERANCE)
    steps = math.ceil(2.0 / 0.032) * 0.032
    assert after[0] - before[0] == pytest.approx(10.0 * RADIUS * math.cos(angle) * steps, rel=1e-3)


@pytest.mark.parametrize("speed", [30.0, 1000.0])
def test_a_fast_robot_does_not_tunnel_through_a_thin_wall(build: Build, speed: float) -> None:
    """1000 rad/s are 1.6 m per step, through a wall of 1 mm."""
    sim = build(robot_text("r"), wall_text("wall", 2.0, 0.0, "0.001 9 0.3"))
    sim.robot("r").drive.set_wheel_speeds(speed, speed)
    for _ in range(60):
        sim.step()
        assert sim.robot("r").frame.pose().position[0] <= 1.9995 - BODY + TOLERANCE


def test_obstacles_that_a_robot_passes_over_or_under_do_not_stop_it(build: Build) -> None:
    sill = "Solid { translation 0.5 0 0 boundingObject Box { size 0.1 4 0.02 } }"
    bridge = 'Solid { name "bridge" translation 1 0 0.3 boundingObject Box { size 0.1 4 0.1 } }'
    sim = build(robot_text("r"), sill, bridge)
    sim.robot("r").drive.set_wheel_speeds(10.0, 10.0)
    sim.run(3.2)
    assert sim.robot("r").frame.pose().position[0] == pytest.approx(1.6)


WALLS = [
    (1.5, 0.0, 0.02, 3.0, 0.0), (-1.5, 0.0, 0.02, 3.0, 0.0),
    (0.0, 1.5, 3.0, 0.02, 0.0), (0.0, -1.5, 3.0, 0.02, 0.0),
    (0.5, 0.3, 0.6, 0.05, 0.7), (-0.6, -0.5, 0.3, 0.3, 0.2), (-0.5, 0.7, 0.02, 0.8, -0.4),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_random_driving_does_not_enter_walls_or_robots(build: Build, seed: int) -> None:
    walls = [wall_text(f"w{k}", x, y, f"{a} {b} 0.3", yaw) for k, (x, y, a, b, yaw) in enumerate(WALLS)]
    post = "translation 0.6 -0.6 0.2 boundingObject Cylinder { radius 0.2 height 0.4 }"
    walls.append(f'Solid {{ name "post" {post} }}')
    places = [(x, y) for x in np.arange(-1.3, 1.31, 0.26) for y in np.arange(-1.3, 1.31, 0.26)]
    free = [
        at for at in places
        if all(disc_depth_in_box(*at, wall) < 0.0 for wall in WALLS)
        and math.dist(at, (0.6, -0.6)) > 0.2 + BODY
    ]  # fmt: skip
    rng = np.random.default_rng(seed)
    sim = build(*[robot_text(f"r{k}", *at, rng.uniform(-3.0, 3.0)) for k, at in enumerate(free)], *walls)
    robots = list(sim.robots.values())
    assert len(robots) > 40
    for _ in range(60):
        for robot in robots:
            robot.drive.set_wheel_speeds(*rng.uniform(-15.0, 60.0, 2))
        for _ in range(3):
            sim.step()
            at = np.array([robot.frame.pose().position[:2] for robot in robots])
            for x, y in at:
                assert max(disc_depth_in_box(x, y, wall) for wall in WALLS) < TOLERANCE
                assert abs(x) < 1.5 and abs(y) < 1.5
                assert math.dist((x, y), (0.6, -0.6)) > 0.2 + BODY - TOLERANCE
            gaps = np.linalg.norm(at[:, None] - at[None], axis=2) + 9.0 * np.eye(len(at))
            assert gaps.min() > 2.0 * BODY - TOLERANCE


def test_robots_that_push_each_other_each_give_way_by_half(build: Build) -> None:
    sim = build(robot_text("mover"), robot_text("still", 0.5))
    sim.robot("mover").drive.set_wheel_speeds(10.0, 10.0)
    sim.run(3.2)
    first, second = (sim.robot(name).frame.pose().position[0] for name in ("mover", "still"))
    assert second - first == pytest.approx(2.0 * BODY, abs=TOLERANCE)
    alone = (0.5 - 2.0 * BODY) / 0.5  # s until they meet at 0.5 m/s; then at half the speed
    assert first == pytest.approx(0.5 * alone + 0.25 * (3.2 - alone), abs=0.02)


def test_a_disc_need_not_be_centred_on_the_axle(build: Build) -> None:
    """When it turns on the spot the long end of the robot hits a wall; the robot gives way."""
    tail = 'Solid { name "tail" translation -0.3 0 0.06 boundingObject Sphere { radius 0.02 } }'
    sim = build(robot_text("r", more=tail), wall_text("wall", 0.0, 0.3, "2 0.1 0.3"))
    (x, y, radius) = sim.physics.can.rolling.obstacles.discs[0]
    assert (x, y, radius) == pytest.approx(((BODY - 0.32) / 2.0, 0.0, (BODY + 0.32) / 2.0), abs=2e-2)
    sim.robot("r").drive.set_wheel_speeds(4.0, -4.0)
    for _ in range(100):
        sim.step()
        py = sim.robot("r").frame.pose().apply((x, y, 0.0))[1]
        assert 0.25 - py > radius - 1e-3 * radius


def test_discs_that_overlap_a_wall_at_the_start_are_reported_and_pushed_out(build: Build) -> None:
    sim = build(robot_text("r"), wall_text("wall", 0.15, 0.0, "0.1 1 0.3"))
    assert any("pushed away: r" in str(warning) for warning in sim.physics.warnings)
    sim.step()
    assert sim.robot("r").frame.pose().position[0] == pytest.approx(0.1 - BODY, abs=TOLERANCE)
