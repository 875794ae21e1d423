import math

import pytest
from geometry_msgs.msg import Vector3Stamped
from std_msgs.msg import Bool, Float64

from ros_bridge.devices import make_bridge
from ros_bridge.topics.conversions import has_header
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
Solid { boundingObject Plane { } }
Robot { name "robot" translation 0 0 0.05
  children TouchSensor { name "touch" type "%s" lookupTable [ ] rotation 0 1 0 1.5707963267948966
    boundingObject Box { size 0.1 0.1 0.1 } }
  physics Physics { density -1 mass 2 inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ] centerOfMass [ 0 0 0 ] } }
"""


@pytest.mark.parametrize(
    ("kind", "message_type"), [("bumper", Bool), ("force", Float64), ("force-3d", Vector3Stamped)]
)
def test_the_message_fits_the_type(kind: str, message_type: type) -> None:
    sim = Simulation(parse_scene(WORLD % kind))
    sim.run(1.0)
    device = sim.robot("robot")["touch"]
    output, *stamped = make_bridge(device).outputs()
    assert (output.name, output.message_type) == ("", message_type)
    message = message_type()
    output.fill(message, device.reading)
    if kind == "force-3d":
        assert message.vector.x == pytest.approx(-2.0 * 9.81, rel=0.01)
        assert message.vector.x == device.value[0]
    else:
        assert message.data == device.value
        assert message.data == pytest.approx(1 if kind == "bumper" else 2.0 * 9.81, rel=0.01)
        ((same, of_type),) = [(each, each.message_type) for each in stamped]
        with_stamp = of_type()
        same.fill(with_stamp, device.reading)
        assert same.name == "stamped" and has_header(of_type)
        if kind == "bumper":  # as sensor_msgs/Range says of detectors
            assert with_stamp.min_range == with_stamp.max_range and with_stamp.range == -math.inf
        else:
            assert with_stamp.wrench.force.x == -device.value
