import math

import pytest

from sim_core.base.errors import CommandError, DeviceError
from sim_core.devices.motors.motor import Motor
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

INERTIA = 2.0 / 12.0 * (0.4**2 + 0.4**2)  # of the box, about its axis
STEP = 0.004


def simulation(
    motor: str = "", parameters: str = "", gravity: float = 0.0, physics: bool = True
) -> Simulation:
    """Return a box of 2 kg that turns about the vertical axis of a fixed robot."""
    mass = "physics Physics { density -1 mass 2 }" if physics else ""
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 4 gravity {gravity} }}
Robot {{
  name "arm"
  controller "<none>"
  children [
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 {parameters} }}
      device RotationalMotor {{ name "motor" {motor} }}
      endPoint Solid {{
        boundingObject Box {{ size 0.4 0.4 0.1 }}
        {mass}
      }}
    }}
  ]
}}
"""
    return Simulation(parse_scene(text, "arm.wbt"))


def motor_of(sim: Simulation) -> Motor:
    motor = sim.robot("arm")["motor"]
    assert isinstance(motor, Motor)
    return motor


def test_velocity_control_holds_the_velocity() -> None:
    sim = simulation()
    motor = motor_of(sim)
    motor.set_velocity(3.0)
    sim.run(1.0)
    assert motor.velocity == pytest.approx(3.0, rel=1e-3)
    assert motor.position == pytest.approx(3.0, rel=1e-2)


def test_acceleration_limit_makes_a_ramp() -> None:
    """v = a·t."""
    sim = simulation("acceleration 2")
    motor = motor_of(sim)
    motor.set_velocity(5.0)
    for steps in range(1, 300):
        sim.step()
        assert motor.velocity == pytest.approx(2.0 * STEP * steps, rel=1e-3)


def test_torque_accelerates_the_inertia() -> None:
    """ω = τ·t/I."""
    sim = simulation()
    motor = motor_of(sim)
    motor.set_effort(0.05)
    sim.run(1.0)
    assert motor.velocity == pytest.approx(0.05 * 1.0 / INERTIA, rel=1e-3)
    motor.set_effort(0.0)
    sim.run(0.5)
    assert motor.velocity == pytest.approx(0.05 * 1.0 / INERTIA, rel=1e-3)
    assert motor.effort == 0.0


def test_a_weak_motor_accelerates_with_all_it_has() -> None:
    sim = simulation("maxTorque 0.05")
    motor = motor_of(sim)
    motor.set_velocity(10.0)
    sim.run(1.0)
    assert motor.velocity == pytest.approx(0.05 * 1.0 / INERTIA, rel=1e-2)


def test_effort_tells_the_torque_of_the_motor() -> None:
    sim = simulation("maxTorque 0.05")
    motor = motor_of(sim)
    assert motor.effort == 0.0
    motor.set_velocity(10.0)
    sim.step(5)
    assert motor.effort == pytest.approx(0.05, rel=1e-6)
    sim.reset()
    assert motor.effort == 0.0
    motor.set_velocity(-10.0)
    sim.step()
    assert motor.effort == pytest.approx(-0.05, rel=1e-6)


def test_holding_an_arm_takes_the_torque_of_its_weight() -> None:
    """A point-symmetric body of 2 kg on a level lever of 0.5 m needs the torque m·g·l."""
    text = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 }
Robot {
  name "arm"
  controller "<none>"
  children HingeJoint {
    jointParameters HingeJointParameters { axis 0 -1 0 }
    device RotationalMotor { name "motor" maxTorque 20 }
    endPoint Solid { translation 0.5 0 0
      boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 } }
  }
}
"""
    sim = Simulation(parse_scene(text, "arm.wbt"))
    motor = motor_of(sim)
    motor.enable_feedback()
    sim.run(2.0)
    assert motor.effort == pytest.approx(2.0 * 9.81 * 0.5 * math.cos(motor.position), rel=1e-3)
    assert motor.position == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("target", [0.7, -2.5, 7.0])
