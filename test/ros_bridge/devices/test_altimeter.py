from std_msgs.msg import Float64

from ros_bridge.topics.conversions import fill_value
from sim_core.devices.inertial.altimeter import AltimeterReading


def test_the_height_is_as_measured() -> None:
    message = Float64()
    fill_value(message, AltimeterReading(5, 12.5))
    assert message.data == 12.5
