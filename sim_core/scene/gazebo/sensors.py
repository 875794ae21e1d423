"""`<sensor>` in `<gazebo>` tags, as Gazebo's SDF has them, as tags of devices.

What is read is in http://sdformat.org/spec?elem=sensor; what is not read is named in one warning of the file,
see `tags.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import axis_angle_from_rotation, rotation_from_roll_pitch_yaw
from sim_core.scene.gazebo.cameras import (
    FRAMES,
    PLUGINS,
    PictureTopics,
    camera_fields,
    classic_settings,
    finder_fields,
    frame_setting,
    of_rgbd,
    view_of,
)
from sim_core.scene.gazebo.noise import NONE, noise_in, noise_of_axes
from sim_core.scene.gazebo.ros_node import RosNode
from sim_core.scene.gazebo.tags import GazeboTags, Tag
from sim_core.scene.urdf.elements import required
from sim_core.scene.urdf.model import CompositeTag, DeviceTag

NARROWEST = 1e-3
"""rad, of a Lidar with one ray: its angle is in `azimuthRange`."""
LARGEST_COUNT = 10**6
"""Rays of a layer, and layers: devices say themselves how many they can have."""


class Made(NamedTuple):
    """A device: its type, what its name has behind the sensor's, fields as a world has them, settings."""

    kind: str
    suffix: str
    fields: str
    settings: dict[str, object]


class _Read:
    """Makes devices of the sensors of a file."""

    def __init__(self, topics: PictureTopics) -> None:
        self._topics = topics

    def lidar(self, sensor: Tag) -> list[Made]:
        """A fixed Lidar, whose rays have the angles that are written, in the frame of the sensor."""
        ray = sensor.first("lidar", "ray") or sensor
        across, up = ray.at("scan", "horizontal") or ray, ray.at("scan", "vertical")
        reach = ray.first("range") or ray
        low, high = _ends(across, -math.pi, math.pi)
        count = _count(across, 640.0)
        layers = 1 if up is None else _count(up, 1.0)
        lowest, highest = (0.0, 0.0) if up is None else _ends(up, 0.0, 0.0)
        near, far = reach.number("min", 0.01), reach.number("max", 1.0)
        noise = noise_in(ray)
        fields = (
            f'type "fixed" horizontalResolution {count} numberOfLayers {layers}'
            f" fieldOfView {max(NARROWEST, min(high - low, 2.0 * math.pi)):.17g}"
            f"{_vertical(highest - lowest)}"
            f" azimuthRange {low:.17g} {high:.17g} elevationRange {lowest:.17g} {highest:.17g}"
            f" near {near:.17g} minRange {near:.17g} maxRange {far:.17g}"  # what is nearer is not drawn
            f" noise {noise.deviation / far if far else 0.0:.17g} {_place(sensor)}"
        )
        settings = noise._replace(deviation=0.0).settings | _common(sensor) | _frame(sensor)
        if topic := _topic(sensor):
            settings |= {"topic": topic, "point_cloud_topic": f"{topic}/points"}
        for plugin in _plugins(sensor, "gazebo_ros_ray_sensor", "gazebo_ros_laser", "gazebo_ros_gpu_laser"):
            settings |= _ray_plugin(plugin)
        return [Made("Lidar", "", fields, settings)]

    def imu(self, sensor: Tag) -> list[Made]:
        """Three devices, which one topic puts together."""
        imu = sensor.first("imu")
        turning = noise_of_axes(imu.first("angular_velocity") if imu is not None else None)
        pushing = noise_of_axes(imu.first("linear_acceleration") if imu is not None else None)
        noises = {"InertialUnit": NONE, "Gyro": turning, "Accelerometer": pushing}
        place = _place(sensor)
        return [Made(kind, f"_{kind.lower()}", place, each.settings) for kind, each in noises.items()]

    def camera(self, sensor: Tag) -> list[Made]:
        """A Camera."""
        view = view_of(sensor)
        settings = _common(sensor) | frame_setting(sensor, view)
        settings |= self._topics.of_camera(_topic(sensor), view) | _camera_plugin(sensor, False)
        return [Made("Camera", "", f"{camera_fields(view)} {_place(sensor)}", settings)]

    def depth(self, sensor: Tag) -> list[Made]:
        """A RangeFinder."""
        view = view_of(sensor)
        fields, own = finder_fields(view)
        settings = own | _common(sensor) | frame_setting(sensor, view)
        settings |= self._topics.of_depth(_topic(sensor), view) | _camera_plugin(sensor, True)
        return [Made("RangeFinder", "", f"{fields} {_place(sensor)}", settings)]

    def rgbd(self, sensor: Tag) -> list[Made]:
        """A Camera, and a RangeFinder whose name ends in `_depth`, at one place."""
        view = view_of(sensor)
        shared = _common(sensor) | frame_setting(sensor, view)
        colour, depth = of_rgbd(_topic(sensor))
        place, (fields, own) = _place(sensor), finder_fields(view)
        return [  # registered pictures are those of a pinhole
            Made("Camera", "", f"{camera_fields(view, has_lens=False)} {place}", shared | colour),
            Made("RangeFinder", "_depth", f"{fields} {place}", own | shared | depth),
        ]

    def contact(self, sensor: Tag) -> list[Made]:
        """The link becomes a TouchSensor."""
        sensor.first("contact")
        settings = _common(sensor) | _frame(sensor)
        settings |= {"topic": topic} if (topic := _topic(sensor)) else {}
        return [Made("TouchSensor", "", 'type "bumper"', settings)]

    def navsat(self, sensor: Tag) -> list[Made]:
        """A GPS, whose accuracy is the noise of its position."""
        place = sensor.at("navsat", "position_sensing") or sensor.at("gps", "position_sensing")
        noise = noise_of_axes(place, ("horizontal", "vertical"))
        settings = noise._replace(deviation=0.0).settings | _common(sensor) | _frame(sensor)
        settings |= {"topic": topic} if (topic := _topic(sensor)) else {}
        for plugin in _plugins(sensor, "gazebo_ros_gps_sensor"):
            settings |= _out_plugin(plugin)
        return [Made("GPS", "", f"accuracy {noise.deviation:.17g} {_place(sensor)}", settings)]


