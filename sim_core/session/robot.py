"""A robot: its devices by name, and how it drives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim_core.base.clock import any_period, update_period, whole_steps_up
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import CommandError, DeviceError, Mistake, SceneError, hint
from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.base.state import State, Stateful
from sim_core.base.turns import after, back, turned_pose
from sim_core.devices import Device, DeviceContext, Sensor, is_simulated, make_device
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.drives.find_drive import find_drive
from sim_core.devices.drives.kinematic_drive import KinematicDrive, is_kinematic, never_moves
from sim_core.devices.drives.odometry import WheelOdometry
from sim_core.devices.energy.battery import Battery, find_battery
from sim_core.devices.faults import UnderWay, faults_of, install_faults
from sim_core.devices.media import Media
from sim_core.devices.motors.coupled_motors import couple_motors
from sim_core.devices.motors.motor import Motor
from sim_core.devices.noise import device_seed
from sim_core.engines.world_view import World
from sim_core.model.changes import Aspect, Edit
from sim_core.model.device_spec import DeviceSpec, RobotSpec, device_spec, robot_spec
from sim_core.model.robots import DeviceNodes, RobotInstance, device_nodes
from sim_core.model.routes import Route, route
from sim_core.session.players.leading import Leading
from sim_core.session.players.motion import read_motion
from sim_core.session.players.motion_player import MotionPlayer
from sim_core.session.players.playback import Playback

NO_CONTROLLER = ("", "void", "<none>", "<generic>")
EXTERN_CONTROLLER = "<extern>"


@dataclass(eq=False)
class RobotState(State):
    """What changes of a robot as a whole.

    Attributes:
        start: its pose in the world when it began, or came.
        is_on: it is not while its battery is empty.
    """

    start: Pose
    is_on: bool = True


class Robot(Stateful):
    """One robot of the world.

    Attributes:
        name: the `name` field.
        node: the Robot (or DifferentialWheels, Supervisor) node.
        instance: what it is made of.
        spec: what the model says of its node.
        nodes: of its devices, by device name.
        devices: by device name, in file order.
        playback: the motions and trajectories that are played in the robot's simulation.
        leading: what leads it for a while after it was told to.
        not_simulated: device nodes that are read, but have no simulation yet.
        left_out: device nodes of which no device can be made, and that the robot goes without, by path.
        warnings: what it and its devices ask for and do not get, one line each.
        world: what it may see of the world.
        frame: the robot's base frame, FLU.
        drive: that of a differential robot or of a car, or None.
        motion: moves a robot without Physics as its wheels turn, or None.
        odometry: dead reckoning from the wheels' angles, or None.
        remakes: how often its parts have been put elsewhere, or are others.
        battery: None: its energy has no end.
        synchronized: the simulation waits for this robot's controller (lock-step).
        control_period_ns: sim time between two waits for the controller.
    """

    state: RobotState
    spec: RobotSpec
    nodes: DeviceNodes

    def __init__(
        self,
        instance: RobotInstance,
        world: World,
        config: SimulationConfig,
        seed: int,
        media: Media,
        playback: Playback,
        is_lenient: bool = False,
    ) -> None:
        """Make the robot; `is_lenient`: it goes without devices that cannot be.

        Raises:
            DeviceError, ConfigError: one of them cannot be.
        """
        self.instance = instance
        node = self.node = instance.node
        self.name: str = node["name"]
        self.frame = world.frame(node.id)
        self.devices: dict[str, Device] = {}
        self.playback = playback
        self.leading = Leading(self)
        own = config.robot(self.name)
        sync = own.synchronization
        self.synchronized: bool = node["synchronization"] if sync is None else sync
        self.controller: str = node["controller"]
        self.warnings: list[SceneError] = []
        self.world, self._config, self._media, self._seed = world, config, media, seed
        self._removed: dict[NodeId, Device] = {}  # with an edit that may yet be taken back
        self._parts: set[NodeId] | None = None  # the nodes of its devices at the last look
        self.left_out: DeviceNodes = {}
        self.find_devices(is_lenient)
        self.control_period_ns = max(world.step_ns, round((own.sampling_period or 0.0) * 1e9))
        self._is_rolled = world.can.rolling is not None  # by the engine itself
        self.drive: DifferentialDrive | None = None
        self.motion: KinematicDrive | None = None
        self.odometry: WheelOdometry | None = None
        self.remakes = 0
        self._find_drive()
        if self.motion is None and not self._is_rolled:
            warning = never_moves(self.spec, self.motors().values(), world)
            self.warnings += [] if warning is None else [warning]
        self.battery: Battery | None = find_battery(self.spec, self.devices.values())
        self.state = RobotState(self.frame.pose())

    def parts(self) -> tuple[Stateful, ...]:
        """Its devices, what moves it, its odometry and its battery; what is under way to and from devices."""
        others: list[Stateful | None] = [self.motion, self.odometry, self.battery]
        for device in self.devices.values():
            others.append(device.command_faults)
            if isinstance(device, Sensor):
                others.append(device.reading_faults)
        return *self.devices.values(), *(each for each in others if each is not None)

    def enter(self) -> None:
        """It is in the world: let its devices tell the media of themselves."""
        for device in self.devices.values():
            device.enter()
        if self._faults:
            self._media.of(UnderWay).faults += self._faults

    def leave(self) -> None:
        """It has gone, and the media know nothing of it: leave in the world what does not go with it."""
        for device in self.devices.values():
            device.leave()
        self.playback.let_go_of(self.name)

    @property
    def is_on(self) -> bool:
        """False: its battery is empty, its devices do not work."""
        return self.state.is_on

    def field_now(self, field: str) -> Any:
        """Its field `battery`, with the energy of now."""
        battery = self.battery
        return self.node[field] if battery is None else [battery.energy, *self.node[field][1:]]

    def edit_field(self, field: str, value: Any) -> None:
        """Put energy into its battery, or take it.

        Raises:
            CommandError: it is negative, or what else the field says is another; nothing changes.
        """
        given = self.node[field]
        if self.battery is None or len(value) != len(given) or value[1:] != given[1:] or value[0] < 0.0:
            found, kept = (" ".join(f"{each:g}" for each in numbers) for numbers in (value, given[1:]))
            expected = f"an energy of 0 J or more, and behind it {kept}, as when the world was loaded"
            raise CommandError(f"{self.name}: battery: found {found or 'nothing'}, expected {expected}")
        self.battery.put(value[0])

    @property
    def moved_by_twist(self) -> bool:
        """Whether a twist moves its body itself: it has no drive, and is set so."""
        return self.drive is None and self._config.robot(self.name).moved_by_twist

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
        elif on:  # it may have got energy since it fell silent
            for sensor in self.sensors():
                sensor.state.is_powered = True
                sensor.recheck()

    def fall_silent(self) -> None:
        """In phase 3: its battery ran dry in this step, of which its sensors tell nothing any more."""
        for sensor in self.sensors():
            sensor.state.is_powered = False
            sensor.recheck()

    def take_edit(self, edit: Edit) -> None:
        """The robot's node or one below it has been edited: devices and the drive follow.

        Raises:
            DeviceError, ConfigError: the value is not possible.
        """
        node, field, aspect = edit
        assert node is not None
        if aspect in (Aspect.DEVICE, Aspect.NOTE):
            for name, device in self.devices.items():
                if device.has_part(node.id):
                    device.spec = device_spec(self.nodes[name], self.spec)
                    device.read_fields()
        if aspect in (Aspect.STRUCTURE, Aspect.SIZE) and (
            node is not self.node or route(node, field) is Route.SCENE
        ):
            self.spec = robot_spec(self.node)
            for name, device in self.devices.items():
                device.spec = device_spec(self.nodes[name], self.spec)
            self._find_drive()
            self.remakes += 1

    def find_devices(self, is_lenient: bool = False) -> tuple[list[Device], list[Device]]:
        """Have the devices that its nodes are now; those that came, and those that went.

        `is_lenient`: those that cannot be are left out.

        Devices that stay are the same, and so is one that comes back.

        Raises:
            DeviceError, ConfigError: one of them cannot be.
        """
        nodes = list(device_nodes(self.node))
        parts = {each.id for each in nodes}
        if parts == self._parts:
            return [], []
        known = {each.spec.id: each for each in self.devices.values()} | self._removed
        self.spec = robot_spec(self.node)
        compiled = [(each, device_spec(each, self.spec)) for each in nodes]
        before, self.devices = self.devices, {}
        gone_without = {each.id for each in self.left_out.values()}
        try:
            for node, spec in compiled:
                device = known.get(spec.id)
                if device is not None:
                    self.devices[device.name] = device
                elif is_simulated(spec) and spec.id not in gone_without:
                    try:
                        self._add_device(spec)
                    except DeviceError as error:
                        if not is_lenient:
                            raise
                        self.left_out[spec.path] = node
                        found = str(error).removeprefix(f"{spec.where}: ")
                        self.warnings.append(Mistake(*spec.source, found, "the device is left out"))
        except Exception:
            self.devices = before  # the edit will be taken back
            raise
        self._parts = parts
        self.not_simulated = [each for each, spec in compiled if not is_simulated(spec)]
        by_id = {spec.id: each for each, spec in compiled}
        self.nodes = {name: by_id[device.spec.id] for name, device in self.devices.items()}
        self._faults = [each for device in self.devices.values() for each in faults_of(device)]
        self.warnings += couple_motors(self.devices.values())
        stay = set(self.devices.values())
        come = [each for each in self.devices.values() if before.get(each.name) is not each]
        gone = [each for each in before.values() if each not in stay]
        self._removed |= {each.spec.id: each for each in gone}
        for each in come:
            self._removed.pop(each.spec.id, None)
        return come, gone

    def read_fields(self) -> None:
        """The world's fields are others, perhaps its axes: devices read them.

        Raises:
            DeviceError: a value is not possible.
        """
        self.spec, before = robot_spec(self.node), self.spec.axes
        world, own = self.spec.axes.world, self.spec.axes.own
        self.state.start = turned_pose(
            after(world, back(before.world)), self.state.start, after(own, back(before.own))
        )
        for name, device in self.devices.items():
            device.spec = device_spec(self.nodes[name], self.spec)
            device.read_fields()

    def _find_drive(self) -> None:
        """See by which wheels it drives, and let what goes by them go on with these."""
        devices, config, world = self.devices.values(), self._config, self.world
        self.drive = drive = find_drive(self.spec, devices, config.robot(self.name).drive)
        if drive is None:
            self.odometry = self.motion = None
            return
        if self.odometry is not None:
            self.odometry.follow(drive, devices)
        else:
            own = config.robot(self.name).odometry_period
            step_ns = world.step_ns
            shared = whole_steps_up(config.odometry_period, step_ns)
            of_robot = shared if own is None else any_period(own, step_ns)
            period_ns = update_period((shared, of_robot), step_ns)
            steps, period = period_ns // step_ns, period_ns / 1e9
            self.odometry = WheelOdometry(drive, devices, lambda: world.time_ns, period, steps)
        if self._is_rolled:
            return
        if not is_kinematic(self.spec, drive):
            self.motion = None
        elif self.motion is not None:
            self.motion.follow(drive)
        else:
            self.motion = KinematicDrive(self.spec, drive, world)

    def reset(self) -> None:
        """The world has been put back to its start: so are devices, odometry and battery."""
        if self.battery:
            self.battery.reset()
            self.switch()
        for device in self.devices.values():
            device.reset()
        if self.motion:
            self.motion.reset()
        self.begin()  # once encoders read what they do at the start

    def read_limits(self) -> None:
        """Its joints start elsewhere: its motors have the limits that they would be made with."""
        for motor in self.motors().values():
            motor.read_limits()
        couple_motors(self.devices.values())

    def begin(self) -> None:
        """It starts from where it is."""
        for device in self.devices.values():
            device.begin()
        self.state.start = self.frame.pose()
        if self.odometry:
            self.odometry.reset()

    def _add_device(self, spec: DeviceSpec) -> None:
        name = self._free_name(spec)
        device_config = self._config.device(self.name, name)
        noise_seed = device_seed(self._seed, spec.path, device_config.noise_seed)
        context = DeviceContext(self.world, self.name, device_config, noise_seed, self._media)
        device = self.devices[name] = make_device(spec, context)
        device.name = name
        self.warnings += device.warnings
        if device_config.faults.is_active:
            install_faults(device, context)

    def _free_name(self, spec: DeviceSpec) -> str:
        """The name of a device; where it is taken, with a number: in Webots only the first is found by it."""
        name: str = spec["name"]
        if name not in self.devices:
            return name
        number = 2
        while f"{name}_{number}" in self.devices:
            number += 1
        found = f'a second device named "{name}" in robot "{self.name}", here "{name}_{number}"'
        expected = f"a name of its own (the first is at {self.devices[name].spec.where})"
        self.warnings.append(SceneError(*spec.source, found, expected))
        return f"{name}_{number}"
