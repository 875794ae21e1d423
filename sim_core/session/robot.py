"""A robot: its devices by name, and how it drives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from sim_core.base.clock import to_nanoseconds
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import DeviceError, SceneError, hint
from sim_core.base.state import State, Stateful
from sim_core.devices import DEVICES, Device, DeviceContext, Sensor, make_device
from sim_core.devices.drives.ackermann_drive import find_drive
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.drives.kinematic_drive import KinematicDrive, find_kinematic_drive, never_moves
from sim_core.devices.drives.odometry import WheelOdometry
from sim_core.devices.energy.battery import Battery, find_battery
from sim_core.devices.faults import install_faults
from sim_core.devices.media import Media
from sim_core.devices.motors.coupled_motors import couple_motors
from sim_core.devices.motors.motor import Motor
from sim_core.devices.noise import device_seed
from sim_core.engines.world_view import World
from sim_core.model.changes import Aspect, Edits
from sim_core.scene import Node, Scene
from sim_core.scene.proto.expansion import ProtoInstance
from sim_core.session.players.leading import Leading
from sim_core.session.players.motion import read_motion
from sim_core.session.players.motion_player import MotionPlayer
from sim_core.session.players.playback import Playback

NO_CONTROLLER = ("", "void", "<none>", "<generic>")
EXTERN_CONTROLLER = "<extern>"


Body = tuple[Node, ProtoInstance | None]
"""The node of a robot, and what has made its parts: another, where a PROTO's body was made anew."""


@dataclass(eq=False)
class RobotState(State):
    """Whether a robot is on; it is not while its battery is empty."""

    is_on: bool = True


