import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.config import DeviceConfig, FaultConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import CommandError, ConfigError
from sim_core.devices import Actuator, Device, DeviceContext
from sim_core.devices.commands import Bytes, Integer, Text, command
from sim_core.devices.faults import DelayedDelivery, faults_of, install_faults
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot {
  name "r" controller "void"
  children [ HingeJoint {
    device [ RotationalMotor { name "motor" maxVelocity 100 maxTorque 1e6 } Brake { name "brake" } ]
    endPoint Solid { }
  } ]
}
DifferentialWheels { name "d" controller "void" axleLength 0.4 wheelRadius 0.1 maxSpeed 100
  slipNoise 0 encoderNoise 0 maxAcceleration 1e5 }
"""
DT = 10_000_000
WORLDS = Path(__file__).resolve().parents[3] / "worlds" / "devices"


def simulation(device: str = "motor", robot: str = "r", **faults: Any) -> Simulation:
    own = DeviceConfig(faults=FaultConfig(**faults))
    return Simulation(
        parse_scene(WORLD, "w.wbt"), SimulationConfig(robots={robot: RobotConfig(devices={device: own})})
    )


def test_errors_are_added_once_to_each_command() -> None:
    """Mean bias, deviation gaussian, each within 5 standard errors; constant until the next command."""
    sim = simulation(gaussian=0.5, bias=2.0)
    motor = sim.robot("r")["motor"]
    found = []
    for _ in range(1000):
        motor.set_velocity(10.0)
        found.append(motor.target_velocity - 10.0)
        sim.step()
    assert np.mean(found) == pytest.approx(2.0, abs=5.0 * 0.5 / math.sqrt(1000))
    assert np.std(found) == pytest.approx(0.5, rel=5.0 / math.sqrt(2000))
    sim.step(5)
    assert motor.target_velocity == 10.0 + found[-1]
    assert motor.velocity == pytest.approx(motor.target_velocity)


def test_the_speed_limit_of_a_position_is_no_command() -> None:
    sim = simulation(bias=0.25)
    motor = sim.robot("r")["motor"]
    motor.set_position(1.0, 3.0)
    assert (motor.target_position, motor.target_velocity) == (1.25, 3.0)
    motor.set_position(math.inf)  # Webots' way into velocity control: it commands a velocity itself
    assert (motor.target_position, motor.target_velocity) == (math.inf, 0.0)


def test_commands_at_one_time_have_their_own_numbers() -> None:
    sim = simulation(gaussian=0.5)
    motor = sim.robot("r")["motor"]
    found = []
    for _ in range(3):
        motor.set_velocity(1.0)
        found.append(motor.target_velocity)
    assert len(set(found)) == 3


def test_dropout_loses_that_part_of_the_commands() -> None:
    sim = simulation(dropout=0.25)
    motor = sim.robot("r")["motor"]
    kept = 0
    for k in range(1, 1001):
        motor.set_velocity(k / 100)
        kept += motor.target_velocity == k / 100
        sim.step()
    assert kept == pytest.approx(750, abs=5.0 * math.sqrt(1000 * 0.25 * 0.75))


@pytest.mark.parametrize(("latency", "steps"), [(0.03, 3), (0.021, 3), (0.01, 1)])
def test_a_late_command_takes_effect_whole_steps_later(latency: float, steps: int) -> None:
    """Without latency a command acts in the step that follows it; so the wheel turns after steps + 1."""
    sim = simulation(latency=latency)
    motor = sim.robot("r")["motor"]
    sim.step(2)
    motor.set_velocity(1.0)
    turning = []
    for _ in range(steps + 2):
        sim.step()
        turning.append(motor.velocity != 0.0)
    assert turning == [False] * steps + [True, True]
    motor.set_velocity(2.0)
    sim.step()
    motor.set_velocity(3.0)  # overtakes nothing
    sim.step(steps)
    assert motor.velocity == pytest.approx(2.0)
    sim.step()
    assert motor.velocity == pytest.approx(3.0)


def test_what_is_late_is_plain_data() -> None:
    sim = simulation(latency=0.05)
    sim.step()
    sim.robot("r")["motor"].set_position(1.0, velocity=2.0)
    (late,) = sim.robot("r")["motor"].command_faults.state.late
    assert late == (60_000_000, "set_position", {"position": 1.0, "velocity": 2.0})


def test_a_late_command_is_carried_out_after_a_snapshot_too() -> None:
    sim = simulation(latency=0.05)
    motor = sim.robot("r")["motor"]
    motor.set_velocity(1.0)
    snapshot = sim.snapshot()
    sim.step(10)
    motor.set_velocity(3.0)
    sim.restore(snapshot)
    sim.step(10)
    assert motor.target_velocity == 1.0
    sim.step(10)
    assert motor.target_velocity == 1.0


def test_a_reset_forgets_what_is_on_its_way_and_repeats_the_rest() -> None:
    sim = simulation(latency=0.05, gaussian=1.0, dropout=0.3)
    motor = sim.robot("r")["motor"]

    def run() -> list[float]:
        speeds = []
        for k in range(50):
            motor.set_velocity(float(k))
            sim.step()
            speeds.append(motor.velocity)
        return speeds

    first = run()
    sim.reset()
    sim.step(10)
    assert motor.velocity == 0.0
    sim.reset()
    assert run() == first


def test_a_stuck_device_keeps_its_last_command() -> None:
    sim = simulation(stuck_at=0.05)
    motor = sim.robot("r")["motor"]
    for k in range(10):
        motor.set_velocity(float(k))
        sim.step()
    assert motor.velocity == pytest.approx(4.0)
    sim.reset()
    motor.set_velocity(7.0)
    sim.step()
    assert motor.velocity == pytest.approx(7.0)


def test_every_way_to_command_the_wheels_passes_the_faults() -> None:
    sim = simulation("d", "d", bias=0.5)
    robot = sim.robot("d")
    robot["d"].set_wheel_speeds(1.0, 2.0)
    assert (robot["d"].left.target_velocity, robot["d"].right.target_velocity) == (1.5, 2.5)
    assert robot.drive is not None
    robot.drive.set_twist(0.1, 0.0)
    assert (robot["d"].left.target_velocity, robot["d"].right.target_velocity) == (1.5, 1.5)
    robot["d"].left.set_velocity(4.0)
    assert robot["d"].left.target_velocity == 4.5


def test_bad_commands_are_refused_at_once_and_change_nothing() -> None:
    sim = simulation(latency=0.05)
    motor = sim.robot("r")["motor"]
    with pytest.raises(CommandError, match="r/motor: set_velocity: found nan"):
        motor.set_velocity(math.nan)
    sim.step(10)
    assert motor.target_position == 0.0


def test_a_late_command_that_the_device_refuses_is_said(caplog: pytest.LogCaptureFixture) -> None:
    sim = simulation("brake", latency=0.05)
    sim.robot("r")["brake"].set_damping(-1.0)
    sim.step(10)
    assert "r/brake: a command with faults was refused" in caplog.text


def test_an_error_that_makes_a_command_impossible_loses_it() -> None:
    sim = simulation("brake", bias=-1.0)
    brake = sim.robot("r")["brake"]
    brake.set_damping(3.0)
    assert brake.damping == 2.0
    brake.set_damping(0.5)
    assert brake.damping == 2.0


def test_lamps_and_pens_obey_late() -> None:
    world = """#VRML_SIM R2025a utf8
    WorldInfo { basicTimeStep 10 }
    Robot { name "r" controller "void" children [ LED { name "led" } Pen { name "pen" write FALSE } ] }"""
    late = DeviceConfig(faults=FaultConfig(latency=0.02))
    config = SimulationConfig(robots={"r": RobotConfig(devices={"led": late, "pen": late})})
    sim = Simulation(parse_scene(world, "w.wbt"), config)
    led, pen = sim.robot("r")["led"], sim.robot("r")["pen"]
    led.set(1)
    pen.write(True)
    sim.step()
    assert (led.value, pen.writes) == (0, False)
    sim.step()
    assert (led.value, pen.writes) == (1, True)


RADIO = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot { name "r" controller "void" children Emitter { name "emitter" } }
Robot { name "b" controller "void" children Receiver { name "receiver" } }
"""


