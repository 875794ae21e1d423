"""LaserScan and PointCloud2 contain the lidar's measurements, with the right angles and times."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest
from obeying import obey
from sensor_msgs.msg import LaserScan, PointCloud2, PointField

from ros_bridge.devices import make_bridge
from ros_bridge.devices.base import PLAIN, Style
from sim_core.base.errors import CommandError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

FLAT = "numberOfLayers 1 verticalFieldOfView 0 maxRange 10"


def simulation(fields: str) -> Simulation:
    """A lidar in front of a post ahead on the left and a wall behind."""
    shape = "children [ Shape {{ geometry {} }} ]".format
    post = f"translation 2 2 0 {shape('Sphere { radius 0.5 }')}"
    wall = f"translation -3 0 0 {shape('Box { size 0.1 4 4 }')}"
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }}
    Solid {{ name "post" {post} }}
    Solid {{ name "wall" {wall} }}
    Robot {{ name "r" children [ Lidar {{ {fields} }} ] }}"""
    return Simulation(parse_scene(text, "w.wbt"))


def outputs(device: Any, style: Style = PLAIN) -> dict[str, Any]:
    return {output.name: output for output in make_bridge(device, style).outputs()}


def message_of(output: Any, reading: Any) -> Any:
    message = output.message_type()
    output.constants(message)
    output.fill(message, reading)
    return message


def test_a_whole_circle_may_start_ahead_each_ray_keeps_its_direction() -> None:
    """Angles as TurtleBot3's: first the rays from 0 to π, then those from -π to 0, at angles 2π greater."""
    sim = simulation(f"horizontalResolution 360 fieldOfView 6.28318 noise 0.01 {FLAT}")
    sim.step()
    device = sim.robot("r")["lidar"]
    plain, ahead = (
        message_of(outputs(device, style)[""], device.reading) for style in (PLAIN, Style(scan_from=0.0))
    )
    assert (plain.angle_max, ahead.angle_min) == (pytest.approx(math.pi), pytest.approx(0.0, abs=1e-9))
    assert ahead.angle_max == pytest.approx(2.0 * math.pi - ahead.angle_increment)
    assert (ahead.angle_increment, plain.angle_increment) == pytest.approx((math.pi / 180, math.pi / 180))

    def by_degree(scan: LaserScan) -> dict[int, tuple[float, float]]:
        angles = [round(math.degrees(scan.angle_min + i * scan.angle_increment)) % 360 for i in range(360)]
        return dict(zip(angles, zip(scan.ranges, scan.intensities, strict=True), strict=True))

    assert by_degree(plain) == by_degree(ahead) and len(by_degree(ahead)) == 360
    sim = simulation(f"horizontalResolution 180 fieldOfView 3.141592653589793 {FLAT}")
    sim.step()
    half = sim.robot("r")["lidar"]
    scan = message_of(outputs(half, Style(scan_from=0.0))[""], half.reading)
    assert scan.angle_min == pytest.approx(math.radians(-89.5))  # no circle: it stays


def test_one_layer_is_a_laser_scan_that_turns_counter_clockwise() -> None:
    sim = simulation(f"horizontalResolution 181 fieldOfView {math.radians(181.0)} {FLAT}")
    sim.step()
    device = sim.robot("r")["lidar"]
    topics = outputs(device)
    assert {suffix: output.message_type for suffix, output in topics.items()} == {
        "": LaserScan,
        "point_cloud": PointCloud2,
    }
    scan = message_of(topics[""], device.reading)
    assert scan.angle_min == pytest.approx(-math.pi / 2) and scan.angle_max == pytest.approx(math.pi / 2)
    assert scan.angle_increment == pytest.approx(math.pi / 180)
    assert (scan.time_increment, scan.scan_time) == (0.0, pytest.approx(0.01))
    assert (scan.range_min, scan.range_max) == (pytest.approx(0.01), 10.0)
    assert len(scan.ranges) == len(scan.intensities) == 181
    nearest = int(np.argmin(scan.ranges))
    assert scan.angle_min + nearest * scan.angle_increment == pytest.approx(math.pi / 4, abs=1e-6)
    assert scan.ranges[nearest] == pytest.approx(math.sqrt(8) - 0.5, abs=1e-6)
    assert scan.ranges[0] == math.inf


