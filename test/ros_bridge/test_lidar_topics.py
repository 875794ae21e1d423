"""A large point cloud and a scan through DDS, from a simulation in its own process."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import LaserScan, PointCloud2

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Solid { name "room" children [ Shape { geometry Box { size 0.2 40 6 } } ] translation 5.1 0 0 }
Robot { name "r" controller "void" children [
  Lidar { name "layers" fieldOfView 3 horizontalResolution 1800 numberOfLayers 16 verticalFieldOfView 0.4
    maxRange 80 noise 0.0001 }
  Lidar { name "spinner" type "rotating" numberOfLayers 1 horizontalResolution 360 maxRange 80 }
] }
"""
PARAMETERS = "odesim: {ros__parameters: {robots: {r: {layers: {sampling_period: 0.1}}}}}\n"
CLOUDS = 20


def stamp(message: Any) -> float:
    return float(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)


def test_28800_points_ten_times_a_second_and_a_scan_for_each_revolution(
    tmp_path: Path, simulate: Callable[..., Any], client: Any
) -> None:
    (tmp_path / "lidar.wbt").write_text(WORLD, encoding="utf-8")
    (tmp_path / "parameters.yaml").write_text(PARAMETERS, encoding="utf-8")
    simulate(tmp_path / "lidar.wbt", params=[str(tmp_path / "parameters.yaml")], mode="realtime")
    scans: list[LaserScan] = client.listen(LaserScan, "/r/spinner")
    clouds: list[PointCloud2] = []
    came: list[float] = []

    def take(cloud: PointCloud2) -> None:
        clouds.append(cloud)
        came.append(time.monotonic())

    client.node.create_subscription(PointCloud2, "/r/layers/point_cloud", take, 200)
    client.until(lambda: len(scans) > 2, "the first scans")

    def in_real_time() -> bool:
        """The last ones, but for what else this machine does."""
        return len(came) > CLOUDS and came[-1] - came[-1 - CLOUDS] < 1.25 * 0.1 * CLOUDS

    client.until(in_real_time, f"{CLOUDS} clouds in real time")
    heard = clouds[-1 - CLOUDS :]
    assert np.diff([stamp(cloud) for cloud in heard]) == pytest.approx([0.1] * CLOUDS)
    cloud = heard[-1]
    assert (cloud.height, cloud.width, cloud.header.frame_id) == (16, 1800, "r/layers")
    points = np.frombuffer(cloud.data, np.float32).reshape(16, 1800, 3)
    ahead = points[7, 850:950]
    assert np.abs(ahead[:, 0] - 5.0).max() < 0.05
    assert np.diff([stamp(scan) for scan in scans[1:]]) == pytest.approx([0.1] * (len(scans) - 2))
    assert scans[1].ranges[0] == pytest.approx(5.0)
