"""Propellers, tested by the formulas of the Webots reference."""

from __future__ import annotations

import math

import pytest

from sim_core import Simulation
from sim_core.base.errors import SceneError
from sim_core.scene import parse_scene

H = 0.004
G = 9.81
MASS, INERTIA = 1.5, 0.02
T1, T2, Q1, Q2 = 2e-4, 3e-3, 4e-6, 5e-5

DRONE = """Robot {{ name "drone" translation 0 0 5 {robot} children [ {propellers} ]
  boundingObject Sphere {{ radius 0.1 }}
  physics Physics {{ density -1 mass {mass} inertiaMatrix [ {i} {i} {i}, 0 0 0 ] }} }}"""
PROPELLER = """Propeller {{ shaftAxis {axis} centerOfThrust {centre} thrustConstants {t1} {t2}
  torqueConstants {q1} {q2} device RotationalMotor {{ name "{name}" maxVelocity 1000 maxTorque {torque}
  acceleration {acceleration} }} {more} }}"""


def propeller(name: str = "m", **fields: object) -> str:
    values = {"axis": "0 0 2", "centre": "0 0 0", "t1": T1, "t2": T2, "q1": Q1, "q2": Q2, "torque": 1e6}
    return PROPELLER.format(**{**values, "acceleration": 1e6, "more": "", **fields}, name=name)


def drone(*propellers: str, gravity: float = G, robot: str = "") -> Simulation:
    info = f"WorldInfo {{ basicTimeStep {H * 1000} gravity {gravity} }}\n"
    body = DRONE.format(propellers=" ".join(propellers), mass=MASS, i=INERTIA, robot=robot)
    sim = Simulation(parse_scene("#VRML_SIM R2025a utf8\n" + info + body))
    for motor in sim.robot("drone").devices.values():
        motor.enable_feedback()
    return sim


def motion(sim: Simulation) -> tuple[tuple[float, ...], tuple[float, ...]]:
    frame = sim.robot("drone").frame
    return frame.linear_velocity(), frame.angular_velocity()


@pytest.mark.parametrize("omega", [100.0, -300.0])
def test_thrust_and_torque_of_a_propeller_at_rest(omega: float) -> None:
    sim = drone(propeller(), gravity=0.0)
    sim.robot("drone")["m"].set_velocity(omega)
    sim.step()
    linear, angular = motion(sim)
    assert linear == pytest.approx((0, 0, T1 * abs(omega) * omega / MASS * H))
    assert angular == pytest.approx((0, 0, -Q1 * abs(omega) * omega / INERTIA * H))
    assert sim.robot("drone")["m"].effort == pytest.approx(Q1 * abs(omega) * omega)


def test_the_speed_of_advance_is_measured_along_the_shaft() -> None:
    v, omega = 7.0, 200.0
    sim = drone(propeller(axis="1 0 0"), gravity=0.0, robot=f"rotation 0 0 1 1.2 linearVelocity {v} 0 0")
    sim.robot("drone")["m"].set_velocity(omega)
    sim.step()
    along = v * math.cos(1.2)
    thrust = T1 * omega**2 - T2 * omega * along
    linear, _ = motion(sim)
    push = thrust / MASS * H
    assert linear == pytest.approx((v + push * math.cos(1.2), push * math.sin(1.2), 0))
    assert sim.robot("drone")["m"].effort == pytest.approx(Q1 * omega**2 - Q2 * omega * along)


def test_four_propellers_hover_at_the_computed_speed() -> None:
    omega = math.sqrt(MASS * G / 4 / T1)
    places = [("0.2 0.2 0", 1), ("-0.2 0.2 0", -1), ("-0.2 -0.2 0", 1), ("0.2 -0.2 0", -1)]
    names = [f"m{i}" for i in range(4)]
    # half of them turn in the opposite direction: their constants are negative, their torques cancel out
    sim = drone(
        *(
            propeller(name, centre=place, t1=sign * T1, q1=Q1)
            for name, (place, sign) in zip(names, places, strict=True)
        )
    )
    for name, (_, sign) in zip(names, places, strict=True):
        sim.robot("drone")[name].set_velocity(sign * omega)
    sim.step(1000)
    pose = sim.robot("drone").frame.pose()
    assert pose.position == pytest.approx((0, 0, 5), abs=1e-9)
    linear, angular = motion(sim)
    assert linear == pytest.approx((0, 0, 0), abs=1e-9) and angular == pytest.approx((0, 0, 0), abs=1e-9)


