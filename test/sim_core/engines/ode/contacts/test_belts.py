"""Tracks, tested against the formulas of Coulomb friction: robots on them, and objects on conveyors."""

from __future__ import annotations

import math

import pytest

from sim_core import Simulation
from sim_core.base.config import DriveConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import CommandError, DeviceError, SceneError
from sim_core.base.geometry import yaw_of
from sim_core.scene import parse_scene

G = 9.81
H = 0.004
MU = 0.6
FLOOR = 'Solid { name "floor" boundingObject Plane { } }\n'
LENGTH, GAUGE, WIDTH = 0.5, 0.4, 0.01


def simulation(text: str, step: float = H, config: SimulationConfig | None = None) -> Simulation:
    contact = f"contactProperties ContactProperties {{ coulombFriction {MU} bounce 0 }}"
    header = f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {step * 1000} {contact} }}\n"
    return Simulation(parse_scene(header + text), config)


def track(name: str, y: float, motor: str = "") -> str:
    return f"""Track {{ name "{name} track" translation 0 {y} -0.05 device [
        LinearMotor {{ name "{name}" maxVelocity 5 {motor} }} PositionSensor {{ name "{name} sensor" }}
        Brake {{ name "{name} brake" }} ]
      boundingObject Box {{ size {LENGTH} {WIDTH} 0.1 }} physics Physics {{ density -1 mass 1 }} }}"""


def tank(motor: str = "", place: str = "0 0 0.0999") -> str:
    return f"""Robot {{ name "tank" translation {place} children [ {track("left", GAUGE / 2, motor)}
      {track("right", -GAUGE / 2, motor)} ] boundingObject Box {{ size 0.3 0.2 0.05 }}
      physics Physics {{ density -1 mass 8 }} }}\n"""


def conveyor(rotation: str = "0 0 1 0", physics: str = "physics Physics { density -1 mass 1 }") -> str:
    return f"""Robot {{ name "conveyor" translation 0 0 0.25 rotation {rotation} children Track {{
      device LinearMotor {{ name "belt" maxVelocity 5 }}
      boundingObject Box {{ size 20 1 0.5 }} {physics} }} }}
    DEF BOX Solid {{ name "box" translation 0 0 0.5999 boundingObject Box {{ size 0.3 0.3 0.2 }}
      physics Physics {{ }} }}\n"""


def velocity(sim: Simulation, name: str) -> tuple[float, float, float]:
    node = next(n for n in sim.scene.walk() if n.is_a("Solid") and n["name"] == name)
    return sim.physics.frame(node.id).linear_velocity()


@pytest.mark.parametrize("speed", [0.5, -0.8])
@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_a_tank_drives_at_the_speed_of_its_belts(speed: float, yaw: float) -> None:
    sim = simulation(FLOOR + tank().replace("translation", f"rotation 0 0 1 {yaw} translation", 1))
    for name in ("left", "right"):
        sim.robot("tank")[name].set_velocity(speed)
    sim.run(2.0)
    expected = (speed * math.cos(yaw), speed * math.sin(yaw), 0)
    assert velocity(sim, "tank") == pytest.approx(expected, abs=2e-3)
    assert sim.robot("tank")["left"].position == pytest.approx(speed * 2.0)


def test_friction_limits_the_acceleration_of_a_tank() -> None:
    sim = simulation(FLOOR + tank(), step=0.001)
    for name in ("left", "right"):
        sim.robot("tank")[name].set_velocity(2.0)
    sim.run(0.2)
    assert velocity(sim, "tank")[0] == pytest.approx(MU * G * 0.2, rel=0.03)