def test_a_full_circle_ends_one_increment_before_its_start() -> None:
    sim = simulation(f"horizontalResolution 360 fieldOfView 6.283185307179586 {FLAT}")
    sim.step()
    scan = message_of(outputs(sim.robot("r")["lidar"])[""], sim.robot("r")["lidar"].reading)
    assert scan.angle_max - scan.angle_min + scan.angle_increment == pytest.approx(2 * math.pi, abs=1e-6)
    assert scan.ranges[359] == pytest.approx(2.95, abs=1e-6)  # the wall behind, at π


def test_a_cloud_has_a_row_for_each_layer() -> None:
    sim = simulation(
        "horizontalResolution 90 fieldOfView 3 numberOfLayers 4 verticalFieldOfView 0.2 maxRange 10"
    )
    sim.step()
    device = sim.robot("r")["lidar"]
    (output,) = outputs(device).values()
    cloud = message_of(output, device.reading)
    assert [(field.name, field.offset, field.datatype, field.count) for field in cloud.fields] == [
        (name, 4 * index, PointField.FLOAT32, 1) for index, name in enumerate("xyz")
    ]
    assert (cloud.height, cloud.width, cloud.point_step, cloud.row_step) == (4, 90, 12, 1080)
    assert len(cloud.data) == 4 * 1080 and not cloud.is_dense
    points = [struct.unpack_from("<3f", cloud.data, 12 * index) for index in range(360)]
    ranges = device.value.ravel()
    for point, direction, distance in zip(points, device.directions.reshape(-1, 3), ranges, strict=True):
        if math.isfinite(distance):
            assert point == pytest.approx(distance * direction, abs=1e-5)
        else:
            assert all(math.isnan(value) for value in point)
    assert np.isfinite(ranges).any()


def test_a_planar_lidar_has_no_laser_scan() -> None:
    device = simulation(f'projection "planar" {FLAT}').robot("r")["lidar"]
    assert outputs(device).keys() == {"point_cloud"}


def test_a_rotating_scan_times_its_rays_from_its_start() -> None:
    sim = simulation(f'type "rotating" defaultFrequency 10 horizontalResolution 100 {FLAT}')
    device = sim.robot("r")["lidar"]
    readings: list[Any] = []
    device.add_listener(readings.append)
    sim.run(0.3)
    assert [reading.time_ns for reading in readings] == [100_000_000, 200_000_000, 300_000_000]
    scan = message_of(outputs(device)[""], readings[1])
    assert scan.header.stamp.sec == 0 and scan.header.stamp.nanosec == 100_000_000
    assert scan.scan_time == pytest.approx(0.1) and scan.time_increment == pytest.approx(0.001)
    assert scan.angle_min == 0.0 and scan.angle_increment == pytest.approx(2 * math.pi / 100)
    assert scan.ranges[50] == pytest.approx(2.95, abs=1e-6)
    cloud = message_of(outputs(device)["point_cloud"], readings[1])
    assert cloud.header.stamp.nanosec == 100_000_000


def test_the_frequency_of_a_rotating_head_is_a_topic() -> None:
    sim = simulation(f'type "rotating" {FLAT}')
    device = sim.robot("r")["lidar"]
    (item,) = make_bridge(device).inputs()
    assert item.name == "frequency"
    obey(sim, item, item.message_type(data=20.0))
    assert device.frequency == 20.0
    with pytest.raises(CommandError):
        obey(sim, item, item.message_type(data=math.nan))
    assert make_bridge(simulation(FLAT).robot("r")["lidar"]).inputs() == []
