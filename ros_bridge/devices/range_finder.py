"""RangeFinder: depth pictures, the camera model, the points in space."""

from __future__ import annotations

from typing import Any

from sensor_msgs.msg import CameraInfo, Image, PointCloud2

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.devices.cameras import camera_info, fill_image, image_constants, nothing_new
from ros_bridge.devices.point_clouds import fill_cloud, space_constants
from ros_bridge.topics.frames import OPTICAL_SUFFIX
from ros_bridge.topics.records import Publication


class RangeFinderBridge(DeviceBridge):
    """`/R/d/image` (REP-118), `/R/d/camera_info`, `/R/d/point_cloud`."""

    def outputs(self) -> list[Publication]:
        """One of each per picture."""
        return [
            Publication("image", Image, _fill_depth, self._image_constants, frame_id=OPTICAL_SUFFIX),
            Publication(
                "camera_info", CameraInfo, nothing_new, self._info_constants, frame_id=OPTICAL_SUFFIX
            ),
            Publication("point_cloud", PointCloud2, self._fill_cloud, space_constants),
        ]

    def _image_constants(self, message: Any) -> None:
        image_constants(message, self.device.view, "32FC1", 4)

    def _info_constants(self, message: Any) -> None:
        camera_info(message, self.device.view)

    def _fill_cloud(self, message: Any, reading: Any) -> None:
        """Points in the frame of the device, x ahead; NaN where there is no depth: rows and columns stay."""
        fill_cloud(message, self.device.points(reading))


def _fill_depth(message: Any, reading: Any) -> None:
    """m, float32."""
    fill_image(message, reading.value)


BRIDGE = RangeFinderBridge