class Robot(Stateful):
    """One robot of the world.

    Attributes:
        name: the `name` field.
        node: the Robot (or DifferentialWheels, Supervisor) node.
        body: the same, and what has made its parts.
        devices: by device name, in file order.
        playback: the motions and trajectories that are played in the robot's simulation.
        leading: what leads it for a while after it was told to.
        not_simulated: device nodes that are read, but have no simulation yet.
        warnings: what it and its devices ask for and do not get, one line each.
        frame: the robot's base frame, FLU.
        drive: that of a differential robot or of a car, or None.
        motion: moves a robot without Physics as its wheels turn, or None.
        odometry: dead reckoning from the wheels' angles, or None.
        battery: None: its energy has no end.
        synchronized: the simulation waits for this robot's controller (lock-step).
        control_period_ns: sim time between two waits for the controller.
    """

    state: RobotState

    def __init__(self, node: Node, world: World, config: SimulationConfig, seed: int, media: Media) -> None:
        self.node = node
        self.body: Body = (node, node.proto)
        self.name: str = node["name"]
        self.frame = world.frame(node)
        self.devices: dict[str, Device] = {}
        self.playback = Playback({})
        self.leading = Leading(self)
        self.not_simulated: list[Node] = []
        own = config.robot(self.name)
        sync = own.synchronization
        self.synchronized: bool = node["synchronization"] if sync is None else sync
        self.controller: str = node["controller"]
        self.warnings: list[SceneError] = []
        for device_node in device_nodes(node):
            self._add_device(device_node, world, config, seed, media)
        self.warnings += couple_motors(self.devices.values())
        self.control_period_ns = max(world.step_ns, round((own.sampling_period or 0.0) * 1e9))
        self.drive: DifferentialDrive | None = find_drive(node, self.devices.values(), own.drive)
        self.motion: KinematicDrive | None = None
        if world.can.rolling is None:  # else the engine itself moves it
            self.motion = find_kinematic_drive(node, self.drive, world)
            if self.motion is None and (warning := never_moves(node, self.motors().values(), world)):
                self.warnings.append(warning)
        self.odometry: WheelOdometry | None = None
        if self.drive is not None:
            steps = max(1, -(-to_nanoseconds(config.odometry_period) // world.step_ns))
            period = steps * world.step_ns / 1e9
            self.odometry = WheelOdometry(
                self.drive, self.devices.values(), lambda: world.time_ns, period, steps
            )
        self.battery: Battery | None = find_battery(node, self.devices.values())
        self.state = RobotState()

    def parts(self) -> tuple[Stateful, ...]:
        """Its devices, what moves it, its odometry and its battery; what is under way to and from devices."""
        others: list[Stateful | None] = [self.motion, self.odometry, self.battery]
        for device in self.devices.values():
            others.append(device.command_faults)
            if isinstance(device, Sensor):
                others.append(device.reading_faults)
        return *self.devices.values(), *(each for each in others if each is not None)

    @property
    def is_on(self) -> bool:
        """False: its battery is empty, its devices do not work."""
        return self.state.is_on

    def __getitem__(self, name: str) -> Any:
        """The device of that name; its class is that of its node, see `sim_core/devices`.

        Raises:
            DeviceError: the robot has no such device; names the closest.
        """
        device = self.devices.get(name)
        if device is None:
            known = ", ".join(self.devices) or "none"
            raise DeviceError(f'{self.name}: no device "{name}", it has {known}{hint(name, self.devices)}')
        return device

    def __contains__(self, name: str) -> bool:
        return name in self.devices

    def motors(self) -> dict[str, Motor]:
        """The motors by name."""
        return {name: device for name, device in self.devices.items() if isinstance(device, Motor)}

    def play_motion(self, file: str | Path, *, loop: bool = False, reverse: bool = False) -> MotionPlayer:
        """Play a motion file from the next step on.

        Raises:
            SceneErrors: the file cannot be read, or its rows are wrong.
            CommandError: the robot has none of its joints.
        """
        player = MotionPlayer(read_motion(file), self.motors(), self.playback)
        player.loop, player.reverse = loop, reverse
        player.play()
        return player

    def sensors(self) -> Iterator[Sensor]:
        """The devices that are sampled."""
        return (device for device in self.devices.values() if isinstance(device, Sensor))

    def switch(self) -> None:
        """In phase 1: put the devices on or off as there is energy in the battery or not."""
        on = self.battery is None or not self.battery.is_empty
        if on is not self.is_on:
            self.state.is_on = on
            for device in self.devices.values():
                device.set_power(on)

    def take_edits(self, edits: Edits) -> None:
        """The scene has been edited: devices read their parameters again."""
        for edit in edits:
            if edit.aspect is Aspect.DEVICE and edit.node is not None:
                for device in self.devices.values():
                    if device.has_part(edit.node):
                        device.read_fields()

    def reset(self) -> None:
        """Devices, odometry and battery back to the start."""
        if self.battery:
            self.battery.reset()
            self.switch()
        for device in self.devices.values():
            device.reset()
        if self.motion:
            self.motion.reset()
        if self.odometry:
            self.odometry.reset()

    def _add_device(
        self, node: Node, world: World, config: SimulationConfig, seed: int, media: Media
    ) -> None:
        if node.type_name not in DEVICES:
            self.not_simulated.append(node)
            return
        name = self._free_name(node)
        device_config = config.device(self.name, name)
        context = DeviceContext(
            world,
            self.node,
            self.name,
            device_config,
            device_seed(seed, node.path(), device_config.noise_seed),
            media,
        )
        device = self.devices[name] = make_device(node, context)
        device.name = name
        self.warnings += device.warnings
        if device_config.faults.is_active:
            install_faults(device, context)

    def _free_name(self, node: Node) -> str:
        """The name of a device; where it is taken, with a number: in Webots only the first is found by it."""
        name: str = node["name"]
        if name not in self.devices:
            return name
        number = 2
        while f"{name}_{number}" in self.devices:
            number += 1
        found = f'a second device named "{name}" in robot "{self.name}", here "{name}_{number}"'
        expected = f"a name of its own (the first is at {self.devices[name].node.where})"
        self.warnings.append(SceneError(*node.source, found, expected))
        return f"{name}_{number}"


def robot_nodes(scene: Scene) -> list[Node]:
    """All robots of a scene in file order.

    Where a name is taken, the later robot gets a number behind it, as in Webots, and the scene a warning:
    their topics and commands could not be told apart.
    """
    robots = [node for node in scene.walk() if node.is_a("Robot")]
    seen: dict[str, Node] = {}
    names = {node["name"] for node in robots}
    for node in robots:
        name = node["name"]
        first = seen.setdefault(name, node)
        if first is node:
            continue
        free = next(new for number in count(1) if (new := f"{name}({number})") not in names)
        names.add(free)
        node["name"] = free
        seen[free] = node
        found = f'a second robot named "{name}", here "{free}"'
        expected = f"a name of its own (the first is at {first.where})"
        scene.warnings.append(SceneError(*node.source, found, expected))
    return robots


def root_of(node: Node) -> Node:
    """The node at the root of the scene that a node is a part of."""
    return [node, *node.ancestors()][-1]


def device_nodes(robot: Node) -> Iterator[Node]:
    """The device nodes of a robot: itself if it is one, then its parts, without those of nested robots."""
    if robot.type_name in DEVICES:
        yield robot
    stack = list(robot.child_nodes())[::-1]
    while stack:
        node = stack.pop()
        if node.is_a("Robot"):
            continue
        if node.is_a("Device"):
            yield node
        stack.extend(list(node.child_nodes())[::-1])
