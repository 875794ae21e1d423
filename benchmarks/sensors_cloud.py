"""A point cloud of 28,800 points at 10 Hz through rclpy, from one process to another."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure
from benchmarks.rays import world
from benchmarks.running import running

COLUMNS, LAYERS, PERIOD = 1800, 16, 0.1
OBJECTS = 50
START_LIMIT = 60.0
PARAMETERS = "odesim: {ros__parameters: {robots: {r: {lidar: {sampling_period: 0.1}}}}}\n"
LIDAR = (
    f"Lidar {{ horizontalResolution {COLUMNS} numberOfLayers {LAYERS} fieldOfView 6.2832 "
    "verticalFieldOfView 0.5 maxRange 30 noise 0.001 }"
)


def clouds(seconds: float) -> Iterator[Figure]:
    """How fast the node runs with a subscriber to the cloud, and whether all are heard in real time."""
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    os.environ["ROS_DOMAIN_ID"] = "88"
    import rclpy

    rclpy.init()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "cloud.wbt").write_text(world(OBJECTS, LIDAR, seen=True), encoding="utf-8")
        (path / "parameters.yaml").write_text(PARAMETERS, encoding="utf-8")
        run = ("run", str(path / "cloud.wbt"), "--params", str(path / "parameters.yaml"), "--mode")
        fast, real = _heard(seconds, *run, "fast"), _heard(seconds, *run, "realtime")
    rclpy.shutdown()
    what = f"a cloud of {COLUMNS * LAYERS:,} points at {1 / PERIOD:g} Hz to another process"
    yield Figure(f"{what}, as fast as it goes", fast[0], "times real time")
    yield Figure(f"{what}, in real time", real[0], "times real time", "as fast as asked for", real[0], 0.99)
    yield Figure("clouds heard then", real[1], "", "of those sent", real[1] / real[2], 1.0)


def _heard(seconds: float, *words: str) -> tuple[float, int, int]:
    """Speed between the first and the last cloud heard, how many were heard, and how many were to be."""
    import rclpy
    from sensor_msgs.msg import PointCloud2

    node = rclpy.create_node("listener")
    heard: list[tuple[float, float]] = []

    def hear(message: PointCloud2) -> None:
        points = np.frombuffer(message.data, np.float32).reshape(-1, 3)
        if len(points) != COLUMNS * LAYERS or not np.isfinite(points).any():
            raise RuntimeError("a cloud that is no cloud")
        heard.append((time.monotonic(), message.header.stamp.sec + message.header.stamp.nanosec * 1e-9))

    node.create_subscription(PointCloud2, "/r/lidar/point_cloud", hear, 10)
    with running("ros_bridge.cli", *words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        end = time.monotonic() + START_LIMIT
        while not heard or heard[-1][1] - heard[0][1] < seconds - PERIOD / 2:
            rclpy.spin_once(node, timeout_sec=0.1)
            if time.monotonic() > end + 3 * seconds:
                break
    node.destroy_node()
    if len(heard) < 2:
        raise RuntimeError("no cloud was heard")
    (first_wall, first_stamp), (last_wall, last_stamp) = heard[0], heard[-1]
    speed = (last_stamp - first_stamp) / (last_wall - first_wall)
    return speed, len(heard), round((last_stamp - first_stamp) / PERIOD) + 1