def test_a_tank_turns_in_place_by_the_formula_of_skid_steering() -> None:
    speed = 0.4
    sim = simulation(FLOOR + tank(), step=0.002)
    sim.robot("tank")["left"].set_velocity(-speed)
    sim.robot("tank")["right"].set_velocity(speed)
    sim.run(1.0)
    frame = sim.robot("tank").frame
    before = yaw_of(frame.pose().rotation)
    sim.run(1.0)
    # each track touches at its ends, (±L/2, ±B/2); the moments of friction cancel out at this rate
    rate = speed * (GAUGE / 2) / ((LENGTH / 2) ** 2 + (GAUGE / 2) ** 2)
    assert yaw_of(frame.pose().rotation) - before == pytest.approx(rate, rel=0.03)
    assert frame.pose().position[:2] == pytest.approx((0, 0), abs=0.01)


def test_a_tank_has_the_kinematics_of_a_differential_drive() -> None:
    separation = GAUGE + LENGTH**2 / GAUGE
    drive = DriveConfig(("left",), ("right",), wheel_radius=1.0, wheel_separation=separation)
    sim = simulation(FLOOR + tank(), 0.002, SimulationConfig(robots={"tank": RobotConfig(drive=drive)}))
    robot = sim.robot("tank")
    robot.drive.set_twist(0.0, 0.5)
    sim.run(1.0)
    before = yaw_of(robot.frame.pose().rotation)
    sim.run(1.0)
    assert yaw_of(robot.frame.pose().rotation) - before == pytest.approx(0.5, rel=0.03)
    robot.drive.set_twist(0.3, 0.0)
    sim.run(1.0)
    assert math.hypot(*velocity(sim, "tank")) == pytest.approx(0.3, rel=0.01)


@pytest.mark.parametrize("belt", [1.5, -1.0])
@pytest.mark.parametrize("yaw", [0.0, 2.0])
@pytest.mark.parametrize("physics", ["", "physics Physics { density -1 mass 1 }"])
def test_a_box_on_a_conveyor_speeds_up_by_mu_g_to_the_speed_of_the_belt(
    belt: float, yaw: float, physics: str
) -> None:
    sim = simulation(conveyor(f"0 0 1 {yaw}", physics), step=0.001)
    assert sim.physics.warnings == []
    sim.robot("conveyor")["belt"].set_velocity(belt)
    sign = math.copysign(1.0, belt)
    sim.run(0.1)
    x, y, _ = velocity(sim, "box")
    assert math.hypot(x, y) == pytest.approx(MU * G * 0.1, rel=0.03)
    sim.run(1.0)
    x, y, _ = velocity(sim, "box")
    assert (x, y) == pytest.approx((belt * math.cos(yaw), belt * math.sin(yaw)), abs=2e-3)
    assert sign * (x * math.cos(yaw) + y * math.sin(yaw)) > 0


def test_a_ball_on_a_conveyor_ends_rolling_with_its_lowest_point_as_fast_as_the_belt() -> None:
    ball = conveyor().replace("Box { size 0.3 0.3 0.2 }", "Sphere { radius 0.1 }")
    sim = simulation(ball, step=0.001)
    sim.robot("conveyor")["belt"].set_velocity(1.0)
    sim.run(2.0)
    frame = sim.physics.frame(sim.scene.find_def("BOX").id)
    # friction F gives v = F·t/m and ω·r = F·t/(2/5·m), until both together are the speed of the belt
    assert frame.linear_velocity()[0] == pytest.approx(2.0 / 7.0, rel=0.03)  # it sinks in by 1.5 mm
    assert frame.angular_velocity()[1] == pytest.approx(-(5.0 / 7.0) / 0.1, rel=0.03)


def test_a_box_asleep_on_a_belt_wakes_up_when_the_belt_starts() -> None:
    sim = simulation(conveyor())
    sim.run(3.0)
    assert velocity(sim, "box") == pytest.approx((0, 0, 0), abs=1e-9)
    sim.robot("conveyor")["belt"].set_velocity(0.5)
    sim.run(0.5)
    assert velocity(sim, "box")[0] == pytest.approx(0.5, abs=2e-3)
    sim.robot("conveyor")["belt"].stop()
    sim.run(0.5)
    assert velocity(sim, "box")[0] == pytest.approx(0.0, abs=2e-3)


