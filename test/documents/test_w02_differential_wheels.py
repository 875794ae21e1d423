"""W2, the book on Webots: DifferentialWheels without and with physics."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

STEP = 0.032
NAME = "differential wheels"
KINEMATIC = """DEF ROBOT DifferentialWheels {{ translation 0 0.05 0 rotation 0 1 0 {turn}
  slipNoise 0 encoderNoise 0 encoderResolution 100 speedUnit 0.5 {fields}
  boundingObject Box {{ size 0.1 0.08 0.1 }} }}
"""
WALL = 'Solid { name "wall" translation 0 0.1 -0.2 boundingObject Box { size 1 0.2 0.1 } }'
WHEEL = """Solid {{ name "{side} wheel" translation {x} 0 0 rotation 1 0 0 0
  children DEF TYRE Transform {{ rotation 0 0 1 1.5708 children Shape {{
    geometry Cylinder {{ height 0.02 radius 0.05 }} }} }}
  boundingObject USE TYRE
  physics Physics {{ density -1 mass 0.1 }} }}"""
PHYSICAL = f"""Solid {{ name "floor" boundingObject Transform {{ translation 0 -0.05 0
  children Box {{ size 20 0.1 20 }} }} }}
DEF ROBOT DifferentialWheels {{ translation 0 0.05 0 slipNoise 0 encoderNoise 0 encoderResolution 100
  axleLength 5 wheelRadius 7 maxForce 0.3
  children [ {WHEEL.format(side="left", x=-0.1)} {WHEEL.format(side="right", x=0.1)} ]
  boundingObject Group {{ children [
    Transform {{ translation 0 0 0 children Box {{ size 0.16 0.04 0.1 }} }}
    Transform {{ translation 0 -0.035 0.06 children Sphere {{ radius 0.015 }} }}
    Transform {{ translation 0 -0.035 -0.06 children Sphere {{ radius 0.015 }} }} ] }}
  physics Physics {{ density -1 mass 1 coulombFriction 0 }} }}
"""


def simulation(folder: Path, text: str) -> Simulation:
    file = folder / "book.wbt"
    file.write_text("#VRML_SIM V6.0 utf8\nWorldInfo { }\n" + text)
    return Simulation(load_scene(file))


def place(sim: Simulation) -> tuple[float, float, float]:
    """As the file speaks of it: y is up."""
    found: tuple[float, float, float] = sim.supervisor.get("ROBOT", "translation")
    return found


def test_without_physics_it_goes_by_its_wheel_radius_and_axle_length(tmp_path: Path) -> None:
    """It faces -z: v = r·ω, ω in units of speedUnit; the encoders count 100 for a radian, 628 for a turn."""
    sim = simulation(tmp_path, KINEMATIC.format(turn=0, fields="maxAcceleration 1e9 wheelRadius 0.02"))
    wheels = sim.robot(NAME)[NAME]
    wheels.set_speed(10.0, 10.0)
    turns = 2.0 * math.pi / 5.0
    sim.run(turns)
    angle = 5.0 * sim.time
    assert place(sim) == pytest.approx((0.0, 0.05, -0.02 * angle), abs=1e-9)
    assert wheels.left_encoder == wheels.right_encoder == pytest.approx(100.0 * angle)
    assert wheels.left_encoder / sim.time * turns == pytest.approx(628.3, abs=0.1)


def test_without_physics_its_speed_grows_by_the_acceleration_to_the_limit(tmp_path: Path) -> None:
    sim = simulation(tmp_path, KINEMATIC.format(turn=0, fields=""))
    wheels = sim.robot(NAME)[NAME]
    assert wheels.set_speed(40.0, 40.0) is not None, "20 rad/s are more than maxSpeed, 10"
    sim.step()
    assert wheels.left.velocity == pytest.approx(10.0 * STEP), "maxAcceleration is 10 rad/s2"
    sim.run(1.5)
    assert wheels.left.velocity == 10.0


def test_without_physics_it_stops_at_an_obstacle_and_so_do_its_encoders(tmp_path: Path) -> None:
    sim = simulation(tmp_path, KINEMATIC.format(turn=0, fields="wheelRadius 0.02") + WALL)
    wheels = sim.robot(NAME)[NAME]
    wheels.set_speed(10.0, 10.0)
    sim.run(3.0)
    count, at = wheels.left_encoder, place(sim)
    assert -0.101 < at[2] < -0.09, "its front, 0.05 before its middle, at the wall's face"
    sim.run(1.0)
    assert (wheels.left_encoder, place(sim)) == (count, at)
    wheels.set_speed(-10.0, -10.0)
    sim.run(1.0)
    assert wheels.left_encoder < count and place(sim)[2] > at[2]


def test_slip_noise_is_uniform_within_its_part(tmp_path: Path) -> None:
    """0.1 is plus or minus 10 % in each step."""
    fields = "maxAcceleration 1e9 slipNoise 0.1"
    sim = simulation(tmp_path, KINEMATIC.format(turn=0, fields=fields).replace("slipNoise 0 ", "", 1))
    wheels = sim.robot(NAME)[NAME]
    wheels.set_speed(10.0, 10.0)
    factors = []
    for _ in range(400):
        sim.step()
        factors.append(wheels.left.velocity / 5.0)
    assert 0.9 <= min(factors) < 0.91 and 1.09 < max(factors) <= 1.1
    assert sum(factors) / 400 == pytest.approx(1.0, abs=0.01)


def test_with_physics_its_wheels_roll_it_and_the_fields_for_their_sizes_are_ignored(tmp_path: Path) -> None:
    sim = simulation(tmp_path, PHYSICAL)
    wheels = sim.robot(NAME)[NAME]
    assert wheels.is_dynamic
    assert (wheels.wheel_radius, wheels.axle_length) == pytest.approx((0.05, 0.2))
    wheels.set_speed(4.0, 4.0)
    sim.run(1.0)
    start, count = place(sim), wheels.left_encoder
    sim.run(2.0)
    end = place(sim)
    assert end[2] - start[2] == pytest.approx(-0.05 * 4.0 * 2.0, rel=0.03)
    assert abs(end[0] - start[0]) < 0.01
    assert wheels.left_encoder - count == pytest.approx(100.0 * 4.0 * 2.0, rel=0.03)
    wheels.set_speed(-2.0, 2.0)
    sim.run(1.0)
    _, y, _, turn = sim.supervisor.get("ROBOT", "rotation")
    assert y * turn == pytest.approx(0.05 * 4.0 / 0.2, rel=0.1), "about +y, to the left"
