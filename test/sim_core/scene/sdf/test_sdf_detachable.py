"""DetachableJoint of gz-sim: a model that hangs at another one until it is detached."""

from collections.abc import Callable

import pytest

from sim_core.session.simulation import Simulation

Made = Callable[..., Simulation]
G = 9.8
"""m/s²"""


def world(*, child: str = "load", link: str = "body", tags: str = "") -> str:
    """A crane that is fixed to the world, and a load 1 m below it that the joint holds."""
    return f"""<model name="crane"><pose>0 0 5 0 0 0</pose><link name="hook"/>
<joint name="mast" type="fixed"><parent>world</parent><child>hook</child></joint>
<plugin filename="gz-sim-detachable-joint-system" name="gz::sim::systems::DetachableJoint">
<parent_link>hook</parent_link><child_model>{child}</child_model><child_link>{link}</child_link>{tags}</plugin></model>
<model name="load"><pose>0 0 4 0 0 0.3</pose><link name="body"/></model>"""


def height(sim: Simulation) -> float:
    node = next(node for node in sim.scene.nodes if node.is_a("Solid") and node["name"] == "load")
    return sim.physics.frame(node.id).pose().position[2]


def test_it_holds_until_it_is_detached_and_again(simulated: Made) -> None:
    """Free, it falls by g·t²/2; attached again, it hangs where it is."""
    sim = simulated(world())
    sim.run(0.4)
    assert height(sim) == pytest.approx(4.0, abs=1e-4)
    joint = sim.robot("crane")["detachable_joint_load"]
    joint.unlock()
    sim.run(0.4)
    assert height(sim) == pytest.approx(4.0 - G * 0.4**2 / 2.0, abs=0.01)
    joint.lock()
    sim.run(0.1)
    hangs = height(sim)
    sim.run(0.3)
    assert height(sim) == pytest.approx(hangs, abs=1e-3)
    assert not sim.scene.warnings


def test_its_topics(simulated: Made) -> None:
    tags = "<detach_topic>/load/drop-it</detach_topic><output_topic>state</output_topic>"
    sim = simulated(world(tags=tags))
    settings = {
        each.name: each.value
        for each in sim.scene.device_settings
        if each.device == "detachable_joint_load" and not each.layout
    }
    assert settings == {"detach_topic": "/load/drop_it", "state_topic": "/state"}
    named = {
        each.name: each.value
        for each in sim.scene.device_settings
        if each.device == "detachable_joint_load" and each.layout == "gazebo"
    }
    assert named["attach_topic"] == "/model/crane/detachable_joint/attach"


@pytest.mark.parametrize("wrong", [{"child": "nothing"}, {"link": "nothing"}])
def test_a_joint_to_nowhere_is_named(simulated: Made, wrong: dict[str, str]) -> None:
    (said,) = map(str, simulated(world(**wrong)).scene.warnings)
    assert "nothing" in said
    assert "without effect" in said
