"""Other tags in URDF files: `<webots>`, `<gazebo>`, `<transmission>`, `<ros2_control>`.

Device tags are those of webots_ros2 (https://github.com/cyberbotics/webots_ros2/wiki/References-Devices).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sim_core.base.errors import SceneError
from sim_core.scene.robot_description import CompositeTag, ControlTag, DeviceTag, PluginTag
from sim_core.scene.x3d.scenery_item import Item
from sim_core.scene.xml_attributes import number_of, required

_CONTROL = "webots_ros2_control::Ros2Control"
"""The plugin for `<ros2_control>`, whose controllers are named in parameter files."""
_IN_PYTHON = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
"""`package.module.Class`; C++ plugins are named `package::Class`."""
_MOTORS = ("RotationalMotor", "LinearMotor")
_COMPOSITES = {
    "webots_ros2_driver::Ros2IMU": (
        "imu",
        {
            "inertialUnitName": "InertialUnit",
            "gyroName": "Gyro",
            "accelerometerName": "Accelerometer",
        },
        1,
    ),
    "webots_ros2_driver::Ros2RGBD": ("rgbd", {"camera": "Camera", "rangeFinder": "RangeFinder"}, 2),
}
"""By plugin type: the kind, the device type that each element names, and the least number of devices."""

_TEXTS = {
    "topicName": "topic",
    "frameName": "frame_id",
    "imageSuffix": "image_suffix",
    "cameraInfoSuffix": "camera_info_suffix",
    "pointCloudSuffix": "point_cloud_suffix",
}
"""Parameters by the name of a setting that is a text."""


def device_tags(item: Item) -> DeviceTag:
    """Read a `<device reference type>` with its `<ros>` settings.

    In addition to webots_ros2's tags, `<fields>` contains fields of the node in the format of a world file.

    Raises:
        SceneError: a setting has an invalid value.
    """
    ros, fields = item.first("ros"), item.first("fields")
    enabled, settings = _ros_settings(ros) if ros is not None else (True, {})
    return DeviceTag(
        required(item, "reference"),
        item.fields.get("type", "").strip(),
        enabled,
        settings,
        fields.content if fields is not None else "",
        item.source,
        fields.source if fields is not None else item.source,
        item.fields.get("name", "").strip(),
    )


def named_tags(tags: Iterable[DeviceTag]) -> list[DeviceTag]:
    """Return the tags with device names: `REFERENCE_type` if a link has several tags without a name."""
    tags = list(tags)
    counts = Counter(tag.reference for tag in tags)
    return [replace(tag, name=tag.name or _default_name(tag, counts[tag.reference] > 1)) for tag in tags]


def _default_name(tag: DeviceTag, is_one_of_several: bool) -> str:
    return f"{tag.reference}_{tag.type_name.lower()}" if is_one_of_several else tag.reference


def composite_tag(item: Item) -> CompositeTag | None:
    """Read a `<plugin type=…>` that combines devices; None: it is another plugin, or is not enabled.

    Raises:
        SceneError: it names too few devices, or a setting has an invalid value.
    """
    kind, types, least = _COMPOSITES.get(item.fields.get("type", ""), ("", {}, 0))
    if not kind:
        return None
    enabled, settings = _ros_settings(item)
    named = {tag.name: tag.content.strip() for _, tag in item.children if tag.name in types}
    devices = {named[name]: kind for name, kind in types.items() if name in named}
    if len(devices) < least:
        found = f"{item.fields['type']} with {len(devices)} devices"
        names = ", ".join(f"<{name}>" for name in types)
        raise SceneError(*item.source, found, f"{least} or more of {names}")
    return CompositeTag(kind, devices, settings, item.source) if enabled else None


def plugin_tag(item: Item) -> PluginTag | None:
    """Read a `<plugin type="package.module.Class">`, a Python class; None: it is another plugin."""
    name = item.fields.get("type", "").strip()
    if not _IN_PYTHON.fullmatch(name):
        return None
    return PluginTag(name, {tag.name: tag.content for _, tag in item.children}, item.source)


def _ros_settings(item: Item) -> tuple[bool, dict[str, object]]:
    """Return whether it is enabled, and the ROS parameters."""
    settings: dict[str, object] = {}
    enabled = True
    for _, tag in item.children:
        text = tag.content.strip()
        if tag.name == "enabled":
            enabled = _flag(tag)
        elif tag.name == "alwaysOn":
            settings["always_on"] = _flag(tag)
        elif tag.name == "updateRate":
            settings["sampling_period"] = 1.0 / _rate(tag)
        elif tag.name in _TEXTS:
            if not text:
                raise SceneError(*tag.source, f"<{tag.name}> without text", "a name")
            settings[_TEXTS[tag.name]] = text
    return enabled, settings


def control_tags(robot: Item) -> dict[str, ControlTag]:
    """Return the `<ros2_control>` tags of joints, by name.

    Raises:
        SceneError: a value is not a number, or a lower limit is above the upper one.
    """
    found: dict[str, ControlTag] = {}
    for system in _children(robot, "ros2_control"):
        for joint in _children(system, "joint"):
            name = required(joint, "name")
            states = [each for each in _children(joint, "state_interface") if _is_position(each)]
            initial = next((_param(each, "initial_value") for each in states), None)
            limits: dict[str, tuple[float, float]] = {}
            for command in _children(joint, "command_interface"):
                low, high = _param(command, "min"), _param(command, "max")
                low, high = -math.inf if low is None else low, math.inf if high is None else high
                if low > high:
                    found_text = f'min {low:g} of joint "{name}"'
                    raise SceneError(*command.source, found_text, f"no more than max, {high:g}")
                limits[required(command, "name")] = (low, high)
            found[name] = ControlTag(name, initial, limits, joint.source)
    return found


def _is_position(interface: Item) -> bool:
    return interface.fields.get("name") == "position"


def _param(interface: Item, name: str) -> float | None:
    """Return the number of a `<param name=…>`; None: there is none."""
    for item in _children(interface, "param"):
        if item.fields.get("name") == name:
            item.fields["value"] = item.content.strip()
            return number_of(item, "value")
    return None


def actuated_joints(robot: Item, devices: Iterable[DeviceTag], driven: Iterable[str]) -> set[str] | None:
    """Return the joints that have a motor according to other tags; None: no tag is about motors.

    `driven`: joints that Gazebo plugins drive.
    """
    names = set(driven)
    for item in _children(robot, "ros2_control"):
        names |= {
            joint.fields.get("name", "")
            for joint in _children(item, "joint")
            if joint.first("command_interface") is not None
        }
    for item in _children(robot, "transmission"):
        names |= {joint.fields.get("name", "") for joint in _children(item, "joint")}
    names |= {tag.reference for tag in devices if tag.type_name in _MOTORS}
    return names or None


def not_simulated(robot: Item) -> list[SceneError]:
    """Return one warning for each kind of tag without effect, except those of Gazebo."""
    kinds: dict[str, list[Item]] = {}

    def note(kind: str, item: Item) -> None:
        kinds.setdefault(kind, []).append(item)

    for item in _children(robot, "webots"):
        for _, tag in item.children:
            if tag.name == "plugin" and plugin_tag(tag) is not None:
                continue
            if tag.name == "plugin" and tag.fields.get("type") not in (*_COMPOSITES, _CONTROL):
                note(f'<webots> plugin "{tag.fields.get("type", "")}"', tag)
            elif tag.name not in ("plugin", "device"):
                note(f"<webots> {tag.name}", tag)
    for item in _children(robot, "sensor"):
        note("<sensor>", item)
    return [
        SceneError(
            *items[0].source, f"{kind} has no effect" + (f" ({len(items)} times)" if items[1:] else "")
        )
        for kind, items in kinds.items()
    ]


def _children(item: Item, name: str) -> Iterator[Item]:
    return (child for _, child in item.children if child.name == name)


def _flag(tag: Item) -> bool:
    text = tag.content.strip().lower()
    if text not in ("true", "false"):
        raise SceneError(*tag.source, f'<{tag.name}> "{text[:40]}"', "true or false")
    return text == "true"


def _rate(tag: Item) -> float:
    try:
        rate = float(tag.content.strip())
    except ValueError:
        rate = 0.0
    if not 1e-6 < rate < 1e9:
        raise SceneError(*tag.source, f'<{tag.name}> "{tag.content.strip()[:40]}"', "Hz above 0")
    return rate