def test_packets_can_be_lost_and_late() -> None:
    """Each packet is lost or late separately, also of those sent at one time; without latency it arrives
    after one step."""
    faults = DeviceConfig(faults=FaultConfig(dropout=0.4, latency=0.05))
    config = SimulationConfig(robots={"r": RobotConfig(devices={"emitter": faults})})
    sim = Simulation(parse_scene(RADIO, "w.wbt"), config)
    got: list[tuple[float, int]] = []
    sim.robot("b")["receiver"].add_listener(
        lambda reading: got.extend((sim.time_ns, len(packet.data)) for packet in reading.value)
    )
    for size in range(1, 501):
        assert sim.robot("r")["emitter"].send(bytes(size)) is True
    sim.step(10)
    assert {time for time, _ in got} == {60_000_000}
    assert [size for _, size in got] == sorted(size for _, size in got)
    assert len(got) == pytest.approx(300, abs=5.0 * math.sqrt(500 * 0.4 * 0.6))
    with pytest.raises(ConfigError, match="found gaussian, bias or drift for Emitter"):
        config = DeviceConfig(faults=FaultConfig(gaussian=1.0))
        robots = {"r": RobotConfig(devices={"emitter": config})}
        Simulation(parse_scene(RADIO, "w.wbt"), SimulationConfig(robots=robots))


