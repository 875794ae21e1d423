"""Names of the topics and frames of one robot, from its layout and its parameters."""

from __future__ import annotations

from collections.abc import Collection

from ros_bridge.devices.base import Style
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.conversions import has_header
from ros_bridge.topics.frames import OPTICAL_SUFFIX, RobotFrames, robot_frames, solid_frames
from ros_bridge.topics.names import TF, changed_names, kind_of, renamed_message, ros_names
from ros_bridge.topics.records import Topic
from sim_core.devices import Device
from sim_core.session.robot import Robot


class RobotNames:
    """ROS names of a robot, its devices and its frames.

    Attributes:
        space: namespace of its topics: `/robot1`; empty: none.
        device_frames: frames in the headers of device readings, by device name.
        frames: its frame tree.
        notes: a line for each device with an unexpected ROS name.
    """

    def __init__(self, robot: Robot, ros_name: str, params: BridgeParams) -> None:
        """`ros_name`: ROS name of the robot."""
        self._robot, self._params = robot, params
        own = self._own = params.robot(robot.name)
        layout = self._layout = params.layout_of(robot.name)
        space = params.namespace_of(robot.name, ros_name)
        self.space = f"/{space}" if space else ""
        names = ros_names(_own_devices(robot))
        specs = {name: robot.devices[name].spec for name in changed_names(names)}
        self.notes = [
            renamed_message(f'{robot.name}: {spec.type_name} "{name}"', names[name], spec.where)
            for name, spec in specs.items()
        ]
        prefix = layout.frame_prefix.format(robot=ros_name) if own.frame_prefix is None else own.frame_prefix
        base = prefix + (own.base_frame or layout.base_frame)
        plain = {device: prefix + name for device, name in names.items()}
        chosen = {device: params.device(robot.name, device).frame_id for device in names}
        self.device_frames = {device: chosen[device] or frame for device, frame in plain.items()}
        # A frame named in headers that is also a frame of another solid keeps meaning that solid.
        solids = {base, *solid_frames(robot, prefix)} if any(chosen.values()) else {base}
        self._places = {
            device: plain[device] if chosen[device] in solids else frame
            for device, frame in self.device_frames.items()
        }
        for frames in (self.device_frames, self._places):
            frames.setdefault(robot.name, base)  # a DifferentialWheels device is the robot itself
        self._optical = {device: self._optical_frame(device, solids) for device in names}
        self.frames = RobotFrames(
            robot_frames(robot, base, prefix, self._places),
            prefix + (own.odom_frame or layout.odom_frame),
            own.root_frame or layout.root_frame,
            own.publish_tf,
            prefix + layout.footprint_frame if layout.footprint_frame else "",
            {robot.devices[device].spec.id: frame for device, frame in self._optical.items()},
            self._below(own.tf_topic or TF),
        )
        self._bases = {robot.name: self.space}
        kinds: set[str] = set()
        for device, name in names.items():
            kind = robot.devices[device].spec.type_name
            place = layout.bases.get(kind)
            form = layout.device if place is None else place.others if kind in kinds else place.first
            kinds.add(kind)
            topic = params.device(robot.name, device).topic
            self._bases[device] = self._below(
                form.format(robot=ros_name, device=name) if topic is None else topic
            )

    def topic(self, name: str) -> str:
        """Return the robot's topic that layout `odesim` calls by this name."""
        chosen = self._own.topics.get(name)
        return self._below(self._layout.topics.get(name, name) if chosen is None else chosen)

    def imu_frame(self, device: Device) -> str:
        """Return the frame of the IMU whose first part is `device`."""
        return self._own.imu_frame or self.device_frames[device.name]

    def is_free(self, topic: str) -> bool:
        """Return whether no device uses a topic name."""
        return topic not in self._bases.values()

    def device_topic(self, device: Device, suffix: str) -> str:
        """Return a topic of a device by the name in the device's own list."""
        base = self._bases[device.name]
        first, slash, rest = suffix.partition("/")
        settings = self._params.device(self._robot.name, device.name)
        if (whole := settings.topics.get(first)) is not None:
            return f"{self._below(whole)}{slash}{rest}"
        if (written := settings.suffixes.get(first)) is not None:
            return f"{base}{written}{slash}{rest}"
        suffix = self._layout.suffixes.get((device.spec.type_name, suffix), suffix)
        return f"{base}/{suffix}" if suffix else base

    def style(self, device: Device) -> Style:
        """Return the conventions for a device's numbers."""
        chosen = self._params.device(self._robot.name, device.name).angle_min
        layout = self._layout
        # Angles that are written in a file keep their values, whatever the layout.
        start = layout.scan_from if chosen is None and "azimuthRange" not in device.spec.given else chosen
        return Style(layout.radians, start, layout.as_webots_ros2)

    def frame(self, device: Device, topic: Topic) -> str:
        """Return the frame in the headers of a topic in a device's own list; empty: none."""
        if not has_header(topic.message_type):
            return ""
        own = self.device_frames[device.name]
        settings = self._params.device(self._robot.name, device.name)
        is_optical = topic.frame_id == OPTICAL_SUFFIX
        if is_optical and settings.image_frame is not None:
            return settings.image_frame
        if (device.spec.type_name, topic.name) in self._layout.device_frames:
            return own
        if is_optical:
            return self.optical(device)
        return settings.frame_id or topic.frame_id or own

    def optical(self, device: Device) -> str:
        """Return the frame in the headers of a device's pictures: x right, y down, z ahead."""
        return self._optical[device.name]

    def _optical_frame(self, device: str, solids: Collection[str]) -> str:
        """Return the frame set by a parameter, else the device's frame with `_optical`."""
        chosen = self._params.device(self._robot.name, device).image_frame
        of_header = self.device_frames[device] + OPTICAL_SUFFIX
        return chosen or (of_header if of_header in solids else self._places[device] + OPTICAL_SUFFIX)

    def _below(self, name: str) -> str:
        """Return a topic in the robot's namespace; one with a leading slash is not changed."""
        return name if name.startswith("/") else f"{self.space}/{name}"


def _own_devices(robot: Robot) -> dict[str, str]:
    """Return the types of the devices that have topics below their own name, by that name."""
    return {
        name: kind_of(device.spec.type_name)
        for name, device in robot.devices.items()
        if device.spec.id != robot.spec.id
    }
