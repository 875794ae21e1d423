"""A robot: its devices by name, its drive, odometry and battery."""

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
from sim_core.base.state import Resettable, State, Stateful
from sim_core.base.turns import composed, inverse, turned_pose
from sim_core.devices import Device, DeviceContext, Sensor, is_simulated, make_device
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.drives.find_drive import find_drive
from sim_core.devices.drives.kinematic_drive import KinematicDrive, immobility_warning, is_kinematic
from sim_core.devices.drives.odometry import WheelOdometry
from sim_core.devices.energy.battery import Battery, find_battery
from sim_core.devices.faults import DelayedDelivery, faults_of, install_faults
from sim_core.devices.media import Media
from sim_core.devices.motors.coupled_motors import couple_motors
from sim_core.devices.motors.motor import Motor
from sim_core.devices.noise import device_seed
from sim_core.engines.world_view import World
from sim_core.model.changes import Aspect, Edit
from sim_core.model.device_spec import DeviceSpec, RobotSpec, device_spec, robot_spec
from sim_core.model.field_routes import FieldRoute, route_of
from sim_core.model.robots import DeviceNodes, RobotInstance, device_nodes
from sim_core.session.players.motion import read_motion
from sim_core.session.players.motion_control import MotionControl
from sim_core.session.players.motion_player import MotionPlayer
from sim_core.session.players.playback import Playback

NO_CONTROLLER = ("", "void", "<none>", "<generic>")
EXTERN_CONTROLLER = "<extern>"


@dataclass(eq=False)
class RobotState(State):
    """State of a robot as a whole.

    Attributes:
        start: pose in the world at the start, or when it was added.
        is_on: False while its battery is empty.
    """

    start: Pose
    is_on: bool = True