def test_position_control_reaches_its_target(target: float) -> None:
    """Continuous angles: 7 rad is more than one turn."""
    sim = simulation()
    motor = motor_of(sim)
    assert motor.set_position(target) is None
    sim.run(3.0)
    assert motor.position == pytest.approx(target, abs=1e-3)
    assert motor.velocity == pytest.approx(0.0, abs=1e-3)


def test_the_speed_limit_of_a_position_command() -> None:
    sim = simulation()
    motor = motor_of(sim)
    motor.set_position(2.0, velocity=0.5)
    sim.run(2.0)
    assert motor.velocity == pytest.approx(0.5, rel=1e-3)
    assert motor.position == pytest.approx(1.0, rel=1e-2)


def test_a_motor_without_command_holds_the_position_of_the_file() -> None:
    sim = simulation(parameters="position 0.5 springConstant 1")
    motor = motor_of(sim)
    sim.run(2.0)
    assert motor.position == pytest.approx(0.5, abs=0.01)


def test_infinity_as_position_is_velocity_control_at_rest() -> None:
    sim = simulation()
    motor = motor_of(sim)
    motor.set_position(math.inf)
    assert motor.target_position == math.inf
    assert motor.target_velocity == 0.0
    motor.set_velocity(2.0)
    sim.run(0.5)
    assert motor.velocity == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize("physics", [True, False])
def test_soft_limits_clip_the_target(physics: bool) -> None:
    sim = simulation("minPosition -1 maxPosition 0.5", physics=physics)
    motor = motor_of(sim)
    assert motor.set_position(2.0) == "arm/motor: position 2 rad is past the limit 0.5 rad, clamped"
    sim.run(2.0)
    assert motor.position == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(
    ("position", "limits"), [(-0.4, (-0.4, 0.1)), (0.3, (-0.1, 0.3)), (0.0, (-0.1, 0.1))]
)
def test_soft_limits_let_a_joint_stay_where_it_starts(position: float, limits: tuple[float, float]) -> None:
    """As in Webots they are widened to the position of the file, with a warning."""
    sim = simulation("minPosition -0.1 maxPosition 0.1", f"position {position}", physics=False)
    motor = motor_of(sim)
    assert motor.limits[3:] == limits
    assert [str(line).partition(", adjusted")[2] for line in sim.robot("arm").warnings] == (
        [f", expected {position:g}, the joint's position"] if position else []
    )
    sim.run(0.1)
    assert motor.position == pytest.approx(position)


def test_a_velocity_past_the_limit_is_clamped_and_said() -> None:
    sim = simulation("maxVelocity 4")
    motor = motor_of(sim)
    assert motor.set_velocity(-12.0) == "arm/motor: velocity -12 rad/s is past the limit 4 rad/s, clamped"
    assert motor.set_velocity(-4.0) is None
    sim.run(1.0)
    assert motor.velocity == pytest.approx(-4.0, rel=1e-3)


def test_available_effort_limits_torque_control() -> None:
    sim = simulation("maxTorque 1")
    motor = motor_of(sim)
    assert motor.set_available_effort(2.0) is not None
    assert motor.set_available_effort(0.02) is None
    message = motor.set_effort(0.5)
    assert message == "arm/motor: effort 0.5 N·m is past the limit 0.02 N·m, clamped"
    sim.run(1.0)
    assert motor.velocity == pytest.approx(0.02 / INERTIA, rel=1e-3)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "fast", None])
def test_a_value_that_is_no_number_is_refused_and_changes_nothing(value: float) -> None:
    sim = simulation()
    motor = motor_of(sim)
    motor.set_velocity(2.0)
    sim.step(10)
    for command in (motor.set_velocity, motor.set_effort, motor.set_available_effort, motor.set_acceleration):
        with pytest.raises(CommandError, match=r"arm/motor: .*found .*expected"):
            command(value)
    with pytest.raises(CommandError, match="arm/motor"):
        motor.set_control_pid(value, 0.0, 0.0)
    if not isinstance(value, float) or math.isnan(value):
        with pytest.raises(CommandError, match="arm/motor: position"):
            motor.set_position(value)
    sim.step(10)
    assert motor.target_velocity == 2.0
    assert motor.velocity == pytest.approx(2.0, rel=1e-3)


