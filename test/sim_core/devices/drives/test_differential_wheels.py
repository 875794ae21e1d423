import math
from typing import Any

import pytest

from sim_core.base.errors import CommandError, DeviceError
from sim_core.base.geometry import yaw_of
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

STEP = 0.016
KINEMATIC = """
  axleLength 0.4 wheelRadius 0.1 maxSpeed 20 maxAcceleration 1e6
  boundingObject Pose { translation 0 0 0.1 children Box { size 0.3 0.3 0.1 } }
"""
WHEEL = """Solid {
      name "%s wheel" translation 0 %s 0.1 rotation 1 0 0 1.5707963267948966
      boundingObject Cylinder { radius 0.1 height 0.02 }
      physics Physics { density -1 mass 0.5 }
    }"""
DYNAMIC = f"""
  contactMaterial "glide" axleLength 9 wheelRadius 9 maxSpeed 20 maxForce 5
  boundingObject Group {{ children [
    Pose {{ translation 0 0 0.12 children Box {{ size 0.2 0.3 0.1 }} }}
    Pose {{ translation 0.1 0 0.03 children Sphere {{ radius 0.03 }} }}
    Pose {{ translation -0.1 0 0.03 children Sphere {{ radius 0.03 }} }}
  ] }}
  physics Physics {{ density -1 mass 5 centerOfMass 0 0 0.08 }}
  children [
    {WHEEL % ("left", "0.2")}
    {WHEEL % ("right", "-0.2")}
  ]
"""


def simulation(body: str, others: str = "", seed: int = 1, **fields: Any) -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 16 randomSeed {seed}
  contactProperties ContactProperties {{ material2 "glide" coulombFriction 0 bounce 0 }} }}
