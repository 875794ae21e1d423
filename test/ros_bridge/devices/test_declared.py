"""Topics of devices without a module of their own in the bridge."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from obeying import obey
from std_msgs.msg import Bool, Empty, Float64, Float64MultiArray, Int32, Int64, String, UInt8MultiArray

from ros_bridge.devices.declared import DeclaredBridge
from sim_core.base.config import DeviceConfig
from sim_core.base.errors import CommandError
from sim_core.devices import Device, DeviceContext, Reading, Sensor
from sim_core.devices.channels import FLAG, RECORDS, Channel, Errors, declare
from sim_core.devices.commands import Bytes, Flag, Integer, Number, Text, Vector, command
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { } Robot { name "r" children GPS { name "gps" } }
"""


@dataclass(frozen=True, slots=True)
class WindReading(Reading):
    value: tuple[float, float, float]
    speed: np.float32
    height: float
    gusts: int
    force: np.uint8
    is_storm: bool
    table: np.ndarray
    notes: tuple[str, ...]


class WindSensor(Sensor):
    channels = declare(
        value=Channel("m/s", (3,)),
        speed=Channel("m/s", dtype="float32"),
        height=Channel("m"),
        gusts=Channel(dtype="int64", errors=Errors.REFUSED),
        force=Channel(dtype="uint8", errors=Errors.REFUSED),
        is_storm=FLAG,
        table=Channel("Pa", (2, 2), "float32"),
        notes=RECORDS,
    )

    def sample(self, time_ns: int) -> WindReading:
        table = np.eye(2, dtype=np.float32)
        return WindReading(time_ns, (1.0, 2.0, 2.0), np.float32(3.0), 10, 4, np.uint8(9), True, table, ())


class Fan(Device):
    last: Any = None

    @command()
    def stop(self) -> None:
        self.last = "stop"

    @command(tune=Bytes(optional=True))
    def ring(self, tune: bytes = b"") -> None:
        self.last = tune

    @command(speed=Number("rad/s"), smoothly=Flag(optional=True))
    def set_speed(self, speed: float, smoothly: bool = True) -> str | None:
        self.last = speed, smoothly
        return "clamped" if speed > 9.0 else None

    @command(x=Number("m"), y=Number("m"))
    def look_at(self, x: float, y: float) -> None:
        self.last = x, y

    @command(level=Integer())
    def set_level(self, level: int) -> None:
        self.last = level

    @command(on=Flag())
    def swing(self, on: bool) -> None:
        self.last = on

    @command(text=Text())
    def show(self, text: str) -> None:
        self.last = text

    @command(data=Bytes())
    def load(self, data: bytes) -> None:
        self.last = data

    @command(curve=Vector())
    def follow(self, curve: list[float]) -> None:
        self.last = curve

    @command(name=Text(), value=Number())
    def tune(self, name: str, value: float) -> None:
        self.last = name, value


def made(kind: type[Device]) -> tuple[Simulation, Any]:
    sim = Simulation(parse_scene(WORLD, "w.wbt"))
    robot = sim.robot("r")
    device = kind(robot["gps"].spec, DeviceContext(sim.physics, "r", DeviceConfig(), 5, sim.media))
    robot.devices[device.name] = device
    return sim, device


def test_each_channel_has_a_topic_with_its_numbers() -> None:
    _, wind = made(WindSensor)
    outputs = {item.name: item for item in DeclaredBridge(wind).outputs()}
    found = {}
    for suffix, output in outputs.items():
        message = output.message_type()
        output.fill(message, wind.sample(0))
        found[suffix] = (
            output.message_type,
            message.data if np.isscalar(message.data) else list(message.data),
        )
    assert found == {
        "": (Float64MultiArray, [1.0, 2.0, 2.0]),
        "speed": (Float64, 3.0),
        "height": (Float64, 10.0),
        "gusts": (Int64, 4),
        "force": (Int64, 9),
        "is_storm": (Bool, True),
        "table": (Float64MultiArray, [1.0, 0.0, 0.0, 1.0]),
    }


def test_each_command_has_a_topic_that_carries_it_out() -> None:
    sim, fan = made(Fan)
    inputs = {item.name: item for item in DeclaredBridge(fan).inputs()}
    commands = [
        ("stop", Empty(), "stop"),
        ("ring", Empty(), b""),
        ("speed", Float64(data=2.0), (2.0, True)),
        ("look_at", Float64MultiArray(data=[1.0, 2.0]), (1.0, 2.0)),
        ("level", Int32(data=3), 3),
        ("swing", Bool(data=True), True),
        ("show", String(data="hot"), "hot"),
        ("load", UInt8MultiArray(data=b"ab"), b"ab"),
        ("follow", Float64MultiArray(data=[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]),
    ]
    assert inputs.keys() == {suffix for suffix, *_ in commands}  # `tune` takes two kinds
    for suffix, message, last in commands:
        assert inputs[suffix].message_type is type(message)
        assert obey(sim, inputs[suffix], message) is None
        assert (list(fan.last) if suffix == "follow" else fan.last) == last
    assert obey(sim, inputs["speed"], Float64(data=10.0)) == "clamped"
    with pytest.raises(CommandError, match="found 1 numbers, expected 2: x, y"):
        obey(sim, inputs["look_at"], Float64MultiArray(data=[1.0]))
