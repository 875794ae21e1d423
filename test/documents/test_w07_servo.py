"""W7: the node Servo and its twelve functions, by the algorithms and limits that the book gives."""

import math
from pathlib import Path

import numpy as np
import pytest
from document_runs import run_document

from sim_core.devices.motors.servo import Servo
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

STEP = 0.008
BODY = "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 0.5 }"
INERTIA = 0.5 / 12.0 * (0.1**2 + 0.1**2)
WORLD = f"""
WorldInfo {{ basicTimeStep 8 gravity 0 -9.81 0 }}
Supervisor {{
  name "arm" controller "arm" translation 0 2 0
  children [
    DEF TURN Servo {{ name "turn" translation 1 0 0 rotation 0 1 0 0.3 maxPosition 1 minPosition -1 {BODY} }}
    DEF SLOW Servo {{ name "slow" translation 2 0 0 acceleration 20 maxVelocity 1 {BODY} }}
    DEF WHEEL Servo {{ name "wheel" translation 3 0 0 rotation 0 -1 0 0 {BODY} }}
    DEF DOOR Servo {{ name "door" translation 4 0 0 minStop -0.5 maxStop 0.5 {BODY} }}
    DEF FREE Servo {{ name "free" translation 5 0 0 {BODY} }}
    DEF SPRING Servo {{ name "spring" type "linear" translation 6 0 0 rotation 1 0 0 0 maxForce 10
      springConstant 50 dampingConstant 10 {BODY} }}
    DEF LIFT Servo {{ name "lift" type "linear" translation 7 0 0 rotation 0 1 0 0.2 {BODY} }}
    DEF LOOSE Servo {{ name "loose" type "none" translation 8 0 0 {BODY} }}
    DEF HAND Gripper {{ translation 0 0 1 children [ Servo {{ name "finger" {BODY} }} ] }}
  ]
}}
"""
ARM = """
from controller import *
arm = Supervisor()
STEP = 8
names = ["turn", "slow", "wheel", "door", "free", "spring", "lift"]
turn, slow, wheel, door, free, spring, lift = servos = [arm.getServo(name) for name in names]
for servo in servos:
    servo.enablePosition(STEP)
    servo.enableMotorForceFeedback(STEP)
turn.setControlP(5)
turn.setPosition(0.7)
slow.setPosition(0.2)
wheel.setVelocity(2)
wheel.setPosition(-Servo.INFINITY)
door.setForce(1)
free.setForce(0.01)
spring.setForce(5)
print("before", turn.getPosition(), turn.getMotorForceFeedback())
for k in range(60):
    arm.step(STEP)
    print("at", *(servo.getPosition() for servo in servos), free.getMotorForceFeedback())
for k in range(200):
    arm.step(STEP)
print("held", spring.getPosition(), door.getPosition(), lift.getMotorForceFeedback(), wheel.getPosition())
for name in ("TURN", "SLOW", "WHEEL", "DOOR"):
    print("field", arm.getFromDef(name).getField("position").getSFFloat())
print("kinds", turn.getType(), lift.getType(), arm.getFromDef("HAND").getTypeName())
print("fell", 2 - arm.getFromDef("LOOSE").getPosition()[1], arm.getTime())
turn.setPosition(1.5)
slow.setVelocity(0.5)
slow.setAcceleration(-1)
slow.setPosition(1)
lift.setMotorForce(3)
turn.disablePosition()
wheel.disableMotorForceFeedback()
arm.step(STEP)
before = slow.getPosition()
arm.step(STEP)
print("fast", slow.getPosition() - before, lift.getMotorForceFeedback(), turn.getPosition())
print("off", wheel.getMotorForceFeedback())
lift.setMotorForce(10)
for k in range(250):
    arm.step(STEP)
turn.enablePosition(STEP)
arm.step(STEP)
print("soft", turn.getPosition())
arm.worldSave("saved.wbt")
print("now", *(servo.getPosition() for servo in servos))
arm.simulationQuit(0)
"""


def numbers(lines: list[str], word: str) -> list[list[float]]:
    """The numbers in the lines that begin with a word."""
    return [[float(each) for each in line.split()[1:]] for line in lines if line.startswith(word + " ")]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The project's folder, and what the controller has printed."""
    folder = tmp_path_factory.mktemp("servo")
    return folder, run_document(folder, WORLD, {"arm": ARM}).robots["arm"]


def test_the_twelve_functions_and_the_p_controller(run: tuple[Path, list[str]]) -> None:
    """V = P·(target - position), within ±V_d; a = (V - V_before)/t_s within ±A; then V = V_before + a·t_s."""
    _, lines = run
    assert all(math.isnan(value) for value in numbers(lines, "before")[0])
    measured = np.array(numbers(lines, "at"))
    for column, p, target, top, limit in ((0, 5.0, 0.7, 10.0, math.inf), (1, 10.0, 0.2, 1.0, 20.0)):
        position = velocity = 0.0
        for found in measured[:, column]:
            wanted = max(-top, min(top, p * (target - position)))
            velocity += max(-limit * STEP, min(limit * STEP, wanted - velocity))
            position += velocity * STEP
            assert found == pytest.approx(position, abs=2e-5)
    assert numbers(lines, "fast")[0][0] == pytest.approx(0.5 * STEP, rel=1e-3)  # the new velocity, at once


