"""The worlds of the battery and the charger do what they say."""

import math

import pytest

from sim_core import load_world
from sim_core.base.shipped import find_world


def test_the_tired_robot_stops() -> None:
    """20 J at 1 W and more: the motors need some, and nothing after the end."""
    sim = load_world(find_world("devices/battery"))
    robot = sim.robot("tired")
    robot.drive.set_twist(0.15, -0.5)
    sim.run(5.0)
    assert 10.0 < robot.battery.energy <= 15.0
    sim.run(16.0)
    assert robot.battery.is_empty and not robot.is_on
    assert robot["gps"].reading.time_ns <= 20_000_000_000
    place = robot.frame.pose().position
    sim.run(1.0)
    assert robot.frame.pose().position == pytest.approx(place, abs=1e-3)


def test_the_guest_docks_charges_and_leaves() -> None:
    """4 W while its origin, 0.05 m above the charger's, is within 0.15 m on the way there, 0.165 m back."""
    sim = load_world(find_world("devices/charger"))
    guest, charger = sim.robot("guest"), sim.chargers[0]
    given = 0.0
    for time, speed in ((5.0, 0.1), (6.0, 0.0), (5.0, -0.1), (4.0, 0.0)):
        guest.drive.set_twist(speed, 0.0)
        for _ in range(round(time / 0.01)):
            before = guest.battery.energy
            sim.step()
            given += guest.battery.energy - before + 0.01
    there = 6.0 + (math.sqrt(0.15**2 - 0.05**2) + math.sqrt(0.165**2 - 0.05**2)) / 0.1
    assert given == pytest.approx(4.0 * there, abs=4.0 * 0.03)
    assert guest.battery.energy == pytest.approx(30.0 - 20.0 + given)
    alone = 20.0 - 11.1 - math.sqrt(0.165**2 - 0.05**2) / 0.1  # 0.1 s: it speeds up at 0.5 m/s²
    assert charger.energy == pytest.approx(60.0 - given + 1.0 * alone, abs=0.03)
    assert charger.robot is None
