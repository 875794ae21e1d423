"""Lidar as sensor_msgs/LaserScan and PointCloud2; the frequency of a rotating head as input."""

from __future__ import annotations

import math
from array import array
from typing import Any

import numpy as np
from sensor_msgs.msg import LaserScan, PointCloud2

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.devices.point_clouds import fill_cloud, space_constants
from ros_bridge.topics.conversions import fill_time
from ros_bridge.topics.records import Publication, Subscription

TINY = 1e-9
"""rad"""


def _closes(angles: Any) -> bool:
    """Return whether equally spaced angles divide a full circle."""
    count = len(angles)
    return count > 1 and abs((angles[-1] - angles[0]) * count / (count - 1) - 2.0 * math.pi) < TINY


class LidarBridge(DeviceBridge):
    """`/R/d` if there is one layer with equal angles, `/R/d/point_cloud`; `/R/d/frequency` in.

    The scan of a full circle by a fixed head starts at the angle of its style, or behind the device. Points
    without a distance are NaN, so that rows of a cloud are layers and its columns angles.
    """

    def outputs(self) -> list[Publication]:
        """Return the topics, with one message each per scan."""
        cloud = Publication("point_cloud", PointCloud2, self._fill_cloud, space_constants)
        if self.device.layers > 1 or self.device.azimuths is None:
            return [cloud]
        self.device.measures_intensity = not self.device.is_rotating
        angles, start = self.device.azimuths, self.style.scan_from
        self._first = 0
        if start is not None and not self.device.is_rotating and _closes(angles):
            lowest = 2.0 * angles[0] - angles[1]  # angle of one ray before the first
            start += 2.0 * math.pi if start < lowest - TINY else 0.0
            self._first = int(np.searchsorted(angles, start - TINY))
        return [Publication("", LaserScan, self._fill_scan, self._fill_scan_constants), cloud]

    def inputs(self) -> list[Subscription]:
        """Return the topic for the frequency of a rotating head, Hz."""
        return self.command_topics({"frequency": "set_frequency"}) if self.device.is_rotating else []

    def _fill_scan_constants(self, message: Any) -> None:
        """Fill angles and limits; for a fixed head also intensities."""
        angles = np.roll(self.device.azimuths, -self._first)
        if self._first and angles[0] > math.pi - TINY:  # the circle starts behind the device
            angles = angles - 2.0 * math.pi
        angles = np.where(angles < angles[0], angles + 2.0 * math.pi, angles)
        message.angle_min, message.angle_max = float(angles[0]), float(angles[-1])
        count = len(angles)
        message.angle_increment = float(angles[-1] - angles[0]) / (count - 1) if count > 1 else 0.0
        message.range_min, message.range_max = self.device.min_range, self.device.max_range
        message.ranges = array("f", bytes(4 * count))
        if self.device.measures_intensity:
            message.intensities = array("f", bytes(4 * count))

    def _fill_scan(self, message: Any, reading: Any) -> None:
        """Fill distances counter-clockwise; with a rotating head each ray has its own time."""
        message.scan_time = self.device.scan_seconds
        if self.device.is_rotating:
            message.time_increment = message.scan_time / len(message.ranges)
            fill_time(message.header.stamp, self._start_ns(reading))
        np.frombuffer(message.ranges, np.float32)[:] = self._from_first(reading.value[0])
        if reading.intensity is not None:
            np.frombuffer(message.intensities, np.float32)[:] = self._from_first(reading.intensity[0])

    def _from_first(self, values: Any) -> Any:
        """Reorder rays to the order of the message."""
        return np.roll(values, -self._first) if self._first else values

    def _fill_cloud(self, message: Any, reading: Any) -> None:
        if self.device.is_rotating:
            fill_time(message.header.stamp, self._start_ns(reading))
        fill_cloud(message, reading.points)

    def _start_ns(self, reading: Any) -> int:
        """Return the time at which the revolution began, to the step."""
        return max(0, reading.time_ns - round(self.device.scan_seconds * 1e9))


BRIDGE = LidarBridge
