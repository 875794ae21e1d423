"""Every viewer receives the whole scene: late ones, several at a time, and during edits."""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import ReadProcess, started
from std_msgs.msg import String

SIDE = 86
LEAST = 2 * (SIDE - 1) ** 2 * 3 * 24
"""Points along a side of the terrain; bytes of the corners of its triangles, each a place and a normal."""
HEIGHTS = " ".join(str(column * row % 7 / 10) for row in range(SIDE) for column in range(SIDE))
WORLD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 }}
Solid {{ name "terrain" children Shape {{ appearance PBRAppearance {{ }}
  geometry ElevationGrid {{ xDimension {SIDE} yDimension {SIDE}
    height [ {HEIGHTS} ] }} }} }}
DEF ROCK Solid {{ name "rock" translation 9 0 1 children Shape {{ geometry Sphere {{ }} }} }}
"""
ROUNDS, VIEWERS, EDITS = 3, 4, 8
SUBSCRIBER = """
import hashlib, json, sys, time
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray
from ros_bridge.base.context import make_context
from ros_bridge.topics.names import SCENE
from ros_bridge.topics.qos import ALL
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.scene.scene_state import SceneState

rounds, parts = map(int, sys.argv[1:])
node = Node("watch", context=make_context([]), start_parameter_services=False)
for each in range(rounds):
    state, topic = SceneState(), PolledTopic(node, MarkerArray, SCENE, ALL, latched=True)
    is_last = each == rounds - 1
    while state.loading or (is_last and len(list(state.items())) != parts):
        for message in topic.take():
            state.apply(message.markers, is_scene=True)
        time.sleep(0.05)
    print("round", flush=True)
    topic.close()
shown = {str(key): hashlib.sha256(item.shape.file).hexdigest() for key, item in state.items()}
largest = max(len(item.shape.file) for _, item in state.items())
print("shown", largest, json.dumps(shown, sort_keys=True), flush=True)
"""


class Subscriber(ReadProcess):
    """Receives the scene several times, at last until it has a number of parts."""

    def __init__(self, parts: int) -> None:
        super().__init__(sys.executable, "-c", SUBSCRIBER, str(ROUNDS), str(parts))


@pytest.fixture
def subscribe() -> Iterator[Callable[..., Subscriber]]:
    yield from started(Subscriber)


def test_every_subscriber_gets_every_part(simulate, client, subscribe, tmp_path: Path) -> None:
    """A terrain larger than what is sent between two messages, and solids added meanwhile."""
    world = tmp_path / "terrain.wbt"
    world.write_text(WORLD, encoding="utf-8")
    simulate(world)
    importer = client.speak(String, "/odesim/import_node")
    subscribers = []
    for _ in range(VIEWERS):
        subscribers.append(subscribe(2 + EDITS))
        client.until(lambda: subscribers[-1].says("round"), "a first scene")
    for number in range(EDITS):
        place = f'name "box {number}" translation 0 {number} 5'
        importer.publish(String(data=f"Solid {{ {place} children Shape {{ geometry Box {{ }} }} }}"))
    assert [each.wait() for each in subscribers] == [0] * VIEWERS
    told = {each.says("shown")[0] for each in subscribers}
    assert len(told) == 1, "all show the same"
    _, size, shown = told.pop().split(" ", 2)
    assert int(size) > LEAST > 1_000_000
    assert len(set(json.loads(shown).values())) == 3, "a terrain, a ball, equal boxes"
    assert hashlib.sha256(b"").hexdigest() not in shown
