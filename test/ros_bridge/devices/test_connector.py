import pytest
from obeying import obey
from std_msgs.msg import Bool, Empty, Int32, String

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


def test_a_detachable_joint_has_the_topics_of_gazebo() -> None:
    robots = [
        f'Robot {{ name "{name}" physics Physics {{ mass 1 }} rotation 0 0 1 {turn} '
        f"children Connector {{ {kind} }} }}"
        for name, turn, kind in (
            ("a", 0, 'type "active" isLocked TRUE detachable TRUE distanceTolerance 9'),
            ("b", 3.14159, 'type "passive"'),
        )
    ]
    sim = Simulation(parse_scene("\n".join(["#VRML_SIM R2025a utf8", *robots])))
    device = sim.robot("a")["connector"]
    bridge = make_bridge(device)
    inputs = {each.name: each for each in bridge.inputs()}
    state = next(each for each in bridge.outputs() if each.name == "state")
    for command, expected in ((None, "attached"), ("detach", "detached"), ("attach", "attached")):
        if command is not None:
            obey(sim, inputs[command], Empty())
        sim.step()
        message = String()
        state.fill(message, device.sample(0))
        assert message.data == expected
