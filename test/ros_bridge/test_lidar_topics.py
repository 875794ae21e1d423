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
    clouds: list[PointCloud2] = client.listen(PointCloud2, "/r/layers/point_cloud")
    scans: list[LaserScan] = client.listen(LaserScan, "/r/spinner")
    client.until(lambda: len(clouds) >= 2 and scans, "the first clouds and scans")
    first, start = len(clouds), time.monotonic()
    client.until(lambda: len(clouds) >= first + CLOUDS, f"{CLOUDS} clouds")
    took = time.monotonic() - start
    heard = clouds[first - 1 : first + CLOUDS]
    assert np.diff([stamp(cloud) for cloud in heard]) == pytest.approx([0.1] * CLOUDS)
    assert took < 1.25 * 0.1 * CLOUDS  # real time, but for what else this machine does
    cloud = heard[-1]
    assert (cloud.height, cloud.width, cloud.header.frame_id) == (16, 1800, "r/layers")
    points = np.frombuffer(cloud.data, np.float32).reshape(16, 1800, 3)
    ahead = points[7, 850:950]
    assert np.abs(ahead[:, 0] - 5.0).max() < 0.05
    assert np.diff([stamp(scan) for scan in scans[1:]]) == pytest.approx([0.1] * (len(scans) - 2))
    assert scans[1].ranges[0] == pytest.approx(5.0)
