"""RangeFinder: depth pictures, camera model, point cloud."""

from __future__ import annotations

from typing import Any

from sensor_msgs.msg import PointCloud2

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.devices.cameras import image_topic, info_topic
from ros_bridge.devices.point_clouds import fill_cloud, space_constants
from ros_bridge.topics.records import Publication


class RangeFinderBridge(DeviceBridge):
    """`/R/d/image` (REP-118, m, float32), `/R/d/camera_info`, `/R/d/point_cloud`."""

    def outputs(self) -> list[Publication]:
        """Return the topics, with one message each per picture."""
        return [
            image_topic("image", self.device.view, "32FC1"),
            info_topic("camera_info", self.device, zooms=False),
            Publication("point_cloud", PointCloud2, self._fill_cloud, space_constants),
        ]

    def _fill_cloud(self, message: Any, reading: Any) -> None:
        """Fill points in the device's frame, x ahead; NaN without depth, to keep rows and columns."""
        fill_cloud(message, self.device.points_of(reading))


BRIDGE = RangeFinderBridge
