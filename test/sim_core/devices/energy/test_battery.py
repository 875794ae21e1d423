import math

import pytest

from sim_core.base.errors import DeviceError
from sim_core.devices.energy.battery import Battery
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

HEADER = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 gravity 0 }\n"
ROBOT = """Robot {{ name "r" controller "void" battery [ {battery} ] cpuConsumption {cpu}
  children [
    GPS {{ name "gps" }}
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 }}
      device RotationalMotor {{ name "motor" maxTorque 5 maxVelocity 100 consumptionFactor 2 }}
      endPoint Solid {{ boundingObject Box {{ size 0.4 0.4 0.1 }} physics Physics {{ density -1 mass 2 }} }}
    }}
  ]
}}
"""


def simulation(battery: str = "10 20 5", cpu: float = 2.0, more: str = "") -> Simulation:
    return Simulation(parse_scene(HEADER + ROBOT.format(battery=battery, cpu=cpu) + more, "w.wbt"))


def steps_until_empty(sim: Simulation, at_most: int = 10_000) -> int:
    robot = sim.robot("r")
    for count in range(1, at_most):
        sim.step()
        if robot.battery.is_empty:
            return count
    raise AssertionError("never empty")


@pytest.mark.parametrize(
    ("energy", "power"), [(10.0, 2.0), (1.0, 0.1), (0.3, 10.0), (7.0, 0.7), (1.0, 3.0), (0.001, 5.0)]
)
def test_a_constant_power_empties_it_at_energy_by_power_to_the_step(energy: float, power: float) -> None:
    """It is the first step that ends at or after E/P; rounding errors of the sum do not delay it."""
    steps = steps_until_empty(simulation(f"{energy} 20 5", power))
    assert steps == math.ceil(round(energy / power / 0.01, 9))


def test_millions_of_steps_lose_nothing() -> None:
    robot = simulation("30000 30000 1", 0.1).robot("r").spec
    battery = Battery(robot, [])
    steps = 0
    while not battery.is_empty:
        battery.drain(0.1)
        steps += 1
    assert steps == 3_000_000


def test_a_motor_at_constant_torque_empties_it_at_the_computed_time() -> None:
    """P = 1.5 W + 2 W/(N·m)·0.25 N·m = 2 W, from the first step on."""
    sim = simulation("4 20 5", 1.5)
    sim.robot("r")["motor"].set_effort(-0.25)
    sim.step()
    assert sim.robot("r").battery.consumption == pytest.approx(2.0)
    assert 1 + steps_until_empty(sim) == 200


def test_an_empty_robot_stops_and_a_reset_starts_it_again() -> None:
    sim = simulation("2.2 20 5", 2.0)
    robot = sim.robot("r")
    got: list[int] = []
    robot["gps"].add_listener(lambda reading: got.append(reading.time_ns))
    robot["motor"].set_effort(0.1)
    sim.step(100)
    assert robot.battery.is_empty  # (2 W + 2 W/(N·m)·0.1 N·m)·1 s
    assert robot.is_on  # from the next step on it is off
    speed = robot["motor"].velocity
    sim.step(50)
    assert not robot.is_on
    assert robot["motor"].velocity == pytest.approx(speed)  # no torque any more, and no friction
    assert robot["motor"].effort == 0.0
    robot["motor"].set_velocity(0.0)
    sim.step()
    assert robot["motor"].velocity == pytest.approx(speed)
    assert got[-1] == 990_000_000  # the step that emptied it is not measured any more
    sim.reset()
    assert robot.battery.energy == 2.2
    robot["motor"].set_effort(0.1)
    got.clear()
    sim.step(100)
    assert robot["motor"].velocity == speed
    assert len(got) == 99
    assert robot.is_on and robot.battery.is_empty


@pytest.mark.parametrize("is_heard", [False, True])
def test_sensors_keep_what_they_told_before_the_step_that_emptied_it(is_heard: bool) -> None:
    """Energy is drawn after the physics and before sensors measure, as in Webots' postPhysicsStep."""
    sim = simulation("0.1 20 5", 2.0)  # empty with the fifth step
    gps = sim.robot("r")["gps"]
    if is_heard:
        gps.add_listener(lambda reading: None)
    sim.step(4)
    assert gps.reading.time_ns == 40_000_000
    sim.step(3)
    assert gps.reading.time_ns == 40_000_000
    sim.robot("r").battery.charge(1.0)
    sim.step(2)
    assert gps.reading.time_ns == 90_000_000


def test_energy_that_comes_before_the_next_step_lets_sensors_go_on() -> None:
    sim = simulation("0.02 20 5", 2.0)
    sim.step()
    assert sim.robot("r").battery.is_empty
    sim.robot("r").battery.set_energy(1.0)
    sim.step()
    assert sim.robot("r")["gps"].reading.time_ns == 20_000_000


