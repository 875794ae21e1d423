"""`<sensor>` and DiffDrive in `<gazebo>` tags, as Gazebo's SDF has them, as tags of devices.

What is read is in http://sdformat.org/spec?elem=sensor; all other elements, such as noise, have no effect.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from sim_core.base.geometry import Pose, axis_angle_from_rotation, rotation_from_roll_pitch_yaw
from sim_core.scene.node import Source
from sim_core.scene.urdf.elements import number_of, required
from sim_core.scene.urdf.model import CompositeTag, DeviceTag
from sim_core.scene.x3d.scenery_item import Item

_DIFF_DRIVE = ("diff-drive", "DiffDrive", "diff_drive")
_FRAMES = ("gz_frame_id", "ignition_frame_id", "frame_id")


def gazebo_sensors(robot: Item) -> tuple[list[DeviceTag], list[CompositeTag]]:
    """The sensors of a robot's `<gazebo reference=…>` tags, of the types that are simulated.

    Raises:
        SceneError: a number is none, or the reference is not there.
    """
    devices: list[DeviceTag] = []
    composites: list[CompositeTag] = []
    for gazebo, sensor in _inside(robot, "sensor"):
        make = _SENSORS.get(sensor.fields.get("type", ""))
        if make is None:
            continue
        link, name = required(gazebo, "reference"), required(sensor, "name")
        settings = _settings(sensor)
        made = make(sensor)
        alone = len(made) == 1
        for kind, suffix, fields in made:
            own = settings if alone else {key: settings[key] for key in settings.keys() & {"sampling_period"}}
            own_name = link if kind == "TouchSensor" else name + suffix
            devices.append(DeviceTag(link, kind, True, own, fields, sensor.source, sensor.source, own_name))
        if sensor.fields["type"] == "imu":
            names = {name + suffix: kind for kind, suffix, _ in made}
            composites.append(CompositeTag("imu", names, {"topic": name, **settings}, sensor.source))
    return devices, composites


def is_simulated(sensor: Item) -> bool:
    """Whether a sensor of this type is made a device."""
    return sensor.fields.get("type", "") in _SENSORS


def is_diff_drive(plugin: Item) -> bool:
    """Whether a plugin is Gazebo's differential drive."""
    said = plugin.fields.get("filename", "") + plugin.fields.get("name", "")
    return any(word in said for word in _DIFF_DRIVE)


def diff_drive(robot: Item) -> list[tuple[str, object, Source]]:
    """Names, values and places of the first DiffDrive plugin's settings, as of `DriveConfig`.

    Raises:
        SceneError: a number is none.
    """
    for _, plugin in _inside(robot, "plugin"):
        if not is_diff_drive(plugin):
            continue
        sides = {
            side: [each.content.strip() for _, each in plugin.children if each.name == f"{side}_joint"]
            for side in ("left", "right")
        }
        if not all(sides.values()):
            return []
        found: list[tuple[str, object, Source]] = [
            (side, joints, plugin.source) for side, joints in sides.items()
        ]
        sizes = [name for name in ("wheel_separation", "wheel_radius") if plugin.first(name) is not None]
        return found + [(name, _number(plugin, name, 0.0), plugin.source) for name in sizes]
    return []


Made = list[tuple[str, str, str]]
"""Type of a device, what its name has behind that of the sensor, and its fields as a world has them."""


def _lidar(sensor: Item) -> Made:
    """A fixed Lidar; where the middle of its view is not ahead it is turned there."""
    ray = sensor.first("lidar", "ray") or sensor
    across, up = _at(ray, "scan", "horizontal") or ray, _at(ray, "scan", "vertical")
    reach = _at(ray, "range") or ray
    low, high = _number(across, "min_angle", -math.pi), _number(across, "max_angle", math.pi)
    layers = int(_number(up, "samples", 1.0)) if up is not None else 1
    count = int(_number(across, "samples", 640.0))
    # Its first and last rays are at the ends; those of a Lidar are half a column within.
    angle = min((high - low) * count / max(count - 1, 1), 2.0 * math.pi)
    fields = f'type "fixed" horizontalResolution {count} fieldOfView {angle:.17g} numberOfLayers {layers}'
    if up is not None and layers > 1:
        tall = _number(up, "max_angle", 0.0) - _number(up, "min_angle", 0.0)
        fields += f" verticalFieldOfView {tall:.17g}"
    near, far = _number(reach, "min", 0.01), _number(reach, "max", 1.0)
    fields += f" near {min(0.01, near):.17g} minRange {near:.17g} maxRange {far:.17g}"
    return [("Lidar", "", f"{fields} {_place(sensor, (low + high) / 2.0)}")]


