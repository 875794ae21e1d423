"""Python plugins of webots_ros2's driver in URDF files: for which robot they are, and what they are given."""

from collections.abc import Callable

import pytest

from sim_core.base.errors import SceneErrors
from sim_core.scene import Scene
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.spawnables import from_urdf

Spawned = Callable[..., Simulation]
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 2 }
Robot { name "left" controller "<extern>" children DistanceSensor { name "ds" } }
Robot { name "right" controller "mine" children DistanceSensor { name "ds" } }
"""
PLUGIN = """<webots>
<device reference="ds" type="DistanceSensor"><ros><updateRate>10</updateRate></ros></device>
<plugin type="my_package.drivers.Driver"><speed>1.5</speed><name> a b </name><empty/></plugin>
<plugin type="my_package.Other"/>
<plugin type="my_package::InCpp"/>
</webots>"""
LINKS = '<link name="base"><inertial><mass value="1"/></inertial></link>'


def test_a_file_names_the_classes_and_their_properties_in_its_order(spawned: Spawned) -> None:
    sim = spawned(f'<robot name="left">{PLUGIN}</robot>', world=WORLD)
    first, second = sim.scene.plugins
    assert (first.robot, first.type_name) == ("left", "my_package.drivers.Driver")
    assert first.properties == {"speed": "1.5", "name": " a b ", "empty": ""}
    assert first.where.endswith("robot.urdf:3:1") and first.file.endswith("robot.urdf")
    assert (second.type_name, second.properties) == ("my_package.Other", {})
    (warning,) = sim.scene.warnings
    assert '<webots> plugin "my_package::InCpp" has no effect' in str(warning)


@pytest.mark.parametrize("links", ["", LINKS])
def test_behind_the_file_stands_the_robot_of_the_world_that_it_is_about(spawned: Spawned, links: str) -> None:
    """Whatever the file calls it, and with links too: the world has the robot already."""
    sim = spawned(f'<robot name="Webots">{links}{PLUGIN}</robot>', "@left", WORLD)
    assert list(sim.robots) == ["left", "right"]
    assert [each.robot for each in sim.scene.plugins] == ["left", "left"]
    assert (sim.robot("left")["ds"].period_ns, sim.robot("right")["ds"].period_ns) == (100_000_000, 2_000_000)


def test_a_robot_that_the_world_does_not_have_is_refused(spawned: Spawned) -> None:
    with pytest.raises(SceneErrors, match=r'no robot "middle" in the world, expected .*: "left", "right"'):
        spawned(f'<robot name="left">{PLUGIN}</robot>', "@middle", WORLD)


def test_a_robot_with_a_controller_of_its_own_has_no_plugins(spawned: Spawned) -> None:
    sim = spawned(f'<robot name="right">{PLUGIN}</robot>', world=WORLD)
    assert not sim.scene.plugins
    found = 'plugin "my_package.Other" is left out: the robot has controller "mine", expected "<extern>"'
    assert any(found in str(warning) for warning in sim.scene.warnings)


def test_the_robot_of_a_file_with_links_has_those_of_the_file(spawned: Spawned) -> None:
    tag = '<webots><plugin type="a.B"/></webots>'
    sim = spawned(f'<robot name="new">{LINKS}{tag}</robot>', "@0,0,1,0")
    assert [(each.robot, each.type_name) for each in sim.scene.plugins] == [("new", "a.B")]


def test_what_comes_while_the_world_runs_has_no_plugins() -> None:
    text = f'<robot name="new">{LINKS}<webots><plugin type="a.B"/></webots></robot>'
    assert (
        'plugin "a.B" is not started, because its robot was spawned' in from_urdf(Scene(), text, "text").notes
    )


def test_properties_have_a_limit(spawned: Spawned) -> None:
    """They go by a command line."""
    tag = f'<webots><plugin type="a.B"><text>{"x" * 60_000}</text></plugin></webots>'
    with pytest.raises(SceneErrors, match=r"1:\d+: plugins with properties of 60\d+ characters, expected at"):
        spawned(f'<robot name="left">{tag}</robot>', world=WORLD)
