"""The world that shows faults: from its parameter file to what the devices do."""

import math

import numpy as np
import pytest

from ros_bridge.cli.world_info import build
from sim_core.base.shipped import find_world
from sim_core.scene import load_scene


def test_the_parameter_file_reaches_the_devices() -> None:
    """The noisy sensor is off by N(0, 20 mm), the late one half a second late, the left wheel 80 ms."""
    path = find_world("devices/faults")
    sim, _ = build(load_scene(path), path)
    robot = sim.robot("faulty")
    got = {name: {} for name in ("good", "noisy", "late")}
    late_by = set()
    for name, values in got.items():
        robot[name].add_listener(lambda r, values=values: values.update({r.time_ns: r.distance}))
    robot["late"].add_listener(lambda r: late_by.add(sim.time_ns - r.time_ns))
    robot["left motor"].set_velocity(0.0)
    sim.run(30.0)
    assert late_by == {500_000_000}
    times = sorted(got["noisy"])
    assert len(got["good"]) == 600
    assert len(times) == pytest.approx(480, abs=5.0 * math.sqrt(600 * 0.2 * 0.8))
    errors = np.array([got["noisy"][time] - got["good"][time] for time in times])
    assert errors.std() == pytest.approx(0.02, rel=5.0 / math.sqrt(2 * len(times)))
    last = max(got["late"])
    assert abs(got["late"][last] - got["good"][last]) < 5.0 * 0.01 * math.sqrt(30.0)
    assert got["late"][last] != got["good"][last]


def test_the_left_wheel_obeys_late() -> None:
    path = find_world("devices/faults")
    sim, _ = build(load_scene(path), path)
    left, right = sim.robot("faulty")["left motor"], sim.robot("faulty")["right motor"]
    sim.robot("faulty").drive.set_twist(0.1, 0.0)
    sim.step(8)
    assert abs(left.velocity) < 0.2
    assert right.velocity == pytest.approx(2.0, rel=0.02)
    sim.step(2)
    assert left.velocity == pytest.approx(2.0, abs=5.0 * 0.1)
