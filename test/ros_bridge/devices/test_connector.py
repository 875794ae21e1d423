import pytest
from obeying import obey
from std_msgs.msg import Bool, Int32

from ros_bridge.devices import make_bridge
from ros_bridge.devices.connector import ConnectorBridge
from sim_core.base.errors import CommandError
from sim_core.devices.touch.connector import ConnectorReading
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation


def test_the_three_messages() -> None:
    reading = ConnectorReading(7, 1, True, False)
    messages = {output.name: output.message_type() for output in ConnectorBridge.readings}
    for output in ConnectorBridge.readings:
        output.fill(messages[output.name], reading)
    assert messages == {"presence": Int32(data=1), "locked": Bool(data=True), "attached": Bool(data=False)}


@pytest.mark.parametrize("kind", ["symmetric", "passive"])
def test_a_bool_locks_and_unlocks(kind: str) -> None:
    scene = parse_scene(f'#VRML_SIM R2025a utf8\nRobot {{ children Connector {{ type "{kind}" }} }}')
    sim = Simulation(scene)
    device = next(iter(sim.robots.values()))["connector"]
    (command,) = make_bridge(device).inputs()
    assert (command.name, command.message_type) == ("lock", Bool)
    for value in (True, False):
        if kind == "passive":
            with pytest.raises(CommandError):
                obey(sim, command, Bool(data=value))
        else:
            obey(sim, command, Bool(data=value))
            sim.step()
            assert device.is_locked is value
