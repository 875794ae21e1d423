"""Stand-ins that do something: a belt, stairs, a valve, a pedestrian and a car, each against a formula."""

import math

import pytest

from sim_core.base.config import SimulationConfig
from sim_core.scene import Node, parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.supervisor import Supervisor

GRIP = "contactProperties ContactProperties { coulombFriction 8 bounce 0 }"


def simulate(text: str) -> Simulation:
    head = f"#VRML_SIM R2022a utf8\nWorldInfo {{ basicTimeStep 8 {GRIP} }}\nFloor {{ size 400 400 }}\n"
    scene = parse_scene(head + text, "w.wbt", Assets())
    assert scene.warnings == []
    return Simulation(scene, SimulationConfig(contacts="stiff"))


def part(sim: Simulation, name: str) -> Node:
    return next(node for node in sim.scene.walk() if node.fields.get("name") == name)


def place(sim: Simulation, name: str) -> tuple[float, float, float]:
    return sim.physics.frame(part(sim, name).id).pose().position


def test_a_belt_carries_a_box_at_its_speed() -> None:
    box = 'SolidBox { name "b" translation -0.5 0 0.66 size 0.1 0.1 0.1 physics Physics { } }'
    sim = simulate(f'ConveyorBelt {{ name "r" speed 0.3 timer 9 }} {box}')
    assert part(sim, "r")["controllerArgs"] == ["0 belt_motor/velocity 0.3", "9 belt_motor/velocity 0"]
    sim.robot("r")["belt_motor"].set_velocity(0.3)
    sim.run(1.0)
    start = place(sim, "b")
    sim.run(2.0)
    end = place(sim, "b")
    assert end[0] - start[0] == pytest.approx(0.3 * 2.0, rel=0.01)
    assert end[2] == pytest.approx(0.6 + 0.05, abs=0.003)


def test_a_ball_rests_on_each_step() -> None:
    balls = " ".join(
        f'Ball {{ name "{k}" translation {0.4 * k} 0 {0.15 * (k + 1) + 0.06} radius 0.05 centerOfMass [ ] }}'
        for k in range(4)
    )
    sim = simulate(f"StraightStairs {{ nSteps 4 }} {balls}")
    sim.run(1.0)
    heights = [place(sim, str(k))[2] for k in range(4)]
    assert heights == pytest.approx([0.15 * (k + 1) + 0.05 for k in range(4)], abs=0.002)


def test_the_angle_of_a_leg_moves_its_foot() -> None:
    """A hidden field, which a Supervisor sets: the foot turns about the hip, 0.86 m above it."""
    sim = simulate("DEF WALKER Pedestrian { }")
    sim.step()
    before = place(sim, "left foot")
    Supervisor(sim).set("WALKER", "leftLegAngle", 0.5)
    sim.step()
    after = place(sim, "left foot")
    assert after[0] - before[0] == pytest.approx(-0.86 * math.sin(0.5), abs=1e-3)
    assert after[2] - before[2] == pytest.approx(0.86 * (1.0 - math.cos(0.5)), abs=1e-3)


def test_a_car_rolls_without_slip() -> None:
    sim = simulate('BmwX5 { name "car" }')
    sim.run(1.0)
    for side in ("left", "right"):
        sim.robot("car")[f"{side}_front_wheel"].set_velocity(5.0 / 0.38)
    sim.run(4.0)
    start = place(sim, "car")
    sim.run(1.0)
    assert math.dist(start, place(sim, "car")) == pytest.approx(5.0, rel=0.01)


@pytest.mark.parametrize(("start", "first"), [("TRUE", "green"), ("FALSE", "red")])
def test_a_traffic_light_is_told_to_change(start: str, first: str) -> None:
    sim = simulate(f'GenericTrafficLight {{ name "light" startGreen {start} greenTime 20 redTime 5 }}')
    assert list(sim.robot("light").devices) == ["red light", "orange light", "green light"]
    then, at = ("red", 20) if first == "green" else ("green", 5)
    said = part(sim, "light")["controllerArgs"]
    assert said[0] == "repeat 25"
    assert {f"0 {first}_light 1", f"{at} {first}_light 0", f"{at} {then}_light 1"} < {*said}
