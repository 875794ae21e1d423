"""Cars that stand in for Webots' and drive."""

from __future__ import annotations

import math

import pytest

from sim_core.scene import parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation

HEAD = "#VRML_SIM R2022a utf8\nWorldInfo { basicTimeStep 8 }\nFloor { size 200 200 }\n"


def simulate(text: str) -> Simulation:
    scene = parse_scene(HEAD + text, "w.wbt", Assets())
    assert [str(warning) for warning in scene.warnings] == []
    return Simulation(scene)


@pytest.mark.parametrize(
    ("name", "driven", "radius", "kilograms"),
    [("TeslaModel3", "rear", 0.36, 1847 + 4 * 10.4), ("BmwX5", "front", 0.38, 2000 + 4 * 30)],
)
def test_a_car_weighs_and_drives_as_published(
    name: str, driven: str, radius: float, kilograms: float
) -> None:
    sim = simulate(f'{name} {{ name "c" }}')
    robot = sim.robot("c")
    assert sum(body.mass for body in sim.physics.masses()) == pytest.approx(kilograms)
    sim.run(1.0)
    for side in ("left", "right"):
        robot[f"{side}_{driven}_wheel"].set_velocity(5.0 / radius)
    sim.run(4.0)
    begin = robot.frame.pose().position
    sim.run(1.0)
    assert math.dist(begin, robot.frame.pose().position) == pytest.approx(5.0, rel=0.05)
