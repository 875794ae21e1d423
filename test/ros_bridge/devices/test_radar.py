import math
import struct

import pytest
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import Int32

from ros_bridge.devices.radar import FIELDS, RadarBridge, fill_number, fill_targets
from sim_core.devices.ranging.radar import RadarReading, RadarTarget


def test_targets_are_points_with_what_was_measured() -> None:
    (cloud_output, number_output) = RadarBridge(None).outputs()
    assert (cloud_output.name, number_output.name) == ("targets", "number_of_targets")
    message = PointCloud2()
    cloud_output.constants(message)
    two = (RadarTarget(10.0, -60.0, 2.0, 0.5), RadarTarget(20.0, -80.0, -1.0, -0.25))
    fill_targets(message, RadarReading(5, two))
    assert (message.height, message.width, message.point_step) == (1, 2, 28)
    for index, target in enumerate(two):
        values = dict(zip(FIELDS, struct.unpack_from("<7f", message.data, 28 * index), strict=True))
        assert values["x"] == pytest.approx(target.distance * math.cos(target.azimuth), rel=1e-6)
        assert values["y"] == pytest.approx(target.distance * math.sin(target.azimuth), rel=1e-6)
        for name in ("distance", "azimuth", "speed", "received_power"):
            assert values[name] == pytest.approx(getattr(target, name))
    fill_targets(message, RadarReading(6, ()))
    assert (message.width, message.row_step, len(message.data)) == (0, 0, 0)


def test_the_number_of_targets() -> None:
    message = Int32()
    fill_number(message, RadarReading(5, (RadarTarget(1.0, 2.0, 3.0, 4.0),)))
    assert message.data == 1