def test_control_goes_on_from_the_measured_velocity_after_torque_control() -> None:
    sim = simulation("acceleration 1")
    motor = motor_of(sim)
    motor.set_effort(0.2)
    sim.run(0.5)
    before = motor.velocity
    motor.set_velocity(0.0)
    sim.run(0.1)
    assert motor.velocity == pytest.approx(before - 0.1, abs=0.01)


def test_without_physics_the_torque_limit_is_the_acceleration_limit() -> None:
    """Webots reference, Motor: kinematic mode."""
    sim = simulation("maxTorque 4", physics=False)
    motor = motor_of(sim)
    motor.set_velocity(2.0)
    for steps in range(1, 200):
        sim.step()
        assert motor.velocity == pytest.approx(min(4.0 * STEP * steps, 2.0))
    travelled = 2.0 * 199 * STEP - 2.0**2 / (2 * 4.0)
    assert motor.position == pytest.approx(travelled, abs=2.0 * STEP)


def test_without_physics_a_target_is_met_exactly() -> None:
    sim = simulation(physics=False)
    motor = motor_of(sim)
    motor.set_position(1.25)
    sim.run(3.0)
    assert motor.position == pytest.approx(1.25, abs=1e-12)
    assert motor.velocity == 0.0


def test_without_physics_torque_control_is_refused() -> None:
    motor = motor_of(simulation(physics=False))
    with pytest.raises(CommandError, match="no Physics"):
        motor.set_effort(1.0)


def test_a_constant_velocity_needs_no_more_work() -> None:
    sim = simulation()
    motor = motor_of(sim)
    motor.set_velocity(1.0)
    sim.step()
    assert motor.before_step() is False


def test_reset_brings_back_the_start() -> None:
    sim = simulation("acceleration 3")
    motor = motor_of(sim)
    sim.step(20)
    undisturbed = motor.position
    motor.set_available_effort(0.5)
    motor.set_acceleration(-1.0)
    motor.set_velocity(2.0)
    sim.run(0.5)
    sim.reset()
    assert motor.available_effort == 10.0
    sim.step(20)
    assert motor.position == undisturbed
    motor.set_velocity(2.0)
    sim.step(10)
    assert motor.velocity == pytest.approx(3.0 * 10 * STEP, rel=1e-3)


def test_a_linear_motor_pushes_with_its_force() -> None:
    """v = F·t/m."""
    text = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 gravity 0 }
Robot {
  name "arm"
  controller "<none>"
  children SliderJoint {
    jointParameters JointParameters { axis 1 0 0 }
    device LinearMotor { name "motor" }
    endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 } }
  }
}
"""
    sim = Simulation(parse_scene(text, "arm.wbt"))
    motor = motor_of(sim)
    assert motor.is_linear
    assert motor.set_effort(99.0) == "arm/motor: effort 99 N is past the limit 10 N, clamped"
    motor.set_effort(3.0)
    sim.run(0.5)
    assert motor.velocity == pytest.approx(3.0 * 0.5 / 2.0, rel=1e-3)
    motor.set_position(1.0)
    sim.run(3.0)
    assert motor.position == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("fields", "parameters", "text"),
    [
        ("maxVelocity -1", "", "maxVelocity: found -1"),
        ("maxTorque -2", "", "maxTorque: found -2"),
        ("acceleration -3", "", "acceleration: found -3"),
        ("controlPID 0 0 0", "", "controlPID"),
        ("minPosition 1 maxPosition -1", "", "minPosition: found 1"),
        ("multiplier 0", "", "multiplier: found 0"),
    ],
)
def test_fields_that_make_no_sense_name_their_place(fields: str, parameters: str, text: str) -> None:
    with pytest.raises(DeviceError, match=rf"^arm\.wbt:9:14: .*{text}.*expected"):
        simulation(fields, parameters)


@pytest.mark.parametrize(("target", "end"), [(-1.5, -1.0), (1.5, 1.0)])
def test_a_soft_limit_past_a_stop_is_told_and_the_stop_holds(target: float, end: float) -> None:
    """As in Webots, whose own worlds have such limits."""
    sim = simulation("minPosition -2 maxPosition 2", "minStop -1 maxStop 1")
    lines = [str(warning) for warning in sim.robot("arm").warnings]
    assert [line.partition(" 2 ")[0].partition(" -2 ")[0] for line in lines] == [
        "arm.wbt:9:14: RotationalMotor.minPosition",
        "arm.wbt:9:14: RotationalMotor.maxPosition",
    ]
    assert lines[0].endswith("expected minStop -1 or more")
    motor = motor_of(sim)
    motor.set_position(target)
    sim.run(2.0)
    assert motor.position == pytest.approx(end, abs=0.02)


def test_the_wrong_kind_of_motor_is_an_error() -> None:
    text = """#VRML_SIM R2025a utf8
