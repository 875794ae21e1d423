"""TouchPlugin of gz-sim: a contact with its target, of the time that it says, is reported."""

from collections.abc import Callable

import pytest

from sim_core.session.simulation import Simulation

Made = Callable[..., Simulation]
PLUGIN = """<plugin filename="gz-sim-touchplugin-system" name="gz::sim::systems::TouchPlugin">
<target>{}</target><time>0.5</time><namespace>white</namespace><enabled>true</enabled></plugin>"""
SENSOR = '<sensor name="s" type="contact"><contact><collision>c</collision></contact></sensor>'


def box(name: str, z: float, inside: str = "", plugin: str = "", static: int = 0) -> str:
    return f"""<model name="{name}"><static>{static}</static><pose>0 0 {z} 0 0 0</pose><link name="l">
<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>{inside}</link>
{plugin}</model>"""


@pytest.mark.parametrize(("target", "found"), [("green", True), ("green::l::c", True), ("red", False)])
def test_it_is_touched_after_the_time(simulated: Made, target: str, found: bool) -> None:
    """It falls 5 cm, which takes 0.1 s, and lies still."""
    sim = simulated(box("green", 0.5, static=1) + box("white", 1.55, SENSOR, PLUGIN.format(target)))
    (sensor,) = (each for each in sim.robot("white").sensors() if each.spec.type_name == "TouchSensor")
    sim.run(0.45)
    sim.sample([sensor])
    assert not sensor.reading.touched
    sim.run(0.6)
    sim.sample([sensor])
    assert sensor.reading.value
    assert sensor.reading.touched == found
    sim.reset()
    sim.run(0.1)
    sim.sample([sensor])
    assert not sensor.reading.touched


def test_its_topic_is_in_its_namespace(simulated: Made) -> None:
    sim = simulated(box("green", 0.5, static=1) + box("white", 1.5, SENSOR, PLUGIN.format("green")))
    assert ("touched_topic", "/white/touched") in [
        (each.name, each.value) for each in sim.scene.device_settings
    ]


def test_without_a_sensor_it_has_no_effect(simulated: Made) -> None:
    sim = simulated(box("white", 1.5, "", PLUGIN.format("green")))
    assert 'plugin "gz-sim-touchplugin-system"' in " ".join(map(str, sim.scene.warnings))
