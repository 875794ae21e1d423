import math

from obeying import obey
from sensor_msgs.msg import Range
from std_msgs.msg import Bool

from ros_bridge.devices import make_bridge
from ros_bridge.devices.vacuum_gripper import VacuumGripperBridge
from ros_bridge.topics.conversions import fill_value
from sim_core.devices.touch.vacuum_gripper import GripReading
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation


def test_presence_is_whether_something_is_held() -> None:
    message = Bool()
    fill_value(message, GripReading(7, True, False))
    assert message.data is True
    for held, expected in ((True, -math.inf), (False, math.inf)):
        (stamped,) = (each for each in VacuumGripperBridge.readings if each.message_type is Range)
        detected = Range()
        stamped.fill(detected, GripReading(7, held, False))
        assert detected.range == expected


def test_a_bool_turns_it_on_and_off() -> None:
    text = "#VRML_SIM R2025a utf8\nRobot { children VacuumGripper { boundingObject Sphere { } } }"
    sim = Simulation(parse_scene(text))
    device = next(iter(sim.robots.values()))["vacuum gripper"]
    (command,) = make_bridge(device).inputs()
    assert (command.name, command.message_type) == ("turn_on", Bool)
    for value in (True, False):
        obey(sim, command, Bool(data=value))
        assert device.is_on is value
