"""Cameras of Gazebo as fields of a Camera and a RangeFinder, and the ROS topics of their pictures."""

from __future__ import annotations

import math
from typing import NamedTuple

from sim_core.scene.gazebo.noise import noise_in
from sim_core.scene.gazebo.ros_node import RosNode, frame_name
from sim_core.scene.gazebo.tags import Tag

FRAMES = ("gz_frame_id", "ignition_frame_id", "frame_id")
FORMATS = ("R8G8B8", "RGB_INT8", "B8G8R8", "BGR_INT8", "R_FLOAT32", "FLOAT32")
PLUGINS = ("gazebo_ros_camera", "gazebo_ros_depth_camera", "gazebo_ros_openni_kinect")
NARROWEST = 1e-3
"""Least field of view in rad for which a lens is set."""
_CENTRE = (0.5, 0.5)


class CameraElement(NamedTuple):
    """Values of a `<camera>`: pixels, m, rad; `tag` is the element."""

    tag: Tag
    width: int
    height: int
    near: float
    far: float
    angle: float


def camera_element(sensor: Tag) -> CameraElement:
    """Return the camera element of a sensor.

    Raises:
        SceneError: a number is invalid.
    """
    camera = sensor.first("camera") or sensor
    image, ends = camera.first("image") or camera, camera.first("clip") or camera
    image.expect("format", *FORMATS)
    width, height = image.number("width", 320.0), image.number("height", 240.0)
    angle = camera.number("horizontal_fov", 1.047)
    own = camera.at("lens", "intrinsics")
    if own is not None:
        length = own.number("fx", 0.0)
        angle = 2.0 * math.atan(width / (2.0 * length)) if length > 0.0 else angle
        for name, value in (("fy", length), ("cx", width / 2.0), ("cy", height / 2.0), ("s", 0.0)):
            own.expect(name, value)
    near, far = ends.number("near", 0.1), ends.number("far", 100.0)
    return CameraElement(camera, int(width), int(height), near, far, angle)


def camera_fields(view: CameraElement, has_lens: bool = True) -> str:
    """Return the fields of a Camera; without a lens `<distortion>` is listed as without effect."""
    noise = noise_in(view.tag)
    if noise.mean and (found := view.tag.at("noise", "mean")) is not None:
        found.ignore()
    fields = f"{_size(view)} near {view.near:.17g} far {view.far:.17g}"
    return f"{fields} noise {noise.deviation:.17g}{_lens(view) if has_lens else ''}"


def range_finder_fields(view: CameraElement) -> tuple[str, dict[str, object]]:
    """Return the fields of a RangeFinder, and its settings."""
    noise = noise_in(view.tag)
    fields = f"{_size(view)} minRange {view.near:.17g} maxRange {view.far:.17g}"
    fields += f" noise {noise.deviation / (view.far or 1.0):.17g}"
    return fields, noise._replace(deviation=0.0).settings


def _size(view: CameraElement) -> str:
    return f"width {view.width} height {view.height} fieldOfView {view.angle:.17g}"


def _lens(view: CameraElement) -> str:
    """Return `<distortion>`, in units of focal length as in ROS, as a Lens, in units of picture width."""
    tag = view.tag.first("distortion")
    if tag is None:
        return ""
    k1, k2, p1, p2 = (tag.number(name, 0.0) for name in ("k1", "k2", "p1", "p2"))
    tag.expect("k3", 0.0)
    centre = tag.first("center")
    if centre is not None and tuple(centre.numbers(2)) != _CENTRE:
        centre.ignore()
    if not any((k1, k2, p1, p2)) or not NARROWEST < view.angle < math.pi:
        return ""
    part = 1.0 / (2.0 * math.tan(view.angle / 2.0))  # focal length in widths
    radial = f"radialCoefficients {k1 / part**2:.17g} {k2 / part**4:.17g}"
    return f" lens Lens {{ {radial} tangentialCoefficients {p1 / part:.17g} {p2 / part:.17g} }}"


def frame_setting(sensor: Tag, view: CameraElement) -> dict[str, object]:
    """Return the frame in the headers of pictures, as written."""
    frame = view.tag.word("optical_frame_id") or sensor.word(*FRAMES)
    return {"image_frame": frame_name(frame)} if frame else {}


class PictureTopics:
    """Topic names of pictures; each name is used once in a file."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def camera_info_topic(self, image: str, view: CameraElement) -> str:
        """Return the topic of the camera model: as written, else `camera_info` beside the pictures.

        If another camera has that topic, it is below the topic of the pictures.
        """
        written = view.tag.word("camera_info_topic")
        found = f"/{written.lstrip('/')}" if written else f"{image.rpartition('/')[0]}/camera_info"
        found = f"{image}/camera_info" if found in self._taken else found
        self._taken.add(found)
        return found

    def of_camera(self, topic: str, view: CameraElement) -> dict[str, object]:
        """Return the settings of a camera: pictures on the topic itself."""
        return (
            {"image_topic": topic, "camera_info_topic": self.camera_info_topic(topic, view)} if topic else {}
        )

    def of_depth(self, topic: str, view: CameraElement) -> dict[str, object]:
        """Return the settings of a depth camera: pictures on the topic itself, points below it."""
        found = self.of_camera(topic, view)
        return found | {"point_cloud_topic": f"{topic}/points"} if topic else {}


def of_rgbd(topic: str) -> tuple[dict[str, object], dict[str, object]]:
    """Return the settings of the Camera and of the RangeFinder of one sensor, with points on
    `TOPIC/points`."""
    if not topic:
        return {}, {}
    colour: dict[str, object] = {"image_topic": f"{topic}/image", "camera_info_topic": f"{topic}/camera_info"}
    depth: dict[str, object] = {
        "image_topic": f"{topic}/depth_image",
        "camera_info_topic": f"{topic}/depth_image/camera_info",
        "point_cloud_topic": f"{topic}/depth_image/points",
    }
    return colour, depth


def classic_settings(plugin: Tag, sensor_name: str, is_depth: bool) -> dict[str, object]:
    """Return topics and frame of a picture as a plugin of Gazebo Classic sets them."""
    node = RosNode(plugin)
    name = plugin.word("camera_name", "cameraName") or sensor_name
    image = plugin.word("imageTopicName", "image_topic_name") or "image_raw"
    info = plugin.word("cameraInfoTopicName", "camera_info_topic_name") or "camera_info"
    depth = "depth/" if is_depth else ""
    found: dict[str, object] = {
        "image_topic": _remapped(node, name, f"{depth}{image}"),
        "camera_info_topic": _remapped(node, name, f"{depth}{info}"),
    }
    if is_depth:
        found["point_cloud_topic"] = _remapped(node, name, "points")
    if frame := plugin.word("frame_name", "frameName"):
        found["image_frame"] = frame_name(frame)
    return found


def _remapped(node: RosNode, camera: str, name: str) -> str:
    """Return a topic of a camera; remapping rules name it completely or relative to the camera's name."""
    return node.remapped(f"{camera}/{name}") or node.remapped(name) or node.topic(f"{camera}/{name}")