class Robot(Resettable):
    """One robot of the world.

    Attributes:
        name: the `name` field.
        node: the Robot, DifferentialWheels or Supervisor node.
        instance: its entry in the scene.
        spec: its node as the model compiled it.
        nodes: nodes of its devices, by device name.
        devices: by device name, in file order.
        playback: the motions and trajectories that are played in the simulation.
        motion_control: drive commands with a timeout, trajectories and motions of the robot.
        not_simulated: device nodes that are read but not simulated.
        left_out: device nodes of which no device can be made and that are left out, by path.
        warnings: settings of the robot and its devices that have no effect, one line each.
        world: the engine's view of the world.
        frame: the robot's base frame, FLU.
        drive: that of a differential or car-like robot, or None.
        motion: moves a robot without Physics according to its wheels, or None.
        odometry: dead reckoning from the wheel angles, or None.
        remakes: how often its parts have been moved or replaced.
        battery: None: unlimited energy.
        synchronized: True if the simulation waits for this robot's controller (lock-step).
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
        """Create the robot; `is_lenient`: leave out devices that cannot be made.

        Raises:
            DeviceError, ConfigError: a device cannot be made.
        """
        self.instance = instance
        node = self.node = instance.node
        self.name: str = node["name"]
        self.frame = world.frame(node.id)
        self.devices: dict[str, Device] = {}
        self.playback = playback
        self.motion_control = MotionControl(self)
        own = config.robot(self.name)
        sync = own.synchronization
        self.synchronized: bool = node["synchronization"] if sync is None else sync
        self.controller: str = node["controller"]
        self.warnings: list[SceneError] = []
        self.world, self._config, self._media, self._seed = world, config, media, seed
        self._removed: dict[NodeId, Device] = {}  # removed by an edit that may be undone
        self._parts: set[NodeId] | None = None  # device nodes at the last search
        self.left_out: DeviceNodes = {}
        self.update_devices(is_lenient)
        self.control_period_ns = max(world.clock.step_ns, round((own.sampling_period or 0.0) * 1e9))
        self._is_rolled = world.can.rolling is not None  # the engine moves the robot itself
        self.drive: DifferentialDrive | None = None
        self.motion: KinematicDrive | None = None
        self.odometry: WheelOdometry | None = None
        self.remakes = 0
        self._update_drive()
        if self.motion is None and not self._is_rolled:
            warning = immobility_warning(self.spec, self.motors().values(), world)
            self.warnings += [] if warning is None else [warning]
        self.battery: Battery | None = find_battery(self.spec, self.devices.values())
        self.state = RobotState(self.frame.pose())

    def parts(self) -> tuple[Stateful, ...]:
        """Devices, kinematic drive, odometry, battery, and the fault queues of the devices."""
        others: list[Stateful | None] = [self.motion, self.odometry, self.battery]
        for device in self.devices.values():
            others.append(device.command_faults)
            if isinstance(device, Sensor):
                others.append(device.reading_faults)
        return *self.devices.values(), *(each for each in others if each is not None)

    def register_devices(self) -> None:
        """Register the devices with the media."""
        for device in self.devices.values():
            device.on_added()
        if self._faults:
            self._media.of(DelayedDelivery).faults += self._faults

    def remove_devices(self) -> None:
        """Remove the robot from the world: devices release what stays there, and players stop."""
        for device in self.devices.values():
            device.on_removed()
        self.playback.remove_robot(self.name)

    @property
    def is_on(self) -> bool:
        """False if the battery is empty: the devices do not work."""
        return self.state.is_on

    def field_now(self, field: str) -> Any:
        """Return the field `battery` with the present energy."""
        battery = self.battery
        return self.node[field] if battery is None else [battery.energy, *self.node[field][1:]]

    def edit_field(self, field: str, value: Any) -> None:
        """Set the energy of the battery.

        Raises:
            CommandError: it is negative, or other values of the field were changed; nothing changes.
        """
        given = self.node[field]
        if self.battery is None or len(value) != len(given) or value[1:] != given[1:] or value[0] < 0.0:
            found, kept = (" ".join(f"{each:g}" for each in numbers) for numbers in (value, given[1:]))
            expected = f"an energy of 0 J or more, and behind it {kept}, as when the world was loaded"
            raise CommandError(f"{self.name}: battery: found {found or 'nothing'}, expected {expected}")
        self.battery.set_energy(value[0])

    @property
    def moved_by_twist(self) -> bool:
        """True if a twist moves the body directly: the robot has no drive and is configured so."""
        return self.drive is None and self._config.robot(self.name).moved_by_twist

    def __getitem__(self, name: str) -> Any:
        """Return the device of that name; its class is that of its node, see `sim_core/devices`.

        Raises:
            DeviceError: the robot has no such device; the message names the closest.
        """
        device = self.devices.get(name)
        if device is None:
            known = ", ".join(self.devices) or "none"
            raise DeviceError(f'{self.name}: no device "{name}", it has {known}{hint(name, self.devices)}')
        return device

    def __contains__(self, name: str) -> bool:
        return name in self.devices

    def motors(self) -> dict[str, Motor]:
        """Return the motors by name."""
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
        """Iterate over the devices that are sampled."""
        return (device for device in self.devices.values() if isinstance(device, Sensor))

    def update_power(self) -> None:
        """Phase 1: switch the devices on or off according to the energy of the battery."""
        on = self.battery is None or not self.battery.is_empty
        if on is not self.is_on:
            self.state.is_on = on
            for device in self.devices.values():
                device.set_power(on)
        elif on:  # the battery may have been charged since the sensors were stopped
            for sensor in self.sensors():
                sensor.state.is_powered = True
                sensor.recheck()

    def stop_sensors(self) -> None:
        """Phase 3: stop the sensors, because the battery became empty in this step."""
        for sensor in self.sensors():
            sensor.state.is_powered = False
            sensor.recheck()

    def apply_edit(self, edit: Edit) -> None:
        """Update devices and the drive after an edit of the robot's node or one below it.

        Raises:
            DeviceError, ConfigError: a value is impossible.
        """
        node, field, aspect = edit
        assert node is not None
        if aspect in (Aspect.DEVICE, Aspect.NOTE):
            for name, device in self.devices.items():
                if device.has_part(node.id):
                    device.spec = device_spec(self.nodes[name], self.spec)
                    device.read_fields()
        if aspect in (Aspect.STRUCTURE, Aspect.SIZE) and (
            node is not self.node or route_of(node, field) is FieldRoute.SCENE
        ):
            self.spec = robot_spec(self.node)
            for name, device in self.devices.items():
                device.spec = device_spec(self.nodes[name], self.spec)
            self._update_drive()
            self.remakes += 1

    def update_devices(self, is_lenient: bool = False) -> tuple[list[Device], list[Device]]:
        """Update the devices from the nodes; return the added and the removed devices.

        `is_lenient`: leave out devices that cannot be made.

        Devices that remain keep their objects, and so does one that is added again.

        Raises:
            DeviceError, ConfigError: a device cannot be made.
        """
        nodes = list(device_nodes(self.node))
        parts = {each.id for each in nodes}
        if parts == self._parts:
            return [], []
        known = {each.spec.id: each for each in self.devices.values()} | self._removed
        self.spec = robot_spec(self.node)
        compiled = [(each, device_spec(each, self.spec)) for each in nodes]
        before, self.devices = self.devices, {}
        left_out = {each.id for each in self.left_out.values()}
        try:
            for node, spec in compiled:
                device = known.get(spec.id)
                if device is not None:
                    self.devices[device.name] = device
                elif is_simulated(spec) and spec.id not in left_out:
                    try:
                        self._add_device(spec)
                    except DeviceError as error:
                        if not is_lenient:
                            raise
                        self.left_out[spec.path] = node
                        found = str(error).removeprefix(f"{spec.where}: ")
                        self.warnings.append(Mistake(*spec.source, found, "the device is left out"))
        except Exception:
            self.devices = before  # the edit will be undone
            raise
        self._parts = parts
        self.not_simulated = [each for each, spec in compiled if not is_simulated(spec)]
        by_id = {spec.id: each for each, spec in compiled}
        self.nodes = {name: by_id[device.spec.id] for name, device in self.devices.items()}
        self._faults = [each for device in self.devices.values() for each in faults_of(device)]
        self.warnings += couple_motors(self.devices.values())
        stay = set(self.devices.values())
        added = [each for each in self.devices.values() if before.get(each.name) is not each]
        removed = [each for each in before.values() if each not in stay]
        self._removed |= {each.spec.id: each for each in removed}
        for each in added:
            self._removed.pop(each.spec.id, None)
        return added, removed

    def read_fields(self) -> None:
        """Read the fields again after an edit of WorldInfo, which may change the axes.

        Raises:
            DeviceError: a value is impossible.
        """
        self.spec, before = robot_spec(self.node), self.spec.axes
        world, own = self.spec.axes.world, self.spec.axes.own
        self.state.start = turned_pose(
            composed(world, inverse(before.world)), self.state.start, composed(own, inverse(before.own))
        )
        for name, device in self.devices.items():
            device.spec = device_spec(self.nodes[name], self.spec)
            device.read_fields()

    def _update_drive(self) -> None:
        """Find the drive, and update odometry and kinematic drive for its wheels."""
        devices, config, world = self.devices.values(), self._config, self.world
        self.drive = drive = find_drive(self.spec, devices, config.robot(self.name).drive)
        if drive is None:
            self.odometry = self.motion = None
            return
        if self.odometry is not None:
            self.odometry.set_drive(drive, devices)
        else:
            own = config.robot(self.name).odometry_period
            step_ns = world.clock.step_ns
            shared = whole_steps_up(config.odometry_period, step_ns)
            of_robot = shared if own is None else any_period(own, step_ns)
            period_ns = update_period((shared, of_robot), step_ns)
            steps, period = period_ns // step_ns, period_ns / 1e9
            self.odometry = WheelOdometry(drive, devices, lambda: world.clock.time_ns, period, steps)
        if self._is_rolled:
            return
        if not is_kinematic(self.spec, drive):
            self.motion = None
        elif self.motion is not None:
            self.motion.set_drive(drive)
        else:
            self.motion = KinematicDrive(self.spec, drive, world)

    def reset(self) -> None:
        """Reset devices, odometry and battery after the world has been reset."""
        if self.battery:
            self.battery.reset()
            self.update_power()
        for device in self.devices.values():
            device.reset()
        if self.motion:
            self.motion.reset()
        self.begin()  # after the reset, when encoders read their start values

    def read_limits(self) -> None:
        """Read the limits of the motors again after joints have got another start position."""
        for motor in self.motors().values():
            motor.read_limits()
        couple_motors(self.devices.values())

    def begin(self) -> None:
        """Take the present pose and readings as the start."""
        for device in self.devices.values():
            device.read_start()
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
        """Return a unique name for a device: the field `name`, with a number if taken (Webots finds only the
        first)."""
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
