"""The cart goes round its line, driven in this process by the controller's own law."""

import math

import pytest

from ros_bridge.controllers.line_follower import DARK, SENSORS, LineLaw
from sim_core import SimulationConfig, load_world
from sim_core.base.shipped import shipped_worlds
from sim_core.session.simulation import Simulation

PERIOD = 0.032
BIG, SMALL, ASIDE = 0.5, 0.7, 0.8
"""m; radii of the two pairs of arcs, and how far the middles of the big ones are from the origin."""
ABOVE = math.sqrt((BIG + SMALL) ** 2 - ASIDE**2)
"""m; the same of the small ones: circles that touch are as far apart as their radii together."""
BEND = math.atan2(ABOVE, ASIDE)
LAP = 2.0 * BIG * 2.0 * (math.pi - BEND) + 2.0 * SMALL * (math.pi - 2.0 * BEND)


def off_the_line(x: float, y: float) -> float:
    """Distance in m from the middle of the line: from the arc in whose sector the place is."""
    found = []
    for sign in (1.0, -1.0):
        dx, dy = x - sign * ASIDE, y
        if -sign * dx <= math.hypot(dx, dy) * math.cos(BEND):
            found.append(abs(math.hypot(dx, dy) - BIG))
        dx, dy = x, y - sign * ABOVE
        if -sign * dy >= math.hypot(dx, dy) * math.sin(BEND):
            found.append(abs(math.hypot(dx, dy) - SMALL))
    return min(found)


@pytest.fixture
def simulation() -> Simulation:
    return load_world(shipped_worlds()["line_follower"], SimulationConfig(sampling_period=PERIOD))


def test_the_sensors_tell_the_line_from_the_floor_by_its_red(simulation: Simulation) -> None:
    """d/f with f = 0.2 + 0.8·red·(1 − 0.5·roughness): red 0.02 on the line, 0.9 on the floor."""
    simulation.run(1.0)
    robot = simulation.robot("robot")
    middle, right = robot["ground_middle"].reading, robot["ground_right"].reading
    assert right.rays[0] == pytest.approx(0.02, abs=0.002)
    assert right.rays[0] - middle.rays[0] == pytest.approx(0.001, abs=1e-4)  # its height
    assert middle.distance == pytest.approx(middle.rays[0] / (0.2 + 0.8 * 0.02 * 0.5), rel=1e-6)
    assert right.distance == pytest.approx(right.rays[0] / (0.2 + 0.8 * 0.9 * 0.5), rel=1e-6)
    assert right.distance < 0.75 * DARK < DARK < 0.75 * middle.distance


def test_it_stays_on_the_line_for_two_laps(simulation: Simulation) -> None:
    """Its nose is never farther from the line's middle than the outer sensors are from the middle one."""
    robot, law = simulation.robot("robot"), LineLaw()
    way, seen, last = 0.0, 0, None
    turned: set[int] = set()
    for _ in range(round(80.0 / PERIOD)):
        simulation.run(PERIOD)
        readings = [robot[sensor].value for sensor in SENSORS]
        left, right = law(*readings)
        robot["motor_left"].set_velocity(left)
        robot["motor_right"].set_velocity(right)
        place = robot["gps"].value
        assert off_the_line(*place[:2]) < 0.02
        way += math.dist(place, last or place)
        last = place
        seen += max(readings) > DARK
        turned.add(round(math.atan2(place[1], place[0]) / math.tau * 8) % 8)
        if way > 2.0 * LAP:
            break
    assert way > 2.0 * LAP
    assert turned == set(range(8))
    assert seen * PERIOD == pytest.approx(simulation.time, abs=2.0)


def test_a_lost_line_is_looked_for_on_the_side_where_it_was_last() -> None:
    law = LineLaw()
    light, dark = 0.035, 0.09
    straight = law(light, dark, light)
    assert straight[0] == straight[1] > 0.0
    assert law(light, light, light) == straight
    for readings in ((light, light, dark), (light, light, light)):
        left, right = law(*readings)
        assert left > right
    left, right = law(dark, dark, light)
    assert left < right