class Lamp(Actuator):
    """A device with a command that takes a whole number."""

    value = 0

    @command(value=Integer())
    def set(self, value: int) -> None:
        self.value = value

    @command(data=Bytes(), answer_if_lost=True)
    def send(self, data: bytes) -> bool:
        self.value = len(data)
        return True


class Sign(Device):
    """A device that is not an actuator and is not called in steps."""

    text = ""

    @command(text=Text())
    def set_text(self, text: str) -> None:
        self.text = text


def made(sim: Simulation, kind: type[Device], **faults: Any) -> Any:
    robot = sim.robot("r")
    config = DeviceConfig(faults=FaultConfig(**faults))
    context = DeviceContext(sim.physics, "r", config, 5, sim.media)
    device = kind(robot["motor"].spec, context)
    install_faults(device, context)
    sim.media.of(DelayedDelivery).faults += faults_of(device)
    return device


def test_commands_without_numbers_can_be_lost_or_late_but_not_off() -> None:
    sim = simulation()
    lamp = made(sim, Lamp, dropout=1.0)
    assert lamp.set(3) is None
    assert lamp.send(b"ab") is True  # who sends does not know that it was lost
    assert lamp.value == 0
    with pytest.raises(ConfigError, match=r"robots\.r\.motor: found gaussian, bias or drift for Lamp"):
        made(sim, Lamp, gaussian=1.0)
    with pytest.raises(ConfigError, match="expected none: the device has no readings"):
        made(sim, Lamp, latency=1.0, fault_fields=("value",))


def test_devices_that_are_no_actuators_can_be_late_too() -> None:
    sim = simulation()
    sign = made(sim, Sign, latency=0.02)
    sim.step()
    sign.set_text("on")
    sim.step()
    assert sign.text == ""
    sim.step()  # to the time at which it is due: as if given then
    assert sign.text == "on"


def test_devices_without_faults_are_left_alone() -> None:
    sim = simulation(gaussian=1.0)
    assert set(vars(sim.robot("r")["brake"])).isdisjoint({"set_damping", "before_step", "reset"})
    assert not sim.media.acting


@pytest.mark.parametrize("faults", [{"dropout": 1.0}, {"latency": 10.0}])
def test_an_empty_battery_is_no_command_that_could_be_lost(faults: dict[str, float]) -> None:
    """1 J at 10 W lasts for 0.1 s; then everything is off in the next step."""
    world = WORLD.replace('name "r"', 'name "r" battery [ 1 1 0 ] cpuConsumption 10')
    world = world.replace("children [", 'children [ Speaker { name "horn" }')
    faulty = DeviceConfig(faults=FaultConfig(**faults))
    config = SimulationConfig(robots={"r": RobotConfig(devices={"brake": faulty, "horn": faulty})})
    sim = Simulation(parse_scene(world, str(WORLDS / "w.wbt")), config)
    horn = sim.robot("r")["horn"]
    horn.commands["play"].carry_out(horn, sound="sounds/beep.wav", loop=True)
    sim.run(0.05)
    assert sim.robot("r")["brake"].is_powered
    assert horn.is_playing()
    sim.run(0.1)
    assert not sim.robot("r")["motor"].is_powered
    assert not sim.robot("r")["brake"].is_powered
    assert not horn.is_playing()
