"""Faults, latency and power hold for every command, on topics, on the socket and in a replay."""

from __future__ import annotations

import pickle
import struct
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sensor_msgs.msg import Image
from std_msgs.msg import Bool, ColorRGBA, Empty, Float64, Float64MultiArray, Int32, String, UInt8MultiArray

from ros_bridge.controller_api.client import Client
from ros_bridge.devices import make_bridge
from ros_bridge.recorder.changes import COMMAND, command_of, described_command, from_text, to_text
from sim_core.base.config import DeviceConfig, FaultConfig, RobotConfig, SimulationConfig
from sim_core.base.outcome import Outcome, Refused
from sim_core.devices import DEVICES, Device, class_in
from sim_core.devices.commands import Argument, Bytes, Flag, Integer, Integers, Number, Text, Vector
from sim_core.scene import load_scene
from sim_core.session.pipeline import Command, decoded
from sim_core.session.robot_commands import DeviceCommand
from sim_core.session.session import Journal, Session
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot { name "r" controller "void" battery [ 1 1 0 ] children [
  HingeJoint { device [ RotationalMotor { name "motor" } Brake { name "brake" } ]
    endPoint Solid { physics Physics { } boundingObject Sphere { radius 0.1 } } }
  SliderJoint { device LinearMotor { name "slider" } endPoint Solid { } }
  LED { name "led" } Pen { name "pen" } Speaker { name "speaker" } Emitter { name "emitter" }
  Receiver { name "receiver" } Connector { name "connector" } Display { name "display" width 8 height 4 }
  Servo { name "servo" } VacuumGripper { name "gripper" boundingObject Sphere { } }
  Lidar { name "lidar" type "rotating" }
  Camera { name "camera" zoom Zoom { minFieldOfView 0.2 maxFieldOfView 1.2 }
    focus Focus { focalDistance 1 focalLength 0.1 maxFocalDistance 4 } }
] physics Physics { } boundingObject Sphere { radius 0.1 } }
DifferentialWheels { name "d" controller "void" battery [ 1 1 0 ] }
"""
VALUES: dict[type[Argument], Any] = {
    Number: 0.5,
    Integer: 1,
    Flag: True,
    Text: "tone.wav",
    Vector: [0.25, 0.5, 0.75],
    Integers: [1, 2, 3],
    Bytes: b"ab",
}
OF_ARGUMENTS: dict[str, Any] = {"wheel": "left wheel"}
MESSAGES: dict[type, Callable[[], Any]] = {
    Float64: lambda: Float64(data=0.5),
    Int32: lambda: Int32(data=1),
    Bool: lambda: Bool(data=True),
    String: lambda: String(data="tone.wav"),
    Empty: Empty,
    UInt8MultiArray: lambda: UInt8MultiArray(data=b"ab"),
    Float64MultiArray: lambda: Float64MultiArray(data=[0.5, 0.5]),
    ColorRGBA: lambda: ColorRGBA(r=0.5, a=0.5),
    Image: lambda: Image(encoding="mono8", width=1, height=1, step=1, data=[200]),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seams")
    with wave.open(str(folder / "tone.wav"), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(struct.pack("<800h", *range(800)))
    (folder / "w.wbt").write_text(WORLD)
    return folder / "w.wbt"


class Kept(Journal):
    """The commands as a journal has them."""

    is_on = True

    def __init__(self) -> None:
        self.commands: list[Command] = []

    def command(self, command: Command) -> None:
        text = to_text({"time_ns": 0, "what": COMMAND, **described_command(command)})
        self.commands.append(command_of(from_text(text)))


def session(world: Path, journal: Journal | None = None, **faults: Any) -> Session:
    scene = load_scene(world)
    plain = Simulation(scene)
    devices = {name: list(robot.devices) for name, robot in plain.robots.items()}
    plain.close()
    own = DeviceConfig(faults=FaultConfig(**faults))
    robots = {name: RobotConfig(devices=dict.fromkeys(found, own)) for name, found in devices.items()}
    return Session(Simulation(load_scene(world), SimulationConfig(robots=robots)), journal)


def arguments(device: Device, name: str) -> dict[str, Any]:
    needed = {key: each for key, each in device.commands[name].arguments.items() if not each.optional}
    return {
        key: OF_ARGUMENTS.get(key, next(VALUES[kind] for kind in type(each).__mro__ if kind in VALUES))
        for key, each in needed.items()
    }


def devices_of(run: Session) -> Iterator[Device]:
    for robot in run.sim.robots.values():
        yield from robot.devices.values()


Sender = Callable[[Session], Outcome]


def by_topics(device: Device) -> Iterator[tuple[str, Sender]]:
    """Each command of a device that has a topic, sent on it."""
    for item in make_bridge(device).inputs():
        message = MESSAGES[item.message_type]()
        if item.message_type is Float64MultiArray and device.spec.type_name != "DifferentialWheels":
            message.data = [0.25, 0.5, 0.75]
        (wish,) = item.decode(message)
        assert isinstance(wish, DeviceCommand)

        def send(run: Session, item: Any = item, message: Any = message) -> Outcome:
            return run.pipeline.submit(decoded("topic", item.decode, message))

        yield wish.command, send


def by_socket(device: Device) -> Iterator[tuple[str, Sender]]:
    """Each command of a device, sent by a controller."""
    for name in device.commands:

        def send(run: Session, name: str = name) -> Outcome:
            robot = run.sim.robots[device.robot_name]
            client = Client(run, robot, Path(run.sim.scene.file).parent)
            tag = list(robot.devices).index(device.name)
            values = list(arguments(device, name).values())
            client.store_commands([[tag, name, *values]])
            client.carry_out()
            lines = client.answer([]).get("lines", [])
            return Refused(4, lines[0]) if lines else run.pipeline.replay(Command("nobody", ()))

        yield name, send


def by_replay(device: Device) -> Iterator[tuple[str, Sender]]:
    """Each command of a device, as a journal tells it."""
    for name in device.commands:
        kept = Kept()

        def send(run: Session, name: str = name, kept: Kept = kept) -> Outcome:
            told = Command(
                "r", (DeviceCommand(device.robot_name, device.name, name, arguments(device, name)),)
            )
            kept.command(told)
            return run.pipeline.replay(kept.commands[-1])

        yield name, send


SEAMS = {"topics": by_topics, "socket": by_socket, "replay": by_replay}


def state(device: Device) -> bytes:
    """What changes of a device, but not how many commands it has got."""
    parts = [device, *getattr(device, "coupled", ())]
    canvas = getattr(device, "canvas", None)
    pixels = b"" if canvas is None else canvas.pixels.tobytes()
    return pickle.dumps([each.state for each in parts]) + pixels


def test_the_world_has_every_device_that_takes_commands(world: Path) -> None:
    run = session(world)
    there = {type(device) for device in devices_of(run)}
    kinds = {class_in(module) for module in DEVICES.values()}
    assert {kind for kind in kinds if kind.commands} <= there


@pytest.mark.parametrize("seam", SEAMS)
def test_no_command_reaches_a_robot_whose_battery_is_empty(world: Path, seam: str) -> None:
    run, count = session(world), 0
    for robot in run.sim.robots.values():
        assert robot.battery is not None
        robot.battery.state.energy = 0.0
        robot.update_power()
    for device in devices_of(run):
        for name, send in SEAMS[seam](device):
            before = state(device)
            outcome = send(run)
            assert isinstance(outcome, Refused), (device.path, name)
            assert f"the battery of {device.robot_name} is empty" in outcome.text
            assert state(device) == before, (device.path, name)
            count += 1
    assert count > 20


@pytest.mark.parametrize("seam", SEAMS)
def test_commands_are_lost_or_come_late_on_every_way(world: Path, seam: str) -> None:
    """Late by 30 ms, to the state that the same command makes at once; by dropout never."""
    plain = session(world)
    found = [
        (device.robot_name, device.name, name)
        for device in devices_of(plain)
        for name, _ in SEAMS[seam](device)
        if device.commands[name].meets_faults
    ]
    assert len(found) > 10
    lost, late = session(world, dropout=1.0), session(world, latency=0.03)
    for robot, device, name in found:
        for run in (lost, late):
            there = run.sim.robots[robot].devices[device]
            send = dict(SEAMS[seam](there))[name]
            before = state(there)
            assert not isinstance(send(run), Refused), (robot, device, name)
            assert state(there) == before, (robot, device, name)
        (under_way,) = late.sim.robots[robot].devices[device].command_faults.state.late
        assert (under_way.name, under_way.due_ns) == (name, late.sim.time_ns + 30_000_000)
        late.sim.robots[robot].devices[device].command_faults.discard_delayed()


def test_a_late_command_does_not_reach_a_robot_whose_battery_has_run_dry(world: Path) -> None:
    run = session(world, latency=0.03)
    robot = run.sim.robot("r")
    motor = robot["motor"]
    assert motor.set_velocity(0.5) is None and robot.battery is not None
    run.step()
    robot.battery.state.energy = 0.0
    before = motor.target_velocity
    for _ in range(4):
        run.step()
    assert not robot.is_on and motor.target_velocity == before and motor.mode.name == "POSITION"
