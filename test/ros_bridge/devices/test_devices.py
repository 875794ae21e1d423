import math
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from obeying import obey
from sensor_msgs.msg import Imu, Range
from std_msgs.msg import Float64

from ros_bridge.devices import make_bridge
from ros_bridge.devices.base import DeviceBridge
from ros_bridge.devices.imu_parts import PARTS
from sim_core.base.errors import CommandError
from sim_core.devices import DEVICES
from sim_core.scene import parse_scene
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation


@pytest.fixture
def sim(world_file: Callable[..., Path]) -> Simulation:
    sim = load_world(world_file())
    sim.step(3)
    return sim


def filled(device: Any, suffix: str) -> Any:
    """Return the message of an output for the last reading."""
    output = next(output for output in make_bridge(device).outputs() if output.name == suffix)
    message = output.message_type()
    output.constants(message)
    output.fill(message, device.reading)
    return message


DECLARED = {"altimeter", "brake"}
"""Devices whose topics follow from their declarations."""


@pytest.mark.parametrize(
    "module", sorted({module.rpartition(".")[2] for module in DEVICES.values()} - DECLARED)
)
def test_every_other_device_has_a_bridge_of_its_own(module: str) -> None:
    assert issubclass(import_module(f"ros_bridge.devices.{module}").BRIDGE, DeviceBridge)


def test_the_height_is_as_measured() -> None:
    world = (
        '#VRML_SIM R2025a utf8\nWorldInfo { } Robot { name "r" translation 0 0 12.5 children Altimeter { } }'
    )
    sim = Simulation(parse_scene(world, "w.wbt"))
    sim.sample([sim.robot("r")["altimeter"]])
    message: Float64 = filled(sim.robot("r")["altimeter"], "")
    assert isinstance(message, Float64) and message.data == 12.5


def test_all_bridges_can_be_made(sim: Simulation) -> None:
    for robot in sim.robots.values():
        for device in robot.devices.values():
            assert isinstance(make_bridge(device), DeviceBridge)


def test_a_range_is_in_metres_and_the_value_from_the_table(sim: Simulation) -> None:
    sensor: Any = sim.robot("robot1")["ds"]
    message = filled(sensor, "")
    assert message.range == pytest.approx(2.7, abs=0.01)  # wall at 2.9 m, sensor at 0.2 m
    assert (message.radiation_type, message.min_range, message.max_range) == (Range.ULTRASOUND, 0.0, 5.0)
    assert filled(sensor, "value").data == sensor.value


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("gyro", "angular_velocity"),
        ("accelerometer", "linear_acceleration"),
        ("inertial unit", "orientation"),
    ],
)
def test_an_imu_marks_what_it_does_not_measure(sim: Simulation, name: str, part: str) -> None:
    message: Imu = filled(sim.robot("robot1")[name], "")
    for other in PARTS:
        assert getattr(message, f"{other}_covariance")[0] == (0.0 if other == part else -1.0)


def test_an_accelerometer_at_rest_feels_gravity_upwards(sim: Simulation) -> None:
    sim.run(1.0)
    felt = filled(sim.robot("robot1")["accelerometer"], "").linear_acceleration
    assert math.hypot(felt.x, felt.y, felt.z) == pytest.approx(9.81, abs=0.05)
    assert felt.z > 9.7


def test_motor_topics_refuse_what_is_not_finite(sim: Simulation) -> None:
    motor: Any = sim.robot("robot1")["motor left"]
    inputs = {item.name: item for item in make_bridge(motor).inputs()}
    assert inputs.keys() == {"position", "velocity", "effort"}
    for item in inputs.values():
        for bad in (math.nan, math.inf, -math.inf):
            with pytest.raises(CommandError, match=r"expected (a )?finite number"):
                obey(sim, item, item.message_type(data=bad))
    obey(sim, inputs["velocity"], inputs["velocity"].message_type(data=1.5))
    assert motor.target_velocity == 1.5


def test_wheel_speeds_need_two_numbers(sim: Simulation) -> None:
    wheels: Any = sim.robot("old")["old"]
    (item,) = make_bridge(wheels).inputs()
    with pytest.raises(CommandError, match="found 3 numbers, expected 2"):
        obey(sim, item, item.message_type(data=[1.0, 2.0, 3.0]))
    assert obey(sim, item, item.message_type(data=[1.0, -2.0])) is None
    assert (wheels.left.target_velocity, wheels.right.target_velocity) == (1.0, -2.0)


def test_a_brake_takes_its_damping(sim: Simulation) -> None:
    brake: Any = sim.robot("robot1")["brake"]
    (item,) = make_bridge(brake).inputs()
    obey(sim, item, item.message_type(data=0.7))
    assert brake.damping == 0.7