def test_the_sides_of_a_belt_do_not_move() -> None:
    belt = (
        conveyor().replace("Box { size 20 1 0.5 }", "Box { size 20 0.5 1 }").replace("0 0 0.25 ", "0 0 0.3 ")
    )
    wall = belt.replace("rotation 0 0 1 0", "rotation 1 0 0 1.5707963267948966").replace("0.5999", "0.6499")
    sim = simulation(wall)
    sim.robot("conveyor")["belt"].set_velocity(1.0)
    sim.run(0.5)
    assert velocity(sim, "box") == pytest.approx((0, 0, 0), abs=2e-3)


def test_position_force_and_brake_control() -> None:
    sim = simulation(FLOOR + tank("maxForce 100 acceleration 2"))
    robot = sim.robot("tank")
    for name in ("left", "right"):
        robot[name].set_position(0.5)
    sim.run(3.0)
    assert robot["left"].position == pytest.approx(0.5, abs=1e-4)
    assert robot["left sensor"].value == pytest.approx(0.5, abs=1e-4)
    assert robot.frame.pose().position[0] == pytest.approx(0.5, abs=0.01)
    for name in ("left", "right"):
        robot[name].set_effort(5.0)
    sim.run(0.4)
    mass = 10.0
    assert robot["left"].velocity == pytest.approx(5.0 / mass * 0.4, abs=1e-3)
    for name in ("left", "right"):
        robot[f"{name} brake"].set_damping(4.0)
    sim.run(20.0)
    assert robot["left"].velocity == pytest.approx(5.0 / 4.0, rel=1e-3)  # where F = b·v
    with pytest.raises(CommandError):
        robot["left brake"].set_damping(-1.0)


def test_wheels_turn_with_the_belt() -> None:
    wheels = """children [ TrackWheel { position -0.2 0 radius 0.05 }
      TrackWheel { position 0 0.1 radius 0.1 inner FALSE } ]"""
    sim = simulation(
        FLOOR + tank().replace("boundingObject Box { size 0.5", wheels + " boundingObject Box { size 0.5")
    )
    for name in ("left", "right"):
        sim.robot("tank")[name].set_velocity(0.25)
    sim.run(2.0)
    node = next(n for n in sim.scene.walk() if n.type_name == "Track")
    belt = sim.physics.built.reading.belts[node.id]
    assert belt.axis.position == pytest.approx(0.5)
    inner, outer = node["children"]
    first, second = (sim.physics.model.track_wheel(node.id, each.id) for each in (inner, outer))
    assert first.angle(belt.axis.position) == pytest.approx(10.0)
    assert second.angle(belt.axis.position) == pytest.approx(-5.0)
    # a point above the inner wheel's centre goes forward first: a turn about y
    x, y, z = first.turn(belt.axis.position).apply((-0.2, 0.0, 0.05))
    assert (x, y, z) == pytest.approx((-0.2 + 0.05 * math.sin(10.0), 0.0, 0.05 * math.cos(10.0)))


def test_a_run_after_a_reset_is_the_same() -> None:
    def run() -> bytes:
        sim.robot("tank")["left"].set_velocity(0.6)
        sim.robot("tank")["right"].set_velocity(0.3)
        sim.step(200)
        return sim.physics.get_state().bodies.tobytes()

    sim = simulation(FLOOR + tank())
    first = run()
    sim.reset()
    assert sim.robot("tank")["left"].position == 0.0
    assert run() == first


def test_invalid_values_are_refused() -> None:
    with pytest.raises(DeviceError, match="expected a LinearMotor"):
        simulation(tank().replace("LinearMotor", "RotationalMotor", 1))
    wheel = "children TrackWheel { radius 0 } boundingObject Box { size 0.5"
    with pytest.raises(SceneError, match=r"TrackWheel\.radius 0, expected a finite number above 0"):
        simulation(tank().replace("boundingObject Box { size 0.5", wheel))