def test_a_reset_after_the_step_that_emptied_it_lets_sensors_go_on() -> None:
    sim = simulation("0.02 20 5", 2.0)
    sim.step()
    sim.reset()
    sim.robot("r").battery.set_energy(1.0)
    sim.step()
    assert sim.robot("r")["gps"].reading.time_ns == 10_000_000


def test_a_velocity_motor_lets_go() -> None:
    sim = simulation("1 20 5", 1.0)
    motor = sim.robot("r")["motor"]
    motor.set_velocity(3.0)
    sim.step(150)
    motor.axis.apply_effort(1.0)
    speed = motor.velocity
    sim.step()
    assert motor.velocity == pytest.approx(speed + 1.0 * 0.01 / (2.0 / 12.0 * 0.32))


def test_a_lamp_is_dark_and_shines_again() -> None:
    world = """Robot { name "r" controller "void" battery [ 1 1 1 ] cpuConsumption 10
      children LED { name "led" } }"""
    sim = Simulation(parse_scene(HEADER + world, "w.wbt"))
    led = sim.robot("r")["led"]
    led.set(1)
    sim.step(5)
    assert led.colour == (1.0, 0.0, 0.0)
    sim.step(6)
    assert led.colour == (0.0, 0.0, 0.0)
    sim.robot("r").battery.charge(1.0)
    sim.step(2)
    assert led.colour == (1.0, 0.0, 0.0)


def test_an_emitter_sends_nothing() -> None:
    world = """Robot { name "r" controller "void" battery [ 1 1 1 ] cpuConsumption 10
      children Emitter { name "emitter" baudRate 800 } }
    Robot { name "b" controller "void" children Receiver { name "receiver" } }"""
    sim = Simulation(parse_scene(HEADER + world, "w.wbt"))
    emitter, receiver = sim.robot("r")["emitter"], sim.robot("b")["receiver"]
    assert emitter.send(bytes(5)) and emitter.send(bytes(20))  # 50 ms and 250 ms: longer than the energy
    sim.step(50)
    assert receiver.queue_length == 1
    assert not emitter.send(bytes(5))
    sim.reset()
    assert emitter.send(bytes(5))


def test_an_old_robot_without_physics_stands_still() -> None:
    world = """DifferentialWheels { name "r" controller "void" battery [ 1 1 1 ] motorConsumption 1.5
      cpuConsumption 0.5 axleLength 0.4 wheelRadius 0.1 slipNoise 0 maxAcceleration 1e5 }"""
    sim = Simulation(parse_scene(HEADER + world, "w.wbt"))
    robot = sim.robot("r")
    sim.step(100)
    assert robot.battery.energy == pytest.approx(0.5)
    robot.drive.set_twist(0.2, 0.0)
    assert steps_until_empty(sim) == 25
    sim.step()
    place = robot.frame.pose().position[0]
    assert place == pytest.approx(0.05)
    sim.step(20)
    assert robot.frame.pose().position[0] == place
    assert robot.frame.linear_velocity() == (0.0, 0.0, 0.0)


def test_a_robot_without_battery_never_stops() -> None:
    sim = simulation("", 100.0)
    assert sim.robot("r").battery is None
    sim.step(10)
    assert sim.robot("r").is_on


def test_a_battery_that_starts_empty_leaves_the_robot_off() -> None:
    sim = simulation("0 20 5", 1.0)
    for _ in range(2):
        robot = sim.robot("r")
        robot["motor"].set_effort(1.0)
        sim.step(5)
        assert robot["gps"].reading is None
        assert robot["motor"].velocity == 0.0
        sim.reset()


@pytest.mark.parametrize("values", ["5", "5", "5 5 5 5", "-1 5 5", "1 0 1", "1 5 -1"])
def test_batteries_that_make_no_sense_are_refused(values: str) -> None:
    with pytest.raises(DeviceError, match=r"w\.wbt:3:1: Robot\.battery: found \[.*expected three numbers"):
        simulation(values)


def test_a_negative_consumption_is_refused() -> None:
    with pytest.raises(DeviceError, match=r"Robot\.cpuConsumption: found -1"):
        simulation(cpu=-1.0)


def test_a_robot_that_goes_and_comes_again_uses_what_its_devices_use() -> None:
    """The energy of a robot without active devices falls by cpuConsumption · t, even if it is removed and
    added again."""
    sim = simulation(battery="10 20 5", cpu=2.0)
    for _ in range(3):
        text = ROBOT.format(battery="10 20 5", cpu=2.0)
        sim.supervisor.remove("r")
        sim.step(5)
        sim.supervisor.import_text(text)
        sim.run(1.0)
        assert sim.robot("r").battery.energy == pytest.approx(10.0 - 2.0 * 1.0, abs=1e-9)
