"""Backlash as in PROTO files: a motor turns a gear, which drives the output between two stops."""

from __future__ import annotations

import math

import pytest

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

BACKLASH = 0.2
SPEED = 0.5
DAMPING = -math.log(1.0 - 0.99)
"""1/s, of the output: a velocity falls to a hundredth in a second."""


def arm(step: float) -> Simulation:
    """Return an arm whose output, 1 kg, is damped by the air."""
    return Simulation(
        parse_scene(f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep {step} gravity 0 }}
Robot {{ name "r" children HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 0 1 }}
  device RotationalMotor {{ name "motor" maxTorque 10 }}
  endPoint Solid {{ name "gear" boundingObject Sphere {{ radius 0.05 }}
    physics Physics {{ density -1 mass 0.01 }}
    children HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 minStop {-BACKLASH / 2} maxStop {BACKLASH / 2} }}
      endPoint DEF DRIVEN Solid {{ name "driven" boundingObject Box {{ size 0.4 0.1 0.1 }}
        physics Physics {{ density -1 mass 1 damping Damping {{ angular 0.99 }} }} }} }} }} }} }}
""")
    )


def turned(sim: Simulation) -> float:
    cosine, sine = sim.supervisor.pose("DRIVEN").rotation[:2]
    return math.atan2(-sine, cosine)


def coasted(time: float) -> float:
    """Return the angle in rad by which the output has turned without a drive: v/k·(1 - exp(-k·t))."""
    return SPEED / DAMPING * -math.expm1(-DAMPING * time)


def meeting() -> float:
    """Return the time in s until it meets its other stop: the turns of it and of the gear add up to the
    backlash then."""
    early, late = 0.0, BACKLASH / SPEED
    for _ in range(50):
        middle = (early + late) / 2.0
        if coasted(middle) + SPEED * middle < BACKLASH:
            early = middle
        else:
            late = middle
    return early


@pytest.mark.parametrize("step", [1.0, 8.0, 32.0])
def test_the_output_lags_by_half_the_backlash_and_a_reversal_loses_all_of_it(step: float) -> None:
    sim = arm(step)
    motor = sim.robot("r")["motor"]
    motor.set_velocity(SPEED)
    sim.run(4.0)
    assert motor.position - turned(sim) == pytest.approx(BACKLASH / 2, abs=1e-3)
    start, before, stood = sim.time_ns, motor.position, turned(sim)
    motor.set_velocity(-SPEED)
    sim.run(0.35)  # it coasts to its other stop, where the gear meets it and drives it
    passed = (sim.time_ns - start) * 1e-9
    assert before - motor.position == pytest.approx(SPEED * passed, abs=SPEED * step * 1.5e-3)
    met = meeting()
    assert met < passed
    assert turned(sim) - stood == pytest.approx(
        coasted(met) - SPEED * (passed - met), abs=SPEED * step * 1e-3 + 1e-3
    )
    sim.run(3.6)
    assert motor.position - turned(sim) == pytest.approx(-BACKLASH / 2, abs=1e-3)
