"""Steered wheels touch with both rims with contacts as in Webots: the outer rim sticks."""

from __future__ import annotations

import math

import pytest

from sim_core.base.config import SimulationConfig
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

RADIUS, HALF_TRACK, WIDTH = 0.04, 0.055, 0.005


def _robot(damping: float, contacts: str) -> Simulation:
    """Return a robot with two wheels under a smooth box, which are driven against each other."""

    def wheel(side: int) -> str:
        return f"""Hinge2Joint {{
          jointParameters HingeJointParameters {{ axis 0 0 1 anchor 0 {side * HALF_TRACK} 0 }}
          jointParameters2 JointParameters {{ axis 0 1 0 dampingConstant {damping} }}
          device RotationalMotor {{ name "steer {side}" }}
          device2 RotationalMotor {{ name "drive {side}" maxTorque 10 }}
          endPoint Solid {{ name "wheel {side}" translation 0 {side * HALF_TRACK} 0
            rotation 1 0 0 1.5707963267948966
            boundingObject Cylinder {{ height {WIDTH} radius {RADIUS} }} physics Physics {{ }} }} }}"""

    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 16
  contactProperties ContactProperties {{ material2 "body" coulombFriction 0 }} }}
Solid {{ boundingObject Plane {{ }} }}
Robot {{ name "r" translation 0 0 {RADIUS} contactMaterial "body" children [ {wheel(1)} {wheel(-1)} ]
  boundingObject Box {{ size 0.05 0.1 0.05 }} physics Physics {{ }} }}"""
    return Simulation(parse_scene(text), SimulationConfig(contacts=contacts))


@pytest.mark.parametrize(
    ("contacts", "lever"),
    [("webots", HALF_TRACK + WIDTH / 2), ("stiff", HALF_TRACK)],
    ids=("webots", "stiff"),
)
@pytest.mark.parametrize("damping", [0.0, 20.0, 50.0])
def test_a_robot_on_steered_wheels_turns_about_their_outer_rims(
    damping: float, contacts: str, lever: float
) -> None:
    """Where one of two rims must slide, the inner one slides: the outer one has the longer lever.

    The wheels turn at 1 rad/s, or as fast as 10 N·m can turn them against the damping.
    """
    sim = _robot(damping, contacts)
    robot = sim.robot("r")
    for side in (1, -1):
        robot[f"drive {side}"].set_position(math.inf)
        robot[f"drive {side}"].set_velocity(-side * 1.0)
    sim.run(0.16)
    start = robot.frame.pose().rotation
    sim.run(0.48)
    now = robot.frame.pose().rotation
    turned = math.atan2(now[3], now[0]) - math.atan2(start[3], start[0])
    wheel = min(1.0, 10.0 / damping) if damping else 1.0
    assert turned / 0.48 == pytest.approx(wheel * RADIUS / lever, rel=0.005)
