"""Two hundred robots in the plane, driven in this process by the controller's own law."""

import hashlib
import math
from collections.abc import Callable

import pytest
from repeated_bags import state

from ros_bridge.controllers.swarm import CLOSE, FAST, FREE, SENSORS, TURN, decide
from sim_core import SimulationConfig, load_world
from sim_core.base.shipped import shipped_worlds
from sim_core.session.simulation import Simulation

PERIOD, HULL, HALF = 0.128, 0.06, 4.0
"""s; m: radius of a robot, half of the square."""


def build() -> Simulation:
    return load_world(shipped_worlds()["swarm"], SimulationConfig(physics="fast2d", sampling_period=PERIOD))


def drive(sim: Simulation, seconds: float, look: Callable[[], None]) -> None:
    robots = list(sim.robots.values())
    for _ in range(round(seconds / PERIOD)):
        sim.run(PERIOD)
        for robot in robots:
            left, right = decide(*(robot[sensor].value for sensor in SENSORS))
            robot["motor_left"].set_velocity(left)
            robot["motor_right"].set_velocity(right)
        look()


def test_all_move_none_overlap_and_none_leave() -> None:
    sim = build()
    assert len(sim.robots) == 200
    assert [robot.controller for robot in sim.robots.values()] == ["swarm", *["<extern>"] * 199]
    assert all(robot.synchronized for robot in sim.robots.values())
    way = dict.fromkeys(sim.robots, 0.0)
    last = {name: robot.frame.pose().position[:2] for name, robot in sim.robots.items()}

    def look() -> None:
        places = {name: robot.frame.pose().position[:2] for name, robot in sim.robots.items()}
        for name, place in places.items():
            way[name] += math.dist(place, last[name])
            assert max(map(abs, place)) <= HALF - HULL * 0.999
        last.update(places)
        ordered = sorted(places.values())
        for k, (x, y) in enumerate(ordered):
            for other_x, other_y in ordered[k + 1 :]:
                if other_x - x > 2.0 * HULL:
                    break
                assert math.hypot(other_x - x, other_y - y) > 2.0 * HULL * 0.998

    drive(sim, 8.0, look)
    fastest = FAST * 0.02 * sim.time
    assert max(way.values()) <= fastest * 1.001
    assert sorted(way.values())[100] > 0.25 * fastest


def test_the_same_twice_after_a_reset_and_from_a_snapshot() -> None:
    def hashed(sim: Simulation, seconds: float) -> str:
        found = hashlib.sha256()
        drive(sim, seconds, lambda: found.update(state(sim).encode()))
        return found.hexdigest()

    sim = build()
    first = [hashed(sim, 1.28), hashed(sim, 1.28)]
    sim.reset()
    assert hashed(sim, 1.28) == first[0]
    snapshot = sim.snapshot()
    assert hashed(sim, 1.28) == first[1]
    sim.restore(snapshot)
    assert hashed(sim, 1.28) == first[1]
    other = build()
    assert [hashed(other, 1.28), hashed(other, 1.28)] == first


def test_the_law_turns_away_from_what_is_near() -> None:
    assert decide(math.inf, FREE) == (FAST, FAST)
    assert decide(CLOSE / 2.0, 0.3) == decide(0.3, CLOSE / 2.0) == (TURN, -TURN)
    left, right = decide((CLOSE + FREE) / 2.0, math.inf)
    assert (left, right) == (FAST, pytest.approx(FAST / 2.0))
