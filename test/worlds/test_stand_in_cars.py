"""Cars that stand in for Webots': their sizes are those of data sheets, and two of them drive."""

from __future__ import annotations

import math
import runpy

import pytest
from extents import filled_box

from sim_core.base.shipped import CODE, share_dir
from sim_core.scene import parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation

WRITER = runpy.run_path(str(CODE / "scripts" / "write_cars.py"))
CARS = WRITER["CARS"]
HEAD = "#VRML_SIM R2022a utf8\nWorldInfo { basicTimeStep 8 }\nFloor { size 200 200 }\n"


def simulate(text: str) -> Simulation:
    scene = parse_scene(HEAD + text, "w.wbt", Assets())
    assert [str(warning) for warning in scene.warnings] == []
    return Simulation(scene)


@pytest.mark.parametrize("name", CARS)
def test_a_simple_car_is_as_large_as_its_data_sheet_says(name: str) -> None:
    sim = simulate(f'{name}Simple {{ name "c" }}')
    (car,) = (node for node in sim.scene.nodes if node.type_name == "Robot")
    low, high = filled_box(sim, car)
    assert tuple(high[k] - low[k] for k in range(3)) == pytest.approx(CARS[name].size, abs=0.06)
    sim.run(0.5)  # nothing moves it
    assert sim.robot("c").frame.pose().position == pytest.approx((0.0, 0.0, 0.4))


@pytest.mark.parametrize("name", CARS)
def test_the_files_of_simple_cars_are_as_they_are_written(name: str) -> None:
    file = share_dir() / "protos/vehicles" / f"{name}Simple.proto"
    assert file.read_text(encoding="utf-8") == "\n".join(WRITER["lines"](name, CARS[name])) + "\n"


@pytest.mark.parametrize(
    ("name", "driven", "radius", "kilograms"),
    [("TeslaModel3", "rear", 0.36, 1847 + 4 * 10.4), ("BmwX5", "front", 0.374, 2000 + 4 * 30)],
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
