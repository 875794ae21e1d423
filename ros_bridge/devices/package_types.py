"""Devices in message types of vision_msgs and webots_ros2_msgs, if these packages are installed.

Detection2DArray is published beside a camera's recognized objects in all layouts; the layout `webots_ros2`
uses the types of its driver. (webots_ros2_driver/src/plugins, https://github.com/cyberbotics/webots_ros2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.devices.cameras import to_optical
from ros_bridge.topics.conversions import fill_pose, messages_of
from ros_bridge.topics.frames import OPTICAL
from ros_bridge.topics.records import Publication, Subscription
from sim_core.base.geometry import Pose, multiply, transposed
from sim_core.session.pipeline import Action

RECOGNITIONS = "recognitions"
VISION, WEBOTS = "vision_msgs", "webots_ros2_msgs"
Outputs = list[Publication]


def outputs_of(bridge: DeviceBridge) -> Outputs:
    """Return the topics that a device publishes, including those in types of installed packages."""
    kind, found = bridge.device.spec.type_name, bridge.outputs()
    vision, webots = messages_of(VISION), messages_of(WEBOTS)
    is_webots = bridge.style.as_webots_ros2
    if is_webots and webots is not None:
        changed = {name: (getattr(webots, kind), fill) for name, kind, fill in _STAMPED.get(kind, ())}
        found = [_in_type(each, *changed[each.name]) if each.name in changed else each for each in found]
        if vision is not None:  # webots_ros2_msgs depends on vision_msgs
            fill = partial(_fill_webots_objects, bridge.device, webots.CameraRecognitionObject)
            found += _beside(found, f"{RECOGNITIONS}/webots", webots.CameraRecognitionObjects, fill)
    if vision is not None:
        name = RECOGNITIONS if is_webots else f"{RECOGNITIONS}/detections"
        added = _beside(found, name, vision.Detection2DArray, partial(_fill_detections, bridge.device))
        found = [each for each in found if not added or each.name != name] + added
    return found


def inputs_of(bridge: DeviceBridge) -> list[Subscription]:
    """Return the topics that command a device, including those in types of installed packages."""
    found = bridge.inputs()
    if bridge.device.spec.type_name == "Pen" and (webots := messages_of(WEBOTS)) is not None:
        found.append(Subscription("set_ink_color", webots.PenInkProperties, partial(_ink, bridge)))
    return found


def _in_type(output: Publication, kind: type, fill: Callable[[Any, Any], None] | None) -> Publication:
    return replace(output, message_type=kind, fill=fill or output.fill)


def _beside(outputs: Outputs, name: str, kind: type, fill: Callable[[Any, Any], None]) -> Outputs:
    """Return a further topic of recognized objects, if there is one."""
    first = next((each for each in outputs if each.name == RECOGNITIONS), None)
    return [] if first is None else [Publication(name, kind, fill, frame_id=first.frame_id)]


def _fill_text(message: Any, packet: Any) -> None:
    """Fill a StringStamped with a packet, as text up to its first 0."""
    message.data = bytes(packet.data).partition(b"\0")[0].decode(errors="replace")


def _fill_detections(camera: Any, message: Any, reading: Any) -> None:
    """Fill a Detection2DArray: rectangles in pixels, poses in m in optical axes."""
    from vision_msgs.msg import Detection2D, ObjectHypothesisWithPose

    message.detections = []
    for item in reading.objects:
        found = ObjectHypothesisWithPose()
        fill_pose(found.pose.pose, optical_pose(item))
        found.hypothesis.class_id, found.hypothesis.score = item.model, 1.0
        detection = Detection2D(header=message.header, results=[found], id=str(item.id))
        _fill_box(camera, detection.bbox, item)
        message.detections.append(detection)


def _fill_webots_objects(camera: Any, kind: Any, message: Any, reading: Any) -> None:
    """Fill a CameraRecognitionObjects in the same way, with colours and models."""
    from std_msgs.msg import ColorRGBA

    message.objects = []
    for item in reading.objects:
        found = kind(id=item.id, model=item.model)
        found.colors = [ColorRGBA(r=red, g=green, b=blue) for red, green, blue in item.colors]
        found.pose.header = message.header
        fill_pose(found.pose.pose, optical_pose(item))
        _fill_box(camera, found.bbox, item)
        message.objects.append(found)


def optical_pose(item: Any) -> Pose:
    """Return the pose of a recognized object in optical axes: centre and orientation of its box."""
    return Pose(to_optical(item.position), multiply(transposed(OPTICAL.rotation), item.pose.rotation))


def _fill_box(camera: Any, box: Any, item: Any) -> None:
    """Fill a BoundingBox2D with pixels."""
    left, top, right, bottom = item.image
    box.center.position.x = (left + right) / 2.0 * camera.width
    box.center.position.y = (top + bottom) / 2.0 * camera.height
    box.size_x, box.size_y = (right - left) * camera.width, (bottom - top) * camera.height


def _ink(bridge: DeviceBridge, message: Any) -> tuple[Action, ...]:
    """Convert a PenInkProperties, whose colour is 0xRRGGBB."""
    parts = tuple((message.color >> shift & 0xFF) / 255.0 for shift in (16, 8, 0))
    return bridge.device_command("set_ink", colour=parts, density=message.density)


_STAMPED: dict[str, tuple[tuple[str, str, Callable[[Any, Any], None] | None], ...]] = {
    "Compass": (("bearing", "FloatStamped", None),),
    "Receiver": (("data", "StringStamped", _fill_text), ("signal_strength", "FloatStamped", None)),
    "VacuumGripper": (("presence", "BoolStamped", None),),
}
"""By node type: a topic, its type in webots_ros2_msgs, and its fill function if it needs its own."""