Solid {{ name "floor" boundingObject Plane {{ }} }}
{others}
DifferentialWheels {{
  name "robot1"
  {body}
}}
"""
    scene = parse_scene(text, "robot.wbt")
    for field, value in {"slipNoise": 0.0, **fields}.items():
        scene.nodes[-1][field] = value
    return Simulation(scene)


def wheels_of(sim: Simulation) -> DifferentialWheels:
    wheels = sim.robot("robot1")["robot1"]
    assert isinstance(wheels, DifferentialWheels)
    return wheels


def test_straight_ahead_without_physics() -> None:
    sim = simulation(KINEMATIC)
    wheels_of(sim).set_speed(5.0, 5.0)
    sim.step(100)
    assert sim.robot("robot1").frame.pose().position == pytest.approx((5.0 * 0.1 * 100 * STEP, 0.0, 0.0))
    assert sim.robot("robot1").frame.linear_velocity() == pytest.approx((0.5, 0.0, 0.0))


def test_turn_on_the_spot_without_physics() -> None:
    """ω = r·(ωr - ωl)/axleLength, counter-clockwise if the right wheel is faster."""
    sim = simulation(KINEMATIC)
    wheels_of(sim).set_speed(-2.0, 2.0)
    sim.step(100)
    pose = sim.robot("robot1").frame.pose()
    assert yaw_of(pose.rotation) == pytest.approx(1.0 * 100 * STEP)
    assert pose.position == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert sim.robot("robot1").frame.angular_velocity() == pytest.approx((0.0, 0.0, 1.0))


def test_an_arc_without_physics_and_its_odometry() -> None:
    """The robot drives a circle of radius v/ω about a centre on the left."""
    sim = simulation(KINEMATIC, translation=(1.0, 2.0, 0.0), rotation=(0.0, 0.0, 1.0, 1.5707963267948966))
    robot = sim.robot("robot1")
    assert robot.drive is not None
    assert robot.odometry is not None
    robot.drive.set_twist(0.6, 0.5)
    sim.step(200)
    robot.odometry.update_pose()
    angle = 0.5 * 200 * STEP
    x, y = 1.2 * math.sin(angle), 1.2 * (1.0 - math.cos(angle))
    assert robot.frame.pose().position == pytest.approx((1.0 - y, 2.0 + x, 0.0))
    assert robot.odometry.pose == pytest.approx((x, y, angle))


def test_the_start_is_limited_by_the_acceleration_without_physics() -> None:
    sim = simulation(KINEMATIC, maxAcceleration=10.0)
    wheels = wheels_of(sim)
    wheels.set_speed(4.0, -4.0)
    for steps in range(1, 50):
        sim.step()
        speed = min(10.0 * STEP * steps, 4.0)
        assert (wheels.left.velocity, wheels.right.velocity) == pytest.approx((speed, -speed))


def test_speeds_are_in_units_of_speed_unit_and_clamped_at_max_speed() -> None:
    sim = simulation(KINEMATIC, speedUnit=0.5)
    wheels = wheels_of(sim)
    assert wheels.set_speed(8.0, 6.0) is None
    sim.step()
    assert (wheels.left.velocity, wheels.right.velocity) == pytest.approx((4.0, 3.0))
    message = wheels.set_speed(8.0, 60.0)
    assert message == "robot1/right wheel: velocity 30 rad/s is past the limit 20 rad/s, clamped"
    assert wheels.right.target_velocity == 20.0


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_speed_that_is_not_finite_is_refused_and_changes_nothing(value: float) -> None:
    wheels = wheels_of(simulation(KINEMATIC))
    wheels.set_speed(1.0, 2.0)
    for speeds in ((value, 3.0), (3.0, value)):
        with pytest.raises(CommandError, match=r"robot1: (left|right) speed: found"):
            wheels.set_speed(*speeds)
    assert (wheels.left.target_velocity, wheels.right.target_velocity) == (1.0, 2.0)


def test_encoders_count_the_angle() -> None:
    """encoderResolution increments per radian; set_encoders moves their zero."""
    sim = simulation(KINEMATIC, encoderNoise=0.0, encoderResolution=100.0)
    wheels = wheels_of(sim)
    wheels.set_speed(5.0, -3.0)
    sim.step(100)
    assert wheels.left_encoder == pytest.approx(5.0 * 100 * STEP * 100)
    assert wheels.right_encoder == pytest.approx(-3.0 * 100 * STEP * 100)
    wheels.set_encoders(0.0, 7.0)
    sim.step(10)
    assert wheels.left_encoder == pytest.approx(5.0 * 10 * STEP * 100)
    assert wheels.right_encoder == pytest.approx(7.0 - 3.0 * 10 * STEP * 100)


def test_encoders_that_are_off_read_no_number() -> None:
    wheels = wheels_of(simulation(KINEMATIC))
    assert math.isnan(wheels.left_encoder)
    assert not wheels.has_encoders


def test_a_blocked_robot_stands_still_and_its_encoders_stop() -> None:
    """Without physics the wheels do not slip at an obstacle; driving back is possible."""
    wall = 'Solid { name "wall" translation 1 0 0.5 boundingObject Box { size 0.1 4 1 } }'
    sim = simulation(KINEMATIC, wall, encoderNoise=0.0, encoderResolution=100.0)
    wheels = wheels_of(sim)
    wheels.set_speed(5.0, 5.0)
    sim.run(4.0)
    x = sim.robot("robot1").frame.pose().position[0]
    reading = wheels.left_encoder
    assert x == pytest.approx(0.95 - 0.15, abs=0.5 * STEP)
    assert x <= 0.95 - 0.15 + 1e-4
    assert reading == pytest.approx(x / 0.1 * 100)
    sim.run(1.0)
    assert wheels.left_encoder == reading
    assert sim.robot("robot1").frame.linear_velocity() == (0.0, 0.0, 0.0)
    wheels.set_speed(-5.0, -5.0)
    sim.step(10)
    assert sim.robot("robot1").frame.pose().position[0] == pytest.approx(x - 0.5 * 10 * STEP)


def test_slip_noise_is_uniform_and_its_own_for_each_wheel() -> None:
    """Speed factors in 1 ± 0.1 with the variance of a uniform distribution, 0.1²/3."""
    sim = simulation(KINEMATIC, slipNoise=0.1)
    wheels = wheels_of(sim)
    wheels.set_speed(5.0, 5.0)
    pairs = []
    for _ in range(4000):
        sim.step()
        pairs.append((wheels.left.velocity / 5.0 - 1.0, wheels.right.velocity / 5.0 - 1.0))
    for side in (0, 1):
        noise = [pair[side] for pair in pairs]
        assert max(abs(value) for value in noise) <= 0.1
        assert sum(noise) / len(noise) == pytest.approx(0.0, abs=5 * 0.1 / math.sqrt(3 * len(noise)))
        assert sum(value**2 for value in noise) / len(noise) == pytest.approx(0.01 / 3.0, rel=0.08)
        inner = sum(abs(value) < 0.05 for value in noise) / len(noise)
        assert inner == pytest.approx(0.5, abs=0.04)
    product = sum(left * right for left, right in pairs) / len(pairs)
    assert product == pytest.approx(0.0, abs=0.08 * 0.01 / 3.0 * 3)


@pytest.mark.parametrize("body", [KINEMATIC, DYNAMIC])
def test_noise_is_the_same_for_the_same_seed(body: str) -> None:
    ends = []
    for seed in (1, 1, 2):
        sim = simulation(body, seed=seed, encoderNoise=0.1, encoderResolution=100.0)
        wheels_of(sim).set_speed(3.0, 2.0)
        sim.step(100)
        ends.append((sim.robot("robot1").frame.pose(), wheels_of(sim).left_encoder))
    assert ends[0] == ends[1]
    assert ends[0] != ends[2]


def test_encoder_noise_lets_the_odometry_drift_from_the_truth() -> None:
    sim = simulation(KINEMATIC, encoderNoise=0.2, encoderResolution=100.0)
    wheels = wheels_of(sim)
    wheels.set_speed(5.0, 5.0)
    sim.step(500)
    true_angle = 5.0 * 500 * STEP
    assert wheels.left.angle == pytest.approx(true_angle)
    error = wheels.left_encoder / 100.0 / true_angle - 1.0
    assert 0.0 < abs(error) < 5 * 0.2 / math.sqrt(3 * 500)


def test_with_physics_the_wheels_drive_the_robot() -> None:
    """The sizes are those of the wheels, not of the fields; the speed is within 0.5 % of the kinematics."""
    sim = simulation(DYNAMIC, encoderNoise=0.0, encoderResolution=100.0)
    wheels = wheels_of(sim)
    assert (wheels.wheel_radius, wheels.axle_length) == pytest.approx((0.1, 0.4))
    wheels.set_speed(4.0, 4.0)
    sim.run(1.0)
    start, start_ns = sim.robot("robot1").frame.pose().position[0], sim.time_ns
    wheels.set_encoders(0.0, 0.0)
    sim.run(3.0)
    seconds = (sim.time_ns - start_ns) / 1e9
    pose = sim.robot("robot1").frame.pose()
    assert pose.position[0] - start == pytest.approx(4.0 * 0.1 * seconds, rel=0.005)
    assert wheels.left_encoder == pytest.approx(4.0 * seconds * 100, rel=0.001)
    assert wheels.left.velocity == pytest.approx(4.0, rel=0.001)


def test_with_physics_the_robot_turns_counter_clockwise() -> None:
    sim = simulation(DYNAMIC)
    sim.run(0.5)
    wheels_of(sim).set_speed(-2.0, 2.0)
    sim.run(2.0)
    expected = 0.1 * 4.0 / 0.4 * 2.0
    assert yaw_of(sim.robot("robot1").frame.pose().rotation) == pytest.approx(expected, rel=0.005)


def test_with_physics_the_noisy_encoder_does_not_depend_on_who_reads_it() -> None:
    readings = []
    for often in (True, False):
        sim = simulation(DYNAMIC, encoderNoise=0.1, encoderResolution=100.0)
        wheels = wheels_of(sim)
        wheels.set_speed(3.0, 3.0)
        for _ in range(60):
            sim.step()
            if often:
                assert wheels.left_encoder == wheels.left_encoder
        readings.append(wheels.left_encoder)
    assert readings[0] == readings[1]


@pytest.mark.parametrize("body", [KINEMATIC, DYNAMIC])
def test_reset_brings_back_the_start(body: str) -> None:
    sim = simulation(body, encoderNoise=0.1, encoderResolution=100.0)
    ends = []
    for _ in range(2):
        wheels_of(sim).set_speed(4.0, 3.0)
        sim.step(60)
        ends.append((sim.robot("robot1").frame.pose(), wheels_of(sim).right_encoder))
        sim.reset()
        assert wheels_of(sim).right_encoder == 0.0
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("wheelRadius", 0.0),
        ("axleLength", 0.0),
        ("slipNoise", -1.0),
        ("encoderNoise", -2.0),
        ("maxSpeed", -1.0),
    ],
)
def test_fields_that_make_no_sense_name_their_place(field: str, value: float) -> None:
    with pytest.raises(
        DeviceError, match=rf"^robot\.wbt:6:1: DifferentialWheels\.{field}: found {value}, exp"
    ):
        simulation(KINEMATIC, **{field: value})


def test_physics_without_wheels_names_what_is_missing() -> None:
    body = "physics Physics { density -1 mass 1 } boundingObject Box { }"
    with pytest.raises(
        DeviceError, match=r'^robot\.wbt:6:1: no child Solid named "left wheel", expected one'
    ):
        simulation(body)