Robot { children HingeJoint {
  device LinearMotor { }
  endPoint Solid { }
} }
"""
    with pytest.raises(DeviceError, match=r"a\.wbt:3:10: .*expected a RotationalMotor"):
        Simulation(parse_scene(text, "a.wbt"))


def test_the_old_names_of_fields_count() -> None:
    """Fields of before Webots 7.3 and R2018a: controlP, and maxForce of a RotationalMotor."""
    assert motor_of(simulation("maxForce 3")).max_effort == 3.0
    assert motor_of(simulation("maxForce 3 maxTorque 4")).max_effort == 4.0
    with pytest.raises(DeviceError, match="controlPID"):
        simulation("controlP 0")


def test_a_motor_in_device2_turns_the_second_axis() -> None:
    text = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 gravity 0 }
Robot {
  name "arm"
  controller "<none>"
  children Hinge2Joint {
    jointParameters HingeJointParameters { axis 0 0 1 }
    jointParameters2 JointParameters { axis 0 1 0 }
    device RotationalMotor { name "steering" }
    device2 RotationalMotor { name "motor" }
    endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 } }
  }
}
"""
    sim = Simulation(parse_scene(text, "arm.wbt"))
    motor_of(sim).set_velocity(2.0)
    steering = sim.robot("arm")["steering"]
    assert isinstance(steering, Motor)
    steering.set_position(0.4)
    sim.run(2.0)
    assert motor_of(sim).position == pytest.approx(4.0, rel=0.01)
    assert motor_of(sim).velocity == pytest.approx(2.0, rel=1e-3)
    assert steering.position == pytest.approx(0.4, abs=1e-3)


def test_without_physics_soft_limits_end_velocity_control() -> None:
    sim = simulation("minPosition -0.5 maxPosition 0.25", physics=False)
    motor = motor_of(sim)
    for velocity, end in ((2.0, 0.25), (-2.0, -0.5)):
        motor.set_velocity(velocity)
        sim.run(2.0)
        assert motor.position == pytest.approx(end, abs=1e-12)
        assert motor.velocity == 0.0


@pytest.mark.parametrize("gains", [(20.0, 0.0, 0.0), (20.0, 30.0, 0.0), (20.0, 0.0, 0.3), (15.0, 20.0, 0.2)])
def test_position_control_of_a_strong_motor_is_the_discrete_pid_response(gains: tuple[float, ...]) -> None:
    """e(k+1) = e(k) - h·(P·e + I·Σe·h + D·(e - e₋₁)/h), with e₋₁ = 0 at first (Webots reference, Motor)."""
    p, i, d = gains
    sim = simulation(f"controlPID {p} {i} {d} maxVelocity 1000 maxTorque 1e5")
    motor = motor_of(sim)
    motor.set_position(0.0)
    sim.step()
    motor.set_control_pid(p, i, d)
    motor.set_position(1.0)
    error, integral, before = 1.0, 0.0, 0.0
    for _ in range(300):
        sim.step()
        integral += error * STEP
        error, before = error - STEP * (p * error + i * integral + d * (error - before) / STEP), error
        assert 1.0 - motor.position == pytest.approx(error, abs=2e-4)
