"""Twenty robots in the plane for a minute, driven in this process by the controller's own rules."""

from __future__ import annotations

import math

import pytest

from ros_bridge.cli.world_info import build
from ros_bridge.controllers.wall_avoider import decide
from sim_core import SimulationConfig, load_world
from sim_core.base.shipped import shipped_worlds
from sim_core.scene import load_scene

WORLDS = shipped_worlds()
RADIUS = 0.2
"""m, of the robots."""


def test_the_swarm_drives_about_and_stays_within_its_walls() -> None:
    world = shipped_worlds()["fast2d"]
    sim, _ = build(load_scene(world), world)
    assert sim.physics.can.rolling is not None and not sim.physics.warnings
    assert len(sim.robots) == 20
    driven = dict.fromkeys(sim.robots, 0.0)
    while sim.time < 60.0:
        sim.run(0.096)
        places = []
        for name, robot in sim.robots.items():
            left, right = decide(*(robot[sensor].value for sensor in ("ds_front", "ds_left", "ds_right")))
            robot["motor_left"].set_velocity(left)
            robot["motor_right"].set_velocity(right)
            driven[name] += 0.096 * math.hypot(*robot.frame.linear_velocity())
            x, y, _ = robot.frame.pose().position
            assert max(abs(x), abs(y)) < 5.9 - RADIUS + 1e-3
            places.append((x, y))
        for index, place in enumerate(places):
            assert all(math.dist(place, other) > 2.0 * RADIUS - 1e-3 for other in places[:index])
    assert min(driven.values()) > 0.5 and sum(driven.values()) > 20 * 3.0


@pytest.mark.parametrize("name", WORLDS)
def test_every_shipped_world_runs_in_the_plane(name: str) -> None:
    sim = load_world(WORLDS[name], SimulationConfig(physics="fast2d"))
    places = [robot.frame.pose().position for robot in sim.robots.values()]
    sim.step(20)
    sim.reset()
    assert [robot.frame.pose().position for robot in sim.robots.values()] == places
