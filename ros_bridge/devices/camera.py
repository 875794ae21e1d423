"""Camera: raw and compressed pictures, camera model, recognized objects; settings as inputs."""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sensor_msgs.msg import CompressedImage, PointCloud2

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.devices.cameras import (
    encoded,
    fill_image,
    image_topic,
    info_topic,
    to_optical,
)
from ros_bridge.devices.point_clouds import fill_cloud, fill_cloud_constants
from ros_bridge.topics.frames import OPTICAL_SUFFIX
from ros_bridge.topics.records import Publication, Subscription

OBJECT_FIELDS = (
    *("x", "y", "z", "size_x", "size_y", "size_z"),
    *("left", "top", "right", "bottom", "id", "red", "green", "blue"),
)


class CameraBridge(DeviceBridge):
    """`/R/d/image_color`, `/R/d/image_color/compressed`, `/R/d/camera_info`; with a Recognition node also
    `/R/d/recognitions` and `/R/d/segmentation`.

    In: `/R/d/exposure`; with a Zoom node `/R/d/fov`, with a Focus node `/R/d/focal_distance`.
    """

    def outputs(self) -> list[Publication]:
        """Return the topics, with one message each per picture."""
        view, suffix = self.device.view, OPTICAL_SUFFIX
        jpeg = (CompressedImage, self._fill_jpeg, _jpeg_constants)
        found = [
            image_topic("image_color", view, "mono8" if self.device.is_grey else "bgra8"),
            Publication("image_color/compressed", *jpeg, frame_id=suffix),
            info_topic("camera_info", self.device, zooms=self.device.zoom is not None),
        ]
        if self.device.has_recognition:
            layout = partial(fill_cloud_constants, fields=OBJECT_FIELDS, is_dense=True)
            found.append(
                Publication("recognitions", PointCloud2, self._fill_objects, layout, frame_id=suffix)
            )
        if self.device.has_segmentation:
            found.append(replace(image_topic("segmentation", view, "bgra8"), fill=_fill_segmentation))
        return found

    def inputs(self) -> list[Subscription]:
        """Return the settings, a number each: rad, m, and a factor."""
        found = {"exposure": "set_exposure"}
        if self.device.zoom is not None:
            found["fov"] = "set_fov"
        if self.device.focal_limits is not None:
            found["focal_distance"] = "set_focal_distance"
        return self.command_topics(found)

    def _fill_jpeg(self, message: Any, reading: Any) -> None:
        message.data = array("B", encoded(reading.value, "jpeg"))

    def _fill_objects(self, message: Any, reading: Any) -> None:
        """Fill centre and size of each object in m, optical axes; rectangle in pixels; id; first colour."""
        width, height = self.device.width, self.device.height
        rows = []
        for item in reading.objects:
            left, top, right, bottom = item.image
            across, up = item.size[1], item.size[2]
            rectangle = (left * width - 0.5, top * height - 0.5, right * width - 0.5, bottom * height - 0.5)
            rows.append(
                (
                    *to_optical(item.position),
                    *(across, up, item.size[0]),
                    *rectangle,
                    item.id,
                    *item.colors[0],
                )
            )
        fill_cloud(message, np.array(rows, np.float64).reshape(1, -1, len(OBJECT_FIELDS)))


def _jpeg_constants(message: Any) -> None:
    message.format = "bgra8; jpeg compressed bgr8"  # the format string of image_transport


def _fill_segmentation(message: Any, reading: Any) -> None:
    seen = reading.segmentation
    fill_image(message, np.zeros((*reading.value.shape[:2], 4), np.uint8) if seen is None else seen)


BRIDGE = CameraBridge
