"""Lidars."""

from __future__ import annotations

import math
from array import array
from typing import Any, NamedTuple

from .connection import print_error
from .device import Sensor, number_field


class LidarPoint(NamedTuple):
    """A point of a point cloud in the lidar's axes; coordinates of points out of range are infinite."""

    x: float
    y: float
    z: float
    layer_id: int
    time: float


class Lidar(Sensor):
    """Measures ranges in m, layers from the top, each from left to right; infinite: nothing in range."""

    def getRangeImage(self, data_type: str = "list") -> Any:
        """Return a list, or with `buffer` the bytes of 32-bit floats."""
        reading = self._reading("getRangeImage")
        ranges = self._blank(4 * self.getNumberOfPoints()) if reading is None else reading["ranges"]
        return ranges if ranges is None or data_type == "buffer" else array("f", ranges).tolist()

    def getLayerRangeImage(self, layer: int) -> list[float] | None:
        image, width = self.getRangeImage(), self.getHorizontalResolution()
        if image is None or not self._has_layer("getLayerRangeImage", layer):
            return None
        return list(image[layer * width : (layer + 1) * width])

    def getRangeImageArray(self) -> list[list[float]] | None:
        """Return ranges as [column][layer]."""
        image, width = self.getRangeImage(), self.getHorizontalResolution()
        return None if image is None else [image[column::width] for column in range(width)]

    def enablePointCloud(self) -> None:
        self._set("cloud", True)
        self._say("cloud", True)

    def disablePointCloud(self) -> None:
        self._set("cloud", False)
        self._say("cloud", False)

    def isPointCloudEnabled(self) -> bool:
        return bool(self._get("cloud", False))

    def getPointCloud(self, data_type: str = "list") -> Any:
        """Return points; with `buffer` bytes: x, y, z (32-bit floats), layer (32 bits), time (float)."""
        reading = self._reading("getPointCloud")
        if not self.isPointCloudEnabled():
            print_error(
                f'Error: Lidar.getPointCloud() called for "{self.name}", whose point cloud is not enabled'
            )
            return None
        width = self.getHorizontalResolution()
        data = self._blank(12 * self.getNumberOfPoints()) if reading is None else reading.get("points")
        if data is None:
            return None
        numbers = array("f", data)
        points = [
            LidarPoint(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2], i // width, 0.0)
            for i in range(len(numbers) // 3)
        ]
        if data_type == "buffer":
            import struct

            return b"".join(struct.pack("fffif", *point) for point in points)
        return points

    def getLayerPointCloud(self, layer: int, data_type: str = "list") -> Any:
        if not self._has_layer("getLayerPointCloud", layer):
            return None
        cloud, width = self.getPointCloud(data_type), self.getHorizontalResolution()
        size = width * (20 if data_type == "buffer" else 1)
        return None if cloud is None else cloud[layer * size : (layer + 1) * size]

    def getNumberOfPoints(self) -> int:
        return self.getHorizontalResolution() * self.getNumberOfLayers()

    def getHorizontalResolution(self) -> int:
        return int(self._info.get("width", 0))

    def getNumberOfLayers(self) -> int:
        return int(self._field("numberOfLayers", 0))

    getMinRange = number_field("minRange")
    getMaxRange = number_field("maxRange")
    getVerticalFov = number_field("verticalFieldOfView")
    getMinFrequency = number_field("minFrequency")
    getMaxFrequency = number_field("maxFrequency")

    def getFov(self) -> float:
        """Return the horizontal field of view, rad; 2π for a rotating lidar."""
        return 2.0 * math.pi if self._is_rotating else float(self._field("fieldOfView"))

    def getFrequency(self) -> float:
        return float(self._get("frequency", self._field("defaultFrequency")))

    def setFrequency(self, frequency: float) -> None:
        if self._numbers("setFrequency", frequency=frequency):
            self._set("frequency", float(frequency))
            self._say("set_frequency", float(frequency))

    @property
    def _is_rotating(self) -> bool:
        return str(self._field("type", "fixed")).lower() == "rotating"

    def _has_layer(self, method: str, layer: int) -> bool:
        count = self.getNumberOfLayers()
        if 0 <= layer < count:
            return True
        print_error(f"Error: Lidar.{method}() called with layer {layer}, expected 0 to {count - 1}")
        return False

    range_image = property(getRangeImage)
    point_cloud = property(getPointCloud)
    number_of_points = property(getNumberOfPoints)
    horizontal_resolution = property(getHorizontalResolution)
    number_of_layers = property(getNumberOfLayers)
    min_range = property(getMinRange)
    max_range = property(getMaxRange)
    fov = property(getFov)
    vertical_fov = property(getVerticalFov)
    frequency = property(getFrequency, setFrequency)
    min_frequency = property(getMinFrequency)
    max_frequency = property(getMaxFrequency)
