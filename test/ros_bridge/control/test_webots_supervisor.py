"""The services of webots_ros2's Ros2Supervisor, in its layout, without the package of its types."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from std_msgs.msg import String
from std_srvs.srv import Trigger

from ros_bridge.interface.interface import describe
from ros_bridge.parameters.bridge_params import BridgeParams
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { position -3 0 1 }
Solid { name "crate" translation 1 0 0 children Shape { geometry Box { } } }
"""
SPAWNED = 'Solid { name "ball" translation 0 2 0 children Shape { geometry Sphere { } } }'

pytestmark = pytest.mark.skipif(
    find_spec("webots_ros2_msgs") is not None, reason="the package of the types is installed"
)


@pytest.fixture
def sim(tmp_path: Path, simulate: Callable[..., Any]) -> Any:
    file = tmp_path / "w.wbt"
    file.write_text(WORLD)
    return simulate(file, layout="webots_ros2")


def names(client: Any) -> str:
    """The world as it is now."""
    return str(client.call("world_text").message)


def test_nodes_come_as_text_and_go_by_their_names(sim: Any, client: Any) -> None:
    spawn = client.speak(String, "/Ros2Supervisor/spawn_node_from_string")
    remove = client.speak(String, "/Ros2Supervisor/remove_node")
    spawn.publish(String(data=SPAWNED))
    client.until(lambda: '"ball"' in names(client), "the ball")
    for name in ("ball", "crate"):
        remove.publish(String(data=name))
        client.until(lambda name=name: f'"{name}"' not in names(client), f"the {name} to go")
    remove.publish(String(data="nobody"))
    client.until(lambda: sim.says('no node "nobody"'), "a line")


def test_an_animation_is_recorded_between_two_calls(sim: Any, client: Any, tmp_path: Path) -> None:
    start = client.speak(String, "/Ros2Supervisor/animation_start_recording")
    page = tmp_path / "seen.html"
    start.publish(String(data=str(page)))
    stop = client.node.create_client(Trigger, "/Ros2Supervisor/animation_stop_recording")
    client.until(stop.service_is_ready, "the service")

    def stopped() -> bool:
        future = stop.call_async(Trigger.Request())
        client.until(future.done, "an answer")
        return bool(future.result().success)

    client.until(stopped, "the recording to end")
    client.until(page.exists, "its page")


def test_info_names_the_topics_of_the_layout() -> None:
    world = Simulation(parse_scene(WORLD))
    names = {info.name for info in describe(world, BridgeParams(layout="webots_ros2"))}
    assert {"/Ros2Supervisor/remove_node", "/Ros2Supervisor/spawn_node_from_string"} <= names
    assert not [info.name for info in describe(world, BridgeParams()) if "Ros2Supervisor" in info.name]
    world.close()


def test_other_layouts_have_none_of_it(tmp_path: Path, simulate: Callable[..., Any], client: Any) -> None:
    file = tmp_path / "w.wbt"
    file.write_text(WORLD)
    simulate(file)
    names(client)
    found = [name for name, _ in client.node.get_topic_names_and_types() if "Ros2Supervisor" in name]
    assert not found