def _imu(sensor: Item) -> Made:
    kinds = ("InertialUnit", "Gyro", "Accelerometer")
    return [(kind, f"_{kind.lower()}", _place(sensor)) for kind in kinds]


def _camera(sensor: Item) -> Made:
    return [("Camera", "", _view(sensor, "near {near:.17g} far {far:.17g}"))]


def _depth(sensor: Item) -> Made:
    return [("RangeFinder", "", _view(sensor, "minRange {near:.17g} maxRange {far:.17g}"))]


def _rgbd(sensor: Item) -> Made:
    return [*_camera(sensor), *((kind, "_depth", fields) for kind, _, fields in _depth(sensor))]


def _contact(sensor: Item) -> Made:
    return [("TouchSensor", "", 'type "bumper"')]


def _navsat(sensor: Item) -> Made:
    return [("GPS", "", _place(sensor))]


_SENSORS: dict[str, Callable[[Item], Made]] = {
    **dict.fromkeys(("gpu_lidar", "lidar", "gpu_ray", "ray"), _lidar),
    "imu": _imu,
    "camera": _camera,
    **dict.fromkeys(("depth", "depth_camera"), _depth),
    **dict.fromkeys(("rgbd", "rgbd_camera"), _rgbd),
    "contact": _contact,
    **dict.fromkeys(("navsat", "gps"), _navsat),
}


def _view(sensor: Item, clip: str) -> str:
    camera = sensor.first("camera") or sensor
    image, ends = camera.first("image") or camera, camera.first("clip") or camera
    width, height = int(_number(image, "width", 320.0)), int(_number(image, "height", 240.0))
    near, far = _number(ends, "near", 0.1), _number(ends, "far", 100.0)
    angle = _number(camera, "horizontal_fov", 1.047)
    ends_text = clip.format(near=near, far=far)
    return f"width {width} height {height} fieldOfView {angle:.17g} {ends_text} {_place(sensor)}"


def _settings(sensor: Item) -> dict[str, object]:
    """Topic, rate and frame; `always_on` has no effect: nothing is measured that nobody wants."""
    found: dict[str, object] = {}
    topic = sensor.first("topic")
    if topic is not None and topic.content.strip():
        found["topic"] = "/" + topic.content.strip().lstrip("/")
    rate = _number(sensor, "update_rate", 0.0)
    if rate > 0.0:
        found["sampling_period"] = 1.0 / rate
    frame = sensor.first(*_FRAMES)
    if frame is not None and frame.content.strip():
        found["frame_id"] = frame.content.strip()
    return found


def _place(sensor: Item, yaw: float = 0.0) -> str:
    """Its `<pose>` in the link, turned by `yaw` about its own z."""
    item = sensor.first("pose")
    numbers = [0.0] * 6
    if item is not None:
        item.fields["value"] = item.content.strip()
        numbers = item.numbers("value", 6) or numbers
    x, y, z, roll, pitch, turn = numbers
    pose = Pose((x, y, z), rotation_from_roll_pitch_yaw(roll, pitch, turn))
    pose *= Pose((0.0, 0.0, 0.0), rotation_from_roll_pitch_yaw(0.0, 0.0, yaw))
    axis = " ".join(f"{value:.17g}" for value in axis_angle_from_rotation(pose.rotation))
    return f"translation {x:.17g} {y:.17g} {z:.17g} rotation {axis}"


def _at(item: Item, *names: str) -> Item | None:
    found: Item | None = item
    for name in names:
        found = found.first(name) if found is not None else None
    return found


def _number(item: Item, name: str, default: float) -> float:
    """The number in an element of an item, or the default where it has no such element.

    Raises:
        SceneError: it is none.
    """
    found = item.first(name)
    if found is None:
        return default
    found.fields["value"] = found.content.strip()
    return number_of(found, "value")


def _inside(robot: Item, name: str) -> Iterator[tuple[Item, Item]]:
    for _, gazebo in robot.children:
        if gazebo.name == "gazebo":
            yield from ((gazebo, item) for _, item in gazebo.children if item.name == name)
