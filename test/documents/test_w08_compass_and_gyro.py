"""W8: compass and gyroscope as the book has them: switched-off axes, lookup tables, the axes of the file."""

from __future__ import annotations

import math

import pytest

from ros_bridge.controller_api.file_axes import in_file_axes
from sim_core.base.config import SimulationConfig
from sim_core.base.geometry import Vec3
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

YAW = 0.5
WORLD = """#VRML_SIM V6.0 utf8
WorldInfo {{ basicTimeStep 32 northDirection 1 0 0 }}
DifferentialWheels {{ rotation 0 1 0 {yaw} children [ {device} ] }}
"""


def values(device: str, version: str = "V6.0", steps: int = 1) -> list[Vec3]:
    """What a controller reads of a device named "d", step by step, y up."""
    text = WORLD.format(yaw=YAW, device=device).replace("V6.0", version)
    sim = Simulation(parse_scene(text, "w.wbt"), SimulationConfig(sampling_period=0.0))
    (sensor,) = (each for each in next(iter(sim.robots.values())).sensors() if each.name == "d")
    found = []
    for _ in range(steps):
        sim.step()
        found.append(in_file_axes(sensor, sensor.reading).value)
    return found


def test_the_compass_gives_the_yaw_by_the_book() -> None:
    """rad = atan2(north[0], north[2]); yaw = (rad - 1.5708) / π · 180."""
    (north,) = values('Compass { name "d" }')
    assert north == pytest.approx((math.cos(YAW), 0.0, math.sin(YAW)))
    yaw = (math.atan2(north[0], north[2]) - math.pi / 2.0) / math.pi * 180.0
    assert yaw % 360.0 == pytest.approx(math.degrees(-YAW) % 360.0)


@pytest.mark.parametrize("device", ["Compass", "Gyro"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_an_axis_that_is_switched_off_gives_zero(device: str, axis: int) -> None:
    """The book: always 0. Today's files: not a number."""
    off = f'{device} {{ name "d" lookupTable [ -1 50 0, 1 50 0 ] {"xyz"[axis]}Axis FALSE }}'
    (old,), (new,) = values(off), values(off, "R2021b")
    assert [old[each] for each in range(3)] == [0.0 if each == axis else 50.0 for each in range(3)]
    assert [math.isnan(each) for each in new] == [each == axis for each in range(3)]


def test_the_table_is_for_the_components_in_the_axes_of_the_file() -> None:
    """From -1..1 to 0..1023, as of a device that gives whole numbers without sign."""
    (north,) = values('Compass { name "d" lookupTable [ -1 0 0, 1 1023 0 ] }')
    expected = [(part + 1.0) / 2.0 * 1023.0 for part in (math.cos(YAW), 0.0, math.sin(YAW))]
    assert north == pytest.approx(expected)


def test_noise_of_the_table_stays_within_its_limit() -> None:
    table = "lookupTable [ -1 1000 0.1, 1 1000 0.1 ]"
    parts = [part for value in values(f'Compass {{ name "d" {table} }}', steps=400) for part in value]
    assert min(parts) < 930.0 and max(parts) > 1070.0  # three standard deviations are 100
    assert min(parts) >= 900.0 and max(parts) <= 1100.0
