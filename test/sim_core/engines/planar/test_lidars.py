"""The Lidar device in the fast 2D mode."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.swarm import robot_text, world_text
from sim_core.base.config import SimulationConfig
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

POSTS = "".join(
    f'Solid {{ name "{name}" translation {x} 0 0.2 children [ Shape {{ geometry Cylinder '
    f"{{ radius 0.1 height 0.6 }} }} ] }}"
    for name, x in (("near", 0.5), ("far", -2.0))
)


def simulation(lidar: str) -> Simulation:
    robot = robot_text("r", more=f"Lidar {{ translation 0 0 0.15 numberOfLayers 1 maxRange 5 {lidar} }}")
    text = world_text(robot, POSTS, step=5.0)
    return Simulation(parse_scene(text), SimulationConfig(physics="fast2d"))


@pytest.mark.parametrize(("near", "ahead"), [(0.01, 0.4), (0.3, 0.4), (0.45, math.inf)])
def test_distances_are_in_the_plane_and_start_at_near(near: float, ahead: float) -> None:
    sim = simulation(f"fieldOfView 6.2832 horizontalResolution 4 near {near} minRange {near}")
    sim.step()
    assert sim.robot("r")["lidar"].value[0] == pytest.approx([math.inf, ahead, math.inf, 1.9])


def test_a_head_rotates_and_scans_once_per_period() -> None:
    head = "rotatingHead Solid { children [ Shape { geometry Box { size 0.1 0.02 0.1 } } ] }"
    sim = simulation(f'type "rotating" horizontalResolution 360 defaultFrequency 10 {head}')
    lidar = sim.robot("r")["lidar"]
    complete = []
    lidar.add_listener(complete.append)
    sim.run(0.025)
    rotation = sim.physics.frame(sim.robot("r").nodes["lidar"]["rotatingHead"].id).pose().rotation
    assert math.atan2(rotation[3], rotation[0]) == pytest.approx(math.pi / 2)
    sim.run(0.075)
    assert len(complete) == 1
    angles = 2 * math.pi * np.arange(360) / 360
    expected = np.full(360, np.inf)
    for x in (0.5, -2.0):  # a circle at distance |x|: t² - 2·t·x·cos θ + x² = r²
        b = x * np.cos(angles)
        rest = b * b - x * x + 0.01
        seen = (rest >= 0.0) & (b > 0.0)
        expected[seen] = np.minimum(expected[seen], (b - np.sqrt(np.maximum(rest, 0.0)))[seen])
    assert complete[0].value[0] == pytest.approx(expected, abs=1e-9)
