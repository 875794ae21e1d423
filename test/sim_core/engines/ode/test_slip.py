"""forceDependentSlip: each contact slides at v = k·F under the force F that it carries (ODE manual, FDS)."""

from __future__ import annotations

import math

import pytest

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

G = 9.81
SLIP = 0.01
SLOPE = 0.1
WORLD = """#VRML_SIM R2025a utf8
WorldInfo {{
  basicTimeStep {step} physicsDisableTime -1
  contactProperties ContactProperties {{ coulombFriction 10 forceDependentSlip {slip} }}
}}
Solid {{ name "slope" rotation 0 1 0 {slope} {floor} }}
{body}
"""
PLANE = "boundingObject Plane { size 50 50 }"
BLOCK = "translation 0 0 -0.1 boundingObject Box { size 50 50 0.2 }"
WHEEL = """HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 1 0 anchor {x} {y} 0 }}
  device RotationalMotor {{ name "{x} {y}" maxTorque 100 }}
  endPoint Solid {{
    name "wheel {x} {y}" translation {x} {y} 0 rotation 1 0 0 1.5707963267948966
    boundingObject Cylinder {{ radius 0.1 height 0.04 }} physics Physics {{ density -1 mass 0.1 }}
  }}
}}"""


def _sliding(body: str, step: float = 4.0, floor: str = PLANE, slip: str = str(SLIP)) -> float:
    """Return the speed of BODY down the slope in m/s."""
    text = WORLD.format(step=step, slip=slip, slope=SLOPE, floor=floor, body=body)
    sim = Simulation(parse_scene(text, "slope.wbt"))
    for robot in sim.robots.values():
        for motor in robot.motors().values():
            motor.set_velocity(0.0)
    sim.run(0.5)
    start, begin = sim.supervisor.pose("BODY").position, sim.time
    sim.run(1.0)
    return math.dist(start, sim.supervisor.pose("BODY").position) / (sim.time - begin)


def _body(shape: str, height: float, mass: float) -> str:
    return f"""DEF BODY Solid {{
      translation {height * math.sin(SLOPE)} 0 {height * math.cos(SLOPE)} rotation 0 1 0 {SLOPE}
      boundingObject {shape} physics Physics {{ density -1 mass {mass} }}
    }}"""


@pytest.mark.parametrize("step", [2.0, 4.0, 16.0])
@pytest.mark.parametrize("mass", [0.3, 40.0])
def test_a_box_slides_on_its_four_contacts(step: float, mass: float) -> None:
    speed = _sliding(_body("Box { size 0.4 0.4 0.2 }", 0.1, mass), step)
    assert speed == pytest.approx(SLIP * mass * G * math.sin(SLOPE) / 4, rel=1e-3)


def test_a_lying_cylinder_slides_along_its_axis_on_two() -> None:
    lying = "Pose { rotation 0 1 0 1.5707963 children Cylinder { radius 0.1 height 0.5 } }"
    assert _sliding(_body(lying, 0.1, 2.0)) == pytest.approx(SLIP * 2.0 * G * math.sin(SLOPE) / 2, rel=1e-3)


@pytest.mark.parametrize("floor", [PLANE, BLOCK])
def test_a_braked_car_slides_on_two_contacts_of_each_wheel(floor: str) -> None:
    wheels = " ".join(WHEEL.format(x=x, y=y) for x in (0.2, -0.2) for y in (0.2, -0.2))
    car = f"""DEF BODY Robot {{
      translation {0.1 * math.sin(SLOPE)} 0 {0.1 * math.cos(SLOPE)} rotation 0 1 0 {SLOPE} controller "<none>"
      children [ {wheels} ] boundingObject Box {{ size 0.3 0.3 0.05 }}
      physics Physics {{ density -1 mass 1.6 }}
    }}"""
    expected = SLIP * 2.0 * G * math.sin(SLOPE) / 8
    assert _sliding(car, floor=floor) == pytest.approx(expected, rel=2e-3)


def test_a_driven_wheel_turns_faster_than_it_rolls() -> None:
    """A car that pulls a load with the force F on two driven wheels: ω·r − v = k·F/4."""
    wheels = " ".join(WHEEL.format(x=0.0, y=y) for y in (0.2, -0.2))
    car = f"""DEF BODY Robot {{
      translation 0 0 0.1 rotation 0 0 1 0 controller "<none>" children [ {wheels}
        Solid {{ name "skid" translation -0.3 0 -0.05 contactMaterial "ice"
                 boundingObject Sphere {{ radius 0.05 }}
                 physics Physics {{ density -1 mass 0.1 }} }} ]
      boundingObject Box {{ size 0.1 0.3 0.05 }} physics Physics {{ density -1 mass 3 }}
    }}"""
    text = (
        WORLD.format(step=2, slip=SLIP, slope=0, floor=PLANE, body=car)
        .replace(
            "contactProperties ContactProperties {",
            'contactProperties [ ContactProperties { material1 "ice" coulombFriction 0 } ContactProperties {',
        )
        .replace(f"{SLIP} }}\n}}", f"{SLIP} }} ]\n}}")
    )
    sim = Simulation(parse_scene(text, "road.wbt"))
    for motor in sim.robots["robot"].motors().values():
        motor.set_velocity(5.0)
    load = 6.0
    for _ in range(2000):
        sim.supervisor.add_force("BODY", (-load, 0.0, 0.0))
        sim.step()
    speed = sim.supervisor.velocity("BODY")[0][0]
    assert 5.0 * 0.1 - speed == pytest.approx(SLIP * load / 4, rel=5e-3)
