"""A point cloud of 28,800 points at 10 Hz through rclpy, from one process to another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure
from benchmarks.rays import world
from benchmarks.scenes import ROOT

COLUMNS, LAYERS, PERIOD = 1800, 16, 0.1
OBJECTS = 50
START_LIMIT = 60.0
PARAMETERS = "odesim: {ros__parameters: {robots: {r: {lidar: {sampling_period: 0.1}}}}}\n"
NODE = (
    "import json, sys\n"
    "from ros_bridge.parameters.options import RunOptions\n"
    "from ros_bridge.node.run import run\n"
    "sys.exit(run(RunOptions(**json.loads(sys.argv[1]))))"
)


def cloud_world() -> str:
    """The field of objects of benchmarks/rays.py, to be seen, with a lidar in its middle."""
    lidar = (
        f"Lidar {{ horizontalResolution {COLUMNS} numberOfLayers {LAYERS} fieldOfView 6.2832 "
        "verticalFieldOfView 0.5 maxRange 30 noise 0.001 }"
    )
    lines = []
    for line in world(OBJECTS).splitlines():
        if "boundingObject" in line and "Plane" not in line:
            geometry = line.split("boundingObject ")[1].rsplit("}", 1)[0].split(" physics")[0].strip()
            line = line.replace(
                "boundingObject", f"children [ Shape {{ geometry {geometry} }} ] boundingObject"
            )
        lines.append(line.replace('"r" translation 0 0 0.3', f'"r" translation 0 0 0.3 children [ {lidar} ]'))
    return "\n".join(lines)


def clouds(seconds: float) -> Iterator[Figure]:
    """How fast the node runs with a subscriber to the cloud, and whether all are heard in real time."""
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    os.environ["ROS_DOMAIN_ID"] = "88"
    import rclpy

    rclpy.init()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "cloud.wbt").write_text(cloud_world(), encoding="utf-8")
        (path / "parameters.yaml").write_text(PARAMETERS, encoding="utf-8")
        options = {"world": str(path / "cloud.wbt"), "params": [str(path / "parameters.yaml")]}
        fast = _run({**options, "mode": "fast"}, seconds)
        real = _run({**options, "mode": "realtime"}, seconds)
    rclpy.shutdown()
    what = f"a cloud of {COLUMNS * LAYERS:,} points at {1 / PERIOD:g} Hz to another process"
    yield Figure(f"{what}, as fast as it goes", fast[0], "times real time")
    yield Figure(f"{what}, in real time", real[0], "times real time", "as fast as asked for", real[0], 0.99)
    yield Figure("clouds heard then", real[1], "", "of those sent", real[1] / real[2], 1.0)


def _run(options: dict[str, object], seconds: float) -> tuple[float, int, int]:
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
    process = subprocess.Popen(
        [sys.executable, "-c", NODE, json.dumps(options)], cwd=ROOT, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + START_LIMIT
    while not heard or heard[-1][1] - heard[0][1] < seconds - PERIOD / 2:
        rclpy.spin_once(node, timeout_sec=0.1)
        if time.monotonic() > end + 3 * seconds:
            break
    process.terminate()
    process.wait()
    node.destroy_node()
    if len(heard) < 2:
        raise RuntimeError("no cloud was heard")
    (first_wall, first_stamp), (last_wall, last_stamp) = heard[0], heard[-1]
    speed = (last_stamp - first_stamp) / (last_wall - first_wall)
    return speed, len(heard), round((last_stamp - first_stamp) / PERIOD) + 1