def test_a_climb_ends_where_thrust_equals_the_weight() -> None:
    omega = 400.0
    sim = drone(propeller(q1=0, q2=0))
    sim.robot("drone")["m"].set_velocity(omega)
    sim.run(20.0)
    speed = (T1 * omega**2 - MASS * G) / (T2 * omega)
    assert motion(sim)[0] == pytest.approx((0, 0, speed))


def test_thrust_beside_the_centre_of_mass_tilts_the_body() -> None:
    sim = drone(propeller(centre="0.3 0 0", q1=0, q2=0), gravity=0.0)
    sim.robot("drone")["m"].set_velocity(100.0)
    sim.step()
    assert motion(sim)[1] == pytest.approx((0, -0.3 * T1 * 100.0**2 / INERTIA * H, 0))


def test_the_torque_is_at_most_that_of_the_motor() -> None:
    sim = drone(propeller(torque=0.01, acceleration=-1), gravity=0.0)
    motor = sim.robot("drone")["m"]
    motor.set_velocity(1000.0)
    sim.step(3)
    # without an acceleration the limit of a shaft is its motor's torque, in rad/s²
    assert motor.velocity == pytest.approx(3 * H * 0.01)
    sim = drone(propeller(torque=0.1, q1=1.0, q2=0, acceleration=-1), gravity=0.0)
    sim.robot("drone")["m"].set_velocity(1000.0)
    sim.step(2000)
    assert sim.robot("drone")["m"].effort == pytest.approx(0.1)


def test_a_propeller_without_physics_turns_without_thrust() -> None:
    text = f'#VRML_SIM R2025a utf8\nRobot {{ name "drone" children [ {propeller()} ] }}'
    sim = Simulation(parse_scene(text))
    assert [str(w).split(": ")[1] for w in sim.physics.warnings] == [
        "a Propeller on what has no Physics pushes nothing"
    ]
    motor = sim.robot("drone")["m"]
    motor.set_velocity(10.0)
    sim.step(100)
    assert motor.velocity == 10.0 and motor.position == pytest.approx(10.0 * 100 * 0.032)
    assert motion(sim) == ((0, 0, 0), (0, 0, 0))


def test_a_propeller_goes_to_a_position() -> None:
    sim = drone(propeller(acceleration=50), gravity=0.0)
    motor = sim.robot("drone")["m"]
    motor.set_position(3.0)
    sim.run(3.0)
    assert motor.position == pytest.approx(3.0, abs=1e-9)


def test_a_run_after_a_reset_is_the_same() -> None:
    def run() -> bytes:
        sim.robot("drone")["m"].set_velocity(321.0)
        sim.step(50)
        return sim.physics.get_state().bodies.tobytes()

    sim = drone(propeller(centre="0.01 0.02 0"))
    first = run()
    sim.reset()
    assert sim.robot("drone")["m"].position == 0.0
    assert run() == first


def test_the_helix_is_at_the_propeller_and_has_no_mass() -> None:
    heavy = "physics Physics { density -1 mass 7 }"
    helix = (
        f'slowHelix Solid {{ name "helix" translation 0 0 0.2 {heavy} }} fastHelix Solid {{ name "fast" }}'
    )
    sim = drone(propeller(more=helix))
    node = next(node for node in sim.scene.walk() if node.is_a("Solid") and node["name"] == "helix")
    assert sim.physics.frame(node.id).pose().position == pytest.approx((0, 0, 5.2))
    link = sim.physics.built.body_of(node.id)  # type: ignore[union-attr] # it is a PhysicsWorld
    assert (link.mass, link.centre) == (MASS, (0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("axis", "0 0 0", "Propeller.shaftAxis 0 0 0, expected a vector that is not zero"),
        ("t1", "1e300", "Propeller.thrustConstants"),
    ],
)
def test_invalid_values_are_refused(field: str, value: str, text: str) -> None:
    with pytest.raises(SceneError) as caught:
        drone(propeller(**{field: value}))
    assert text in str(caught.value)