_SENSORS: dict[str, Callable[[_Read, Tag], list[Made]]] = {
    **dict.fromkeys(("gpu_lidar", "lidar", "gpu_ray", "ray"), _Read.lidar),
    "imu": _Read.imu,
    "camera": _Read.camera,
    **dict.fromkeys(("depth", "depth_camera"), _Read.depth),
    **dict.fromkeys(("rgbd", "rgbd_camera"), _Read.rgbd),
    "contact": _Read.contact,
    **dict.fromkeys(("navsat", "gps"), _Read.navsat),
}


def gazebo_sensors(
    tags: GazeboTags, links: Collection[str], topics: PictureTopics | None = None
) -> tuple[list[DeviceTag], list[CompositeTag]]:
    """The sensors of a robot's `<gazebo reference=…>` tags, of the types that are simulated.

    A sensor without a place of its own that has the name of its link makes the link a device; another one
    that has the name of a link is called `NAME_sensor`, so that links keep their names.

    Args:
        tags: of the robot.
        links: names of its links.
        topics: of pictures of other robots; None: there are none.

    Raises:
        SceneError: a number is none, or the reference is not there.
    """
    devices: list[DeviceTag] = []
    composites: list[CompositeTag] = []
    read = _Read(topics or PictureTopics())
    for gazebo, item in tags.inside("sensor"):
        make = _SENSORS.get(item.fields.get("type", ""))
        if make is None:
            continue
        sensor = tags.claim(item)
        link, name = required(gazebo.item, "reference"), required(item, "name")
        is_link = name == link and sensor.first("pose") is None
        made = make(read, sensor)
        if name in links and not is_link and made[0].suffix == "":
            name += "_sensor"
        for kind, suffix, fields, settings in made:
            own_name = link if kind == "TouchSensor" else name + suffix
            devices.append(DeviceTag(link, kind, True, settings, fields, item.source, item.source, own_name))
        names = {name + each.suffix: each.kind for each in made}
        if item.fields["type"] == "imu":
            settings = _imu_settings(sensor, name)
            for device in devices[-len(made) :]:
                device.settings.update({key: settings[key] for key in settings if key == "sampling_period"})
            composites.append(CompositeTag("imu", names, settings, item.source))
        elif len(made) == 2 and (topic := _topic(sensor)):
            composites.append(CompositeTag("rgbd", names, {"topic": f"{topic}/points"}, item.source))
    return devices, composites


