"""`<sensor>` in `<gazebo>` tags, as in Gazebo's SDF, as device tags.

Tags are defined in http://sdformat.org/spec?elem=sensor; unused tags are listed in one warning of the file,
see `tags.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import axis_angle_from_rotation, rotation_from_roll_pitch_yaw
from sim_core.scene.gazebo.cameras import (
    FRAMES,
    PLUGINS,
    PictureTopics,
    camera_element,
    camera_fields,
    classic_settings,
    frame_setting,
    of_rgbd,
    range_finder_fields,
)
from sim_core.scene.gazebo.noise import NONE, GaussianNoise, noise_in, noise_of_axes
from sim_core.scene.gazebo.ros_node import RosNode, absolute, frame_name
from sim_core.scene.gazebo.tags import GazeboTags, Tag
from sim_core.scene.robot_description import CompositeTag, DeviceTag, JointElement
from sim_core.scene.xml_attributes import required

NARROWEST = 1e-3
"""Least field of view in rad of a Lidar with one ray, whose angle is in `azimuthRange`."""
LARGEST_COUNT = 10**6
"""Largest number of rays of a layer, and of layers; devices have lower limits of their own."""

Settings = Mapping[str, object]


class ConvertedDevice(NamedTuple):
    """A device: its type, the suffix after the sensor's name, fields in world format, settings.

    `topics` are settings too; those that the file does not set apply only to the layout `gazebo`.
    """

    kind: str
    suffix: str
    fields: str
    settings: Settings
    topics: Settings = MappingProxyType({})


class _SensorConverter:
    """Converts the sensors of a file to devices."""

    def __init__(self, topics: PictureTopics) -> None:
        self._topics = topics

    def lidar(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make a fixed Lidar with the ray angles of the file, in the frame of the sensor."""
        ray = sensor.first("lidar", "ray") or sensor
        across, up = ray.at("scan", "horizontal") or ray, ray.at("scan", "vertical")
        reach = ray.first("range") or ray
        low, high = _angle_range(across, -math.pi, math.pi)
        count = _count(across, 640.0)
        layers = 1 if up is None else _count(up, 1.0)
        lowest, highest = (0.0, 0.0) if up is None else _angle_range(up, 0.0, 0.0)
        near, far = reach.number("min", 0.01), reach.number("max", 1.0)
        noise = noise_in(ray)
        fields = (
            f'type "fixed" horizontalResolution {count} numberOfLayers {layers}'
            f" fieldOfView {max(NARROWEST, min(high - low, 2.0 * math.pi)):.17g}"
            f"{_vertical_field(highest - lowest)}"
            f" azimuthRange {low:.17g} {high:.17g} elevationRange {lowest:.17g} {highest:.17g}"
            f" near {near:.17g} minRange {near:.17g} maxRange {far:.17g}"  # nearer objects are not drawn
            f" noise {noise.deviation / far if far else 0.0:.17g} {_place(sensor)}"
        )
        settings = noise._replace(deviation=0.0).settings | _common(sensor) | _frame(sensor)
        for plugin in _plugins(sensor, "gazebo_ros_ray_sensor", "gazebo_ros_laser", "gazebo_ros_gpu_laser"):
            settings |= _ray_plugin(plugin)
        topics = {"topic": topic, "point_cloud_topic": f"{topic}/points"}
        return [ConvertedDevice("Lidar", "", fields, settings, topics)]

    def imu(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make three devices, which one topic combines."""
        imu = sensor.first("imu")
        turning = noise_of_axes(imu.first("angular_velocity") if imu is not None else None)
        pushing = noise_of_axes(imu.first("linear_acceleration") if imu is not None else None)
        noises = {"InertialUnit": NONE, "Gyro": turning, "Accelerometer": pushing}
        place = _place(sensor)
        return [
            ConvertedDevice(kind, f"_{kind.lower()}", place, each.settings) for kind, each in noises.items()
        ]

    def camera(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make a Camera."""
        view = camera_element(sensor)
        settings = _common(sensor) | frame_setting(sensor, view)
        settings |= _camera_plugin(sensor, False)
        fields = f"{camera_fields(view)} {_place(sensor)}"
        return [ConvertedDevice("Camera", "", fields, settings, self._topics.of_camera(topic, view))]

    def wide(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make a Camera with a constant angle per pixel, whatever the lens."""
        for name in ("type", "scale_to_hfov"):
            camera_element(sensor).tag.at("lens", name)
        (made,) = self.camera(sensor, topic)
        return [made._replace(fields=f'{made.fields} projection "spherical"')]

    def depth(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make a RangeFinder."""
        view = camera_element(sensor)
        fields, own = range_finder_fields(view)
        settings = own | _common(sensor) | frame_setting(sensor, view)
        settings |= _camera_plugin(sensor, True)
        topics = self._topics.of_depth(topic, view)
        return [ConvertedDevice("RangeFinder", "", f"{fields} {_place(sensor)}", settings, topics)]

    def rgbd(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make a Camera, and a RangeFinder whose name ends in `_depth`, with the same pose."""
        view = camera_element(sensor)
        shared = _common(sensor) | frame_setting(sensor, view)
        colour, depth = of_rgbd(topic)
        place, (fields, own) = _place(sensor), range_finder_fields(view)
        return [  # registered pictures need a pinhole camera
            ConvertedDevice("Camera", "", f"{camera_fields(view, has_lens=False)} {place}", shared, colour),
            ConvertedDevice("RangeFinder", "_depth", f"{fields} {place}", own | shared, depth),
        ]

    def contact(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make the link a TouchSensor."""
        sensor.first("contact")
        return [
            ConvertedDevice(
                "TouchSensor", "", 'type "bumper"', _common(sensor) | _frame(sensor), {"topic": topic}
            )
        ]

    def navsat(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make a GPS, whose accuracy is the noise of its position."""
        place = sensor.at("navsat", "position_sensing") or sensor.at("gps", "position_sensing")
        noise = noise_of_axes(place, ("horizontal", "vertical"))
        settings = noise._replace(deviation=0.0).settings | _common(sensor) | _frame(sensor)
        for plugin in _plugins(sensor, "gazebo_ros_gps_sensor"):
            settings |= _out_plugin(plugin)
        fields = f"accuracy {noise.deviation:.17g} {_place(sensor)}"
        return [ConvertedDevice("GPS", "", fields, settings, {"topic": topic})]

    def magnetometer(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make a Compass, which also measures the magnetic field."""
        noise = noise_of_axes(sensor.first("magnetometer"))
        settings = _noise_of(["field"], noise) | _common(sensor) | _frame(sensor)
        return [ConvertedDevice("Compass", "", _place(sensor), settings, {"magnetic_field_topic": topic})]

    def altimeter(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make an Altimeter."""
        noise = noise_in(sensor.at("altimeter", "vertical_position"))
        settings = noise._replace(deviation=0.0).settings | _common(sensor) | _frame(sensor)
        fields = f"accuracy {noise.deviation:.17g} {_place(sensor)}"
        return [ConvertedDevice("Altimeter", "", fields, settings, {"topic": topic})]

    def air_pressure(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make an Altimeter, which also measures the pressure."""
        air = sensor.first("air_pressure") or sensor
        settings = _noise_of(["pressure"], noise_in(air.first("pressure"))) | _common(sensor) | _frame(sensor)
        fields = f"referenceAltitude {air.number('reference_altitude', 0.0):.17g} {_place(sensor)}"
        return [ConvertedDevice("Altimeter", "", fields, settings, {"pressure_topic": topic})]

    def force_torque(self, sensor: Tag, topic: str) -> list[ConvertedDevice]:
        """Make a ForceTorque in the child link of a joint."""
        tag = sensor.first("force_torque") or sensor
        force, torque = (noise_of_axes(tag.first(name)) for name in ("force", "torque"))
        if torque not in (NONE, force):
            tag.all("torque")[0].ignore()
        named = ["force", "torque"] if torque == force else ["force"]
        settings = _noise_of(named, force) | _common(sensor) | _frame(sensor)
        fields = "".join(
            f'{field} "{word}" '
            for field, name in (("frame", "frame"), ("direction", "measure_direction"))
            if (word := tag.word(name))
        )
        return [ConvertedDevice("ForceTorque", "", f"{fields}{_place(sensor)}", settings, {"topic": topic})]


_Maker = Callable[[_SensorConverter, Tag, str], list[ConvertedDevice]]
_SENSORS: dict[str, tuple[_Maker, str]] = {
    **dict.fromkeys(("gpu_lidar", "lidar", "gpu_ray", "ray"), (_SensorConverter.lidar, "/scan")),
    "imu": (_SensorConverter.imu, "/imu"),
    "camera": (_SensorConverter.camera, "/image"),
    **dict.fromkeys(("wideanglecamera", "wide_angle_camera"), (_SensorConverter.wide, "/image")),
    **dict.fromkeys(("depth", "depth_camera"), (_SensorConverter.depth, "/depth_image")),
    **dict.fromkeys(("rgbd", "rgbd_camera"), (_SensorConverter.rgbd, "")),
    "contact": (_SensorConverter.contact, "/contact"),
    **dict.fromkeys(("navsat", "gps"), (_SensorConverter.navsat, "/navsat")),
    "magnetometer": (_SensorConverter.magnetometer, "/magnetometer"),
    "altimeter": (_SensorConverter.altimeter, "/altimeter"),
    "air_pressure": (_SensorConverter.air_pressure, "/air_pressure"),
    "force_torque": (_SensorConverter.force_torque, "/forcetorque"),
}
"""By sensor type: the function that makes its devices, and the end of its topic if there is no `<topic>`."""


def gazebo_sensors(
    tags: GazeboTags,
    links: Collection[str],
    topics: PictureTopics | None = None,
    joints: Mapping[str, JointElement] = MappingProxyType({}),
) -> tuple[list[DeviceTag], list[CompositeTag]]:
    """Return the sensors of a robot's `<gazebo reference=…>` tags, of the types that are simulated.

    A sensor without a pose that has the name of its link makes the link a device; another one
    that has the name of a link is called `NAME_sensor`, so that links keep their names.

    Args:
        tags: tags of the robot.
        links: names of its links.
        topics: picture topics of other robots; None: there are none.
        joints: by name; a force_torque sensor is in one of them.

    Raises:
        SceneError: a number is invalid, or the reference does not exist.
    """
    devices: list[DeviceTag] = []
    composites: list[CompositeTag] = []
    read = _SensorConverter(topics or PictureTopics())
    for gazebo, item in tags.inside("sensor"):
        make, end = _SENSORS.get(item.fields.get("type", ""), (None, ""))
        joint = joints.get(gazebo.attribute("reference"))
        if make is None or (joint is None and item.fields["type"] == "force_torque"):
            continue
        sensor = tags.claim(item)
        link, name = required(gazebo.item, "reference"), required(item, "name")
        part = f"link/{link}"
        if joint is not None:
            part, link = f"joint/{link}", joint.child
        is_link = name == link and sensor.first("pose") is None
        written, place = _topic(sensor), absolute(f"model/{{robot}}/{part}/sensor/{name}")
        topic = written or f"/world/{{world}}{place}{end}"
        made = make(read, sensor, topic)
        if name in links and not is_link and made[0].suffix == "":
            name += "_sensor"
        for kind, suffix, fields, settings, places in made:
            own_name = link if kind == "TouchSensor" else name + suffix
            own = {**places, **settings} if written else {**settings}
            devices.append(
                DeviceTag(link, kind, True, own, fields, item.source, item.source, own_name, places)
            )
        names = {name + each.suffix: each.kind for each in made}
        if item.fields["type"] == "imu":
            fused = _imu_settings(sensor)
            for device in devices[-len(made) :]:
                device.settings.update({key: fused[key] for key in fused if key == "sampling_period"})
            default: dict[str, object] = {} if "topic" in fused else {"topic": topic}
            composites.append(CompositeTag("imu", names, {"topic": name, **fused}, item.source, default))
        elif len(made) == 2:
            points: dict[str, object] = {"topic": f"{topic}/points"}
            values, default = (points, {}) if written else ({}, points)
            composites.append(CompositeTag("rgbd", names, values, item.source, default))
    return devices, composites


def _imu_settings(sensor: Tag) -> dict[str, object]:
    """Return the settings of the topic of an IMU, as far as the file sets them."""
    topic = _topic(sensor)
    settings: dict[str, object] = {"topic": topic} if topic else {}
    settings |= _common(sensor) | _frame(sensor)
    for plugin in _plugins(sensor, "gazebo_ros_imu_sensor"):
        settings |= _out_plugin(plugin)
    return settings


def _common(sensor: Tag) -> dict[str, object]:
    """Return the rate; `always_on` has no effect: sensors measure only if needed."""
    period = sensor.period("update_rate")
    return {"sampling_period": period} if period else {}


def _noise_of(fields: list[str], noise: GaussianNoise) -> dict[str, object]:
    """Return the noise of some of the values that a device measures."""
    return noise.settings | {"fault_fields": fields} if noise != NONE else {}


def _frame(sensor: Tag) -> dict[str, object]:
    frame = sensor.word(*FRAMES)
    return {"frame_id": frame_name(frame)} if frame else {}


def _topic(sensor: Tag) -> str:
    """Return `<topic>`, which is absolute as in Gazebo; empty: there is none."""
    return absolute(sensor.word("topic"))


def _plugins(sensor: Tag, *names: str) -> list[Tag]:
    """Return the plugins in a sensor whose files have one of these names."""
    found = []
    for _, item in sensor.item.children:
        file = item.fields.get("filename", "").removeprefix("lib").removesuffix(".so")
        if item.name == "plugin" and file in names:
            found += [each for each in sensor.all("plugin") if each.item is item]
    return found


def _ray_plugin(plugin: Tag) -> dict[str, object]:
    """Return topic and frame of a scan as a plugin of Gazebo Classic sets them."""
    kind = plugin.word("output_type")
    if kind not in ("", "sensor_msgs/LaserScan", "sensor_msgs/PointCloud2"):
        return {}
    found = _out_plugin(plugin)
    if kind.endswith("PointCloud2") and "topic" in found:
        found["point_cloud_topic"] = found.pop("topic")
    return found


def _out_plugin(plugin: Tag) -> dict[str, object]:
    """Return topic and frame of a sensor with one topic, which is `~/out` without remappings."""
    node = RosNode(plugin)
    topic = node.remapped("~/out")
    if not topic and (written := plugin.word("topicName", "topic_name")):
        topic = node.topic(written)
    found: dict[str, object] = {"topic": topic} if topic else {}
    if frame := plugin.word("frame_name", "frameName"):
        found["frame_id"] = frame_name(frame)
    return found


def _camera_plugin(sensor: Tag, is_depth: bool) -> dict[str, object]:
    found: dict[str, object] = {}
    for plugin in _plugins(sensor, *PLUGINS):
        found |= classic_settings(plugin, sensor.attribute("name"), is_depth)
    return found


def _angle_range(tag: Tag, low: float, high: float) -> tuple[float, float]:
    """Return the angles of the first and the last ray, which may be more than a turn apart.

    Raises:
        SceneError: the last angle is below the first.
    """
    first, last = tag.number("min_angle", low), tag.number("max_angle", high)
    if last < first:
        found = f"angles from {first:g} to {last:g}"
        raise SceneError(*tag.source, found, "max_angle from min_angle up, in rad")
    return first, last


def _vertical_field(angle: float) -> str:
    """Return the field for the angle between the lowest and the highest layer; a single layer has none."""
    return f" verticalFieldOfView {min(angle, math.pi):.17g}" if angle > 0.0 else ""


def _count(tag: Tag, default: float) -> int:
    """Return the number of rays: the samples times `<resolution>`."""
    count = round(tag.number("samples", default, low=1.0) * tag.number("resolution", 1.0, low=0.0))
    return max(1, min(count, LARGEST_COUNT))


def _place(sensor: Tag) -> str:
    """Return the fields of the sensor's `<pose>` in the link."""
    pose = sensor.first("pose")
    if pose is None:
        return ""
    if pose.attribute("relative_to") or pose.attribute("frame"):
        pose.ignore()  # it was read as a pose in the link
    x, y, z, *turns = pose.numbers(6) if pose.text else [0.0] * 6
    if pose.attribute("degrees").lower() in ("true", "1"):
        turns = [math.radians(angle) for angle in turns]
    axis = " ".join(
        f"{value:.17g}" for value in axis_angle_from_rotation(rotation_from_roll_pitch_yaw(*turns))
    )
    return f"translation {x:.17g} {y:.17g} {z:.17g} rotation {axis}"