def test_velocity_and_force_control(run: tuple[Path, list[str]]) -> None:
    """Without end at the velocity, with the sign of the infinity; α = τ/I; F = -Kx - Bv."""
    _, lines = run
    measured = np.array(numbers(lines, "at"))
    assert measured[1:, 2] - measured[:-1, 2] == pytest.approx(-2.0 * STEP, rel=1e-4)
    steps = np.arange(1, 61)
    assert measured[:, 4] == pytest.approx(0.01 / INERTIA * STEP**2 * steps * (steps + 1) / 2.0, rel=1e-3)
    assert not measured[:, 7].any()  # what `setForce` applies is not the motor's
    spring, door, lift, wheel = numbers(lines, "held")[0]
    assert spring == pytest.approx(5.0 / 50.0, abs=1e-4)
    assert door == pytest.approx(0.5, abs=0.02)  # its hard stop, which no force passes
    assert lift == pytest.approx(0.5 * 9.81, rel=1e-3)  # it carries its weight
    assert wheel == pytest.approx(-2.0 * STEP * 260, rel=1e-3)


def test_limits_of_force_and_position_and_what_is_disabled(run: tuple[Path, list[str]]) -> None:
    _, lines = run
    _, lift, turn = numbers(lines, "fast")[0]
    assert abs(lift) <= 3.0 + 1e-9
    assert math.isnan(turn)
    assert math.isnan(numbers(lines, "off")[0][0])
    assert numbers(lines, "soft")[0][0] == pytest.approx(1.0, abs=1e-3)  # maxPosition


def test_the_position_field_follows_and_a_saved_world_keeps_zero_and_stops(
    run: tuple[Path, list[str]],
) -> None:
    """In the saved world each servo is where it was, and its position 0 is where the first file has it."""
    folder, lines = run
    fields = [value for (value,) in numbers(lines, "field")]
    measured = np.array(numbers(lines, "held"))[0]
    assert fields[2:] == pytest.approx([measured[3], measured[1]], abs=1e-9)
    sim = Simulation(load_scene(folder / "controllers" / "arm" / "saved.wbt"))
    servos = [device for device in sim.robot("arm").devices.values() if isinstance(device, Servo)]
    assert [servo.position for servo in servos[:7]] == pytest.approx(numbers(lines, "now")[0], abs=1e-9)
    first = Simulation(load_scene(folder / "worlds" / "typed.wbt"))
    turn, door = servos[0], servos[3]
    turn.set_position(0.0)
    door.set_effort(-1.0)
    sim.run(3.0)
    node, before = sim.robot("arm").nodes["turn"], first.robot("arm").nodes["turn"]
    now, then = (each.physics.frame(id_).pose() for each, id_ in ((sim, node.id), (first, before.id)))
    assert now.rotation == pytest.approx(then.rotation, abs=1e-3)
    assert door.position == pytest.approx(-0.5, abs=0.02)


def test_a_servo_of_type_none_is_free_and_a_gripper_is_a_solid_with_its_fingers(
    run: tuple[Path, list[str]],
) -> None:
    """Nothing holds what such a servo carries: it falls; h = g·t²/2."""
    _, lines = run
    assert [line.split()[1:] for line in lines if line.startswith("kinds")] == [["0", "1", "Solid"]]
    fell, time = numbers(lines, "fell")[0]
    assert fell == pytest.approx(9.81 * time**2 / 2.0, rel=0.01)


def test_a_servo_in_a_proto_keeps_its_zero_and_a_supervisor_puts_one_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "Arm.proto").write_text(
        f"""#VRML_SIM V6.0 utf8
PROTO Arm [ field SFVec3f translation 0 0 0 ] {{
  Solid {{ translation IS translation children Servo {{ name "inner" rotation 0 0 1 0.2 {BODY} }} }} }}
"""
    )
    world = tmp_path / "worlds" / "arm.wbt"
    world.parent.mkdir()
    world.write_text(
        f"""#VRML_SIM V6.0 utf8
WorldInfo {{ gravity 0 0 0 basicTimeStep 8 }}
Robot {{ name "r" children [ Arm {{ }} DEF T Servo {{ name "own" translation 1 0 0 {BODY} }} ] }}
"""
    )
    sim = Simulation(load_scene(world))
    inner, own = (sim.robot("r")[name] for name in ("inner", "own"))
    inner.set_position(-0.7)
    sim.run(2.0)
    sim.supervisor.set("T", "position", 0.25)
    assert sim.supervisor.get("T", "rotation") == pytest.approx((0.0, 1.0, 0.0, 0.25))  # about y by default
    sim.supervisor.save(world.with_name("saved.wbt"))
    again = Simulation(load_scene(world.with_name("saved.wbt")))
    found = [again.robot("r")[name].position for name in ("inner", "own")]
    assert found == pytest.approx([inner.position, own.position], abs=1e-9)
    assert found == pytest.approx([-0.7, 0.25], abs=1e-6)
    sim.reset()
    assert own.position == 0.0