def _imu_settings(sensor: Tag, name: str) -> dict[str, object]:
    """Of the topic that puts the parts of an IMU together."""
    settings: dict[str, object] = {"topic": _topic(sensor) or name, **_common(sensor), **_frame(sensor)}
    for plugin in _plugins(sensor, "gazebo_ros_imu_sensor"):
        settings |= _out_plugin(plugin)
    return settings


def _common(sensor: Tag) -> dict[str, object]:
    """The rate; `always_on` has no effect: nothing is measured that nobody wants."""
    period = sensor.period("update_rate")
    return {"sampling_period": period} if period else {}


def _frame(sensor: Tag) -> dict[str, object]:
    frame = sensor.word(*FRAMES)
    return {"frame_id": frame} if frame else {}


def _topic(sensor: Tag) -> str:
    """`<topic>`, which is absolute as in Gazebo; empty: there is none."""
    topic = sensor.word("topic").strip("/")
    return f"/{topic}" if topic else ""


def _plugins(sensor: Tag, *names: str) -> list[Tag]:
    """The plugins in a sensor whose files have one of these names."""
    found = []
    for _, item in sensor.item.children:
        file = item.fields.get("filename", "").removeprefix("lib").removesuffix(".so")
        if item.name == "plugin" and file in names:
            found += [each for each in sensor.all("plugin") if each.item is item]
    return found


def _ray_plugin(plugin: Tag) -> dict[str, object]:
    """Topic and frame of a scan as a plugin of Gazebo Classic has them."""
    kind = plugin.word("output_type")
    if kind not in ("", "sensor_msgs/LaserScan", "sensor_msgs/PointCloud2"):
        return {}
    found = _out_plugin(plugin)
    if kind.endswith("PointCloud2") and "topic" in found:
        found["point_cloud_topic"] = found.pop("topic")
    return found


def _out_plugin(plugin: Tag) -> dict[str, object]:
    """Topic and frame of a sensor's one topic, which is `~/out` but for remappings."""
    node = RosNode(plugin)
    topic = node.remapped("~/out")
    if not topic and (written := plugin.word("topicName", "topic_name")):
        topic = node.topic(written)
    found: dict[str, object] = {"topic": topic} if topic else {}
    if frame := plugin.word("frame_name", "frameName"):
        found["frame_id"] = frame
    return found


def _camera_plugin(sensor: Tag, is_depth: bool) -> dict[str, object]:
    found: dict[str, object] = {}
    for plugin in _plugins(sensor, *PLUGINS):
        found |= classic_settings(plugin, sensor.attribute("name"), is_depth)
    return found


def _ends(tag: Tag, low: float, high: float) -> tuple[float, float]:
    """The angles of the first and the last ray.

    Raises:
        SceneError: the last is below the first, or a turn or more above it.
    """
    first, last = tag.number("min_angle", low), tag.number("max_angle", high)
    if not 0.0 <= last - first <= 2.0 * math.pi + 1e-3:
        found = f"angles from {first:g} to {last:g}"
        raise SceneError(*tag.source, found, "max_angle from min_angle to a whole turn above it, in rad")
    return first, last


def _vertical(angle: float) -> str:
    """The field for an angle between the lowest and the highest layer; a single layer has none."""
    return f" verticalFieldOfView {min(angle, math.pi):.17g}" if angle > 0.0 else ""


def _count(tag: Tag, default: float) -> int:
    """Rays: the samples times `<resolution>`."""
    count = round(tag.number("samples", default, low=1.0) * tag.number("resolution", 1.0, low=0.0))
    return max(1, min(count, LARGEST_COUNT))


def _place(sensor: Tag) -> str:
    """Its `<pose>` in the link."""
    pose = sensor.first("pose")
    if pose is None:
        return ""
    if pose.attribute("relative_to") or pose.attribute("frame"):
        pose.ignore()  # it is read as one in the link
    x, y, z, *turns = pose.numbers(6) if pose.text else [0.0] * 6
    if pose.attribute("degrees").lower() in ("true", "1"):
        turns = [math.radians(angle) for angle in turns]
    axis = " ".join(
        f"{value:.17g}" for value in axis_angle_from_rotation(rotation_from_roll_pitch_yaw(*turns))
    )
    return f"translation {x:.17g} {y:.17g} {z:.17g} rotation {axis}"
