import math

import pytest
from geometry_msgs.msg import QuaternionStamped, Vector3Stamped
from std_msgs.msg import Float64

from ros_bridge.devices.base import Style
from ros_bridge.devices.compass import CompassBridge, bearing
from sim_core.devices.inertial.axis_sensor import VectorReading


@pytest.mark.parametrize("yaw", [0.0, 0.5, 1.57, 3.0, -2.0])
def test_the_bearing_is_degrees_clockwise_from_north(yaw: float) -> None:
    """A device turned by yaw from east sees north at π/2 - yaw; its x axis bears 90° - yaw."""
    north = (math.cos(math.pi / 2.0 - yaw), math.sin(math.pi / 2.0 - yaw), 0.0)
    assert bearing(north) == pytest.approx((90.0 - math.degrees(yaw)) % 360.0)


@pytest.mark.parametrize("yaw", [0.0, 0.5, 1.57, 3.0, -2.0])
def test_in_radians_and_as_a_heading_from_east(yaw: float) -> None:
    """REP-103: radians; yaw is 0 to the east and grows counter-clockwise."""
    reading = VectorReading(5, (math.cos(math.pi / 2.0 - yaw), math.sin(math.pi / 2.0 - yaw), 0.0))
    outputs = {each.name: each for each in CompassBridge(None, Style(radians=True)).outputs()}
    number, heading = Float64(), QuaternionStamped()
    outputs["bearing"].fill(number, reading)
    assert number.data == pytest.approx((math.pi / 2.0 - yaw) % (2.0 * math.pi))
    outputs["heading"].fill(heading, reading)
    turn = heading.quaternion
    assert abs(turn.z * math.sin(yaw / 2.0) + turn.w * math.cos(yaw / 2.0)) == pytest.approx(1.0)


def test_the_vector_is_as_measured() -> None:
    message = Vector3Stamped()
    CompassBridge.readings[0].fill(message, VectorReading(5, (0.0, 0.6, 0.8)))
    assert (message.vector.x, message.vector.y, message.vector.z) == (0.0, 0.6, 0.8)
