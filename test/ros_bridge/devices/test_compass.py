import math

import pytest
from geometry_msgs.msg import Vector3Stamped

from ros_bridge.devices.compass import CompassBridge, bearing
from sim_core.devices.inertial.axis_sensor import VectorReading


@pytest.mark.parametrize("yaw", [0.0, 0.5, 1.57, 3.0, -2.0])
def test_the_bearing_is_degrees_clockwise_from_north(yaw: float) -> None:
    """A device turned by yaw from east sees north at π/2 - yaw; its x axis bears 90° - yaw."""
    north = (math.cos(math.pi / 2.0 - yaw), math.sin(math.pi / 2.0 - yaw), 0.0)
    assert bearing(north) == pytest.approx((90.0 - math.degrees(yaw)) % 360.0)


def test_the_vector_is_as_measured() -> None:
    message = Vector3Stamped()
    CompassBridge.readings[0].fill(message, VectorReading(5, (0.0, 0.6, 0.8)))
    assert (message.vector.x, message.vector.y, message.vector.z) == (0.0, 0.6, 0.8)
