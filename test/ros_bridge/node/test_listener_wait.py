"""The parameter wait_for_node: time stands until another's recorder hears all topics."""

import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import ODESIM, ReadProcess, started
from rosbags.highlevel import AnyReader

from ros_bridge.interface.interface import build_topics
from ros_bridge.node import listener_wait
from ros_bridge.node.listener_wait import ListenerWait
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.names import CLOCK, DIAGNOSTICS, MARKERS, RESTARTS, STATUS, VIEWS
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

LEFT_OUT = {CLOCK, RESTARTS, STATUS, DIAGNOSTICS, MARKERS}
"""Those by wall time, and the one on which something is said before anybody can have come."""


@pytest.fixture
def recorder() -> Iterator[Callable[..., ReadProcess]]:
    yield from started(lambda *words: ReadProcess(*ODESIM, "record", *words))


def counts(bag: Path) -> Counter[str]:
    """Messages by topic, of those topics that tell the same of each run."""
    with AnyReader([bag]) as reader:
        found = Counter(connection.topic for connection, _, _ in reader.messages())
    return Counter({name: count for name, count in found.items() if name not in LEFT_OUT})


def test_a_recorder_that_is_waited_for_has_all_from_the_first_step_on(
    world_file: Callable[..., Path], simulate: Any, recorder: Any, tmp_path: Path
) -> None:
    ros_args = ["-p", "wait_for_node:=odesim_recorder"]
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    sim = simulate(world_file(), mode="realtime", duration=0.5, record=str(ours), ros_args=ros_args)
    process = recorder(str(theirs))
    assert sim.wait() == 0, sim.lines
    process.send(signal.SIGINT)
    assert process.wait() == 0, process.lines
    assert len(sim.says("odesim_recorder has subscribed to all ")) == 1
    expected = counts(ours)
    assert {name: count for name, count in counts(theirs).items() if name in expected} == {
        name: count for name, count in expected.items() if not name.startswith("/odesim/changes")
    }
    assert not any(re.search(VIEWS, name) for name in counts(theirs))


class Nobody:
    """The graph of ROS with one node, which listens to one topic."""

    def get_node_names_and_namespaces(self) -> list[tuple[str, str]]:
        return [("rosbag2_recorder", "/lab")]

    def get_subscriber_names_and_types_by_node(self, *_: str) -> list[tuple[str, list[str]]]:
        return [("/one", ["std_msgs/msg/Int32"])]

    def resolve_topic_name(self, name: str) -> str:
        return f"/{name.strip('/')}"


class HeardPort:
    """A topic, heard by somebody."""

    def __init__(self, name: str, is_view: bool = False, has_subscribers: bool = True) -> None:
        self.has_subscribers = has_subscribers
        self.publication = type("", (), {"name": name, "is_view": is_view})


class Said:
    """A log."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.info = self.warning = self.error = self.lines.append


def test_the_wait_ends_with_the_last_topic_or_with_a_line_that_names_what_is_missing() -> None:
    said: Any = Said()
    wait = ListenerWait(Nobody(), "rosbag2_recorder", said)
    ports: Any = [HeardPort("/one"), HeardPort("/odesim/scene", is_view=True)]
    wait.check_listeners(0.0, [*ports, HeardPort("/two")], "fast")
    wait.check_listeners(listener_wait.LIMIT - 0.1, [HeardPort("/one", has_subscribers=False)], "fast")
    assert wait.is_needed and not said.lines
    wait.check_listeners(1.0, ports, "fast")
    assert not wait.is_needed
    assert [line.partition(" ")[2] for line in said.lines[:1]] == ["has subscribed to all 1 topics"]
    assert said.lines[1].startswith("mode fast does not wait for rosbag2_recorder")
    late: Any = Said()
    wait = ListenerWait(Nobody(), "rosbag2_recorder", late)
    names = ["/two", "/three", "/four", "/five"]
    for now in (0.0, listener_wait.LIMIT):
        wait.check_listeners(now, [*ports, *map(HeardPort, names)], "realtime")
    assert not wait.is_needed
    assert late.lines == [
        "rosbag2_recorder has not subscribed to /two, /three, /four and 1 more within 30 s: "
        "starting without it"
    ]
    assert not ListenerWait(Nobody(), "", late).is_needed


def test_the_names_of_views_are_those_that_recorders_leave_out() -> None:
    world = Path(__file__).parents[3] / "worlds" / "wall_follower.wbt"
    sim = Simulation(load_scene(world))
    topics = build_topics(sim, BridgeParams(), lambda *_: None, lambda _: None, set())
    views = {item.name for item in topics.publications if item.is_view}
    assert len(views) > 5
    assert views == {item.name for item in topics.publications if re.search(VIEWS, item.name)}
    assert re.search(VIEWS, "/lab/odesim/scene") and not re.search(VIEWS, "/odesim/scenery")
