"""Topics of a Receiver: one message of each for every packet."""

from types import SimpleNamespace
from typing import Any

import pytest
from obeying import obey
from std_msgs.msg import Int32

from ros_bridge.devices.receiver import ReceiverBridge
from ros_bridge.interface.interface import build_topics
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.publishing import Publishers
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot { name "a" children [ Emitter { } ] }
Robot { name "b" translation 2 0 0 children [ Receiver { bufferSize 4 } ] }"""


class FakePublisher:
    """Stores copies of what is published."""

    def __init__(self, message_type: type) -> None:
        self.sent: list[Any] = []
        self._type = message_type

    def publish(self, message: Any) -> None:
        fields = {name: getattr(message, name) for name in self._type.get_fields_and_field_types()}  # type: ignore[attr-defined]
        self.sent.append(SimpleNamespace(**{name: repr(value) for name, value in fields.items()}))


class FakeNode:
    """Creates publishers that store what is published."""

    def __init__(self) -> None:
        self.topics: dict[str, FakePublisher] = {}

    def create_publisher(self, message_type: type, name: str, *_: Any, **__: Any) -> FakePublisher:
        made = self.topics[f"/{name}"] = FakePublisher(message_type)  # names are relative to the node
        return made

    def resolve_topic_name(self, name: str) -> str:
        return name


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD))


def filled(sim: Simulation, data: bytes) -> dict[str, Any]:
    """The messages of one packet."""
    bridge = ReceiverBridge(sim.robot("b")["receiver"])
    sim.robot("a")["emitter"].send(data)
    sim.step()
    messages = {}
    for output in bridge.outputs():
        assert output.each is not None
        (packet,) = output.each(bridge.device.reading)
        messages[output.name] = message = output.message_type()
        output.fill(message, packet)
    return messages


def test_a_packet_fills_three_messages(sim: Simulation) -> None:
    messages = filled(sim, b"\x00\xff!")
    assert bytes(messages["data"].data) == b"\x00\xff!"
    assert messages["signal_strength"].data == 0.25
    vector = messages["emitter_direction"].vector
    assert (vector.x, vector.y, vector.z) == (-1.0, 0.0, 0.0)


def test_the_channel_comes_in(sim: Simulation) -> None:
    receiver = sim.robot("b")["receiver"]
    (item,) = ReceiverBridge(receiver).inputs()
    obey(sim, item, Int32(data=9))
    assert receiver.channel == 9


def test_each_packet_is_published_once_and_then_counts_as_read(sim: Simulation) -> None:
    node = FakeNode()
    publishers = Publishers(node, build_topics(sim, BridgeParams()).publications, lambda *_: None)
    emitter, receiver = sim.robot("a")["emitter"], sim.robot("b")["receiver"]
    data = publishers.ports["/b/receiver/data"]
    sent = node.topics["/b/receiver/data"].sent
    emitter.send(b"0")  # nobody listens: neither heard nor kept
    sim.step()
    publishers.set_subscribers(data, 1)
    for packet in (b"1", b"22", b"333"):
        emitter.send(packet)
    sim.step(2)
    emitter.send(b"4444")
    sim.step()
    assert [message.data for message in sent] == [
        "array('B', [49])",
        "array('B', [50, 50])",
        "array('B', [52, 52, 52, 52])",
    ]
    assert (receiver.queue_length, receiver.lost) == (0, 1)
    assert not node.topics["/b/receiver/signal_strength"].sent


def test_a_second_subscriber_does_not_make_packets_come_twice(sim: Simulation) -> None:
    node = FakeNode()
    publishers = Publishers(node, build_topics(sim, BridgeParams()).publications, lambda *_: None)
    data, strength = (publishers.ports[f"/b/receiver/{name}"] for name in ("data", "signal_strength"))
    publishers.set_subscribers(data, 1)
    sim.robot("a")["emitter"].send(b"1")
    sim.step()
    publishers.set_subscribers(data, 2)
    publishers.publish_again(data, sim.time_ns, sim.step_ns, sim.sample)
    publishers.set_subscribers(strength, 1)
    publishers.publish_again(strength, sim.time_ns, sim.step_ns, sim.sample)
    assert len(node.topics["/b/receiver/data"].sent) == 1
    assert len(node.topics["/b/receiver/signal_strength"].sent) == 1
