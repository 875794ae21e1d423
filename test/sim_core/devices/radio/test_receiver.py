"""Receiver: which packets it gets, signal strength, direction, and its buffer."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import CommandError, DeviceError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation


def simulation(text: str, seed: int = 0) -> Simulation:
    head = f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 10 gravity 0 randomSeed {seed} }}\n"
    return Simulation(parse_scene(head + text, "w.wbt"))


def sender(fields: str = "", place: str = "", name: str = "a", more: str = "") -> str:
    return f'Robot {{ name "{name}" {place} children [ Emitter {{ {fields} }} ] {more} }}\n'


def listener(fields: str = "", place: str = "translation 2 0 0", name: str = "b", more: str = "") -> str:
    return f'Robot {{ name "{name}" {place} children [ Receiver {{ {fields} }} ] {more} }}\n'


def heard(sim: Simulation, data: bytes = b"x", by: str = "b") -> list[Any]:
    """Return the packets that arrive after one was sent."""
    sim.robot("a")["emitter"].send(data)
    sim.step()
    receiver = sim.robot(by)["receiver"]
    return [receiver.next_packet() for _ in range(receiver.queue_length)]


@pytest.mark.parametrize("kind", ["radio", "serial", "infra-red"])
def test_strength_is_one_over_r_squared_and_direction_in_the_receivers_frame(kind: str) -> None:
    """Receiver at (1, 2, 0.5) turned left by 90°: its x is world y, its y is world -x."""
    place = f"translation 1 2 0.5 rotation 0 0 1 {math.pi / 2}"
    sim = simulation(sender(f'type "{kind}"', "translation 4 6 12.5") + listener(f'type "{kind}"', place))
    (packet,) = heard(sim, b"hello")
    assert packet.data == b"hello"
    assert packet.time_ns == 10_000_000
    assert packet.signal_strength == pytest.approx(1.0 / (9.0 + 16.0 + 144.0), rel=1e-12)
    assert packet.emitter_direction == pytest.approx((4 / 13, -3 / 13, 12 / 13), abs=1e-12)


def test_emitter_and_receiver_in_one_place() -> None:
    (packet,) = heard(simulation(sender() + listener(place="")))
    assert (packet.signal_strength, packet.emitter_direction) == (math.inf, (0.0, 0.0, 0.0))


@pytest.mark.parametrize(("distance", "hears"), [(1.999, True), (2.0, True), (2.001, False)])
def test_the_range_is_a_sphere(distance: float, hears: bool) -> None:
    sim = simulation(sender("range 2") + listener(place=f"translation 0 0 {-distance}"))
    assert bool(heard(sim)) == hears


@pytest.mark.parametrize(
    ("sent", "tuned", "hears"),
    [(0, 0, True), (1, 1, True), (1, 2, False), (-1, 2, True), (1, -1, True), (-1, -1, True), (0, 1, False)],
)
def test_channels_must_be_equal_or_minus_one(sent: int, tuned: int, hears: bool) -> None:
    assert bool(heard(simulation(sender(f"channel {sent}") + listener(f"channel {tuned}")))) == hears


def test_types_must_be_equal() -> None:
    for kind in ("serial", "infra-red"):
        assert not heard(simulation(sender('type "radio"') + listener(f'type "{kind}"')))


def test_no_robot_hears_itself() -> None:
    sim = simulation(sender(more="") + 'Robot { name "c" children [ Emitter { } Receiver { } ] }')
    sim.robot("c")["emitter"].send(b"x")
    sim.step()
    assert sim.robot("c")["receiver"].queue_length == 0
    assert len(heard(sim, by="c")) == 1


@pytest.mark.parametrize("side", ["emitter", "receiver"])
@pytest.mark.parametrize(("angle", "hears"), [(0.0, True), (0.29, True), (0.31, False), (3.1, False)])
def test_an_aperture_is_a_cone_round_x(side: str, angle: float, hears: bool) -> None:
    """Half the aperture is 0.3 rad; the device is turned away from the other by an angle."""
    infra = 'type "infra-red"'
    cone = f"{infra} aperture 0.6"
    if side == "emitter":
        text = sender(cone, f"rotation 0 1 0 {angle}") + listener(infra)
    else:
        text = sender(infra) + listener(cone, f"translation 2 0 0 rotation 0 0 1 {math.pi + angle}")
    assert bool(heard(simulation(text))) == hears


def test_an_aperture_means_nothing_to_radio() -> None:
    assert heard(simulation(sender("aperture 0.1", "rotation 0 0 1 3") + listener("aperture 0.1")))


def box(x: float, name: str = "box", y: float = 0.0) -> str:
    return f'Solid {{ name "{name}" translation {x} {y} 0 boundingObject Box {{ size 0.1 0.4 0.4 }} }}\n'


BODY = "boundingObject Box { size 0.5 0.5 0.5 }"
TWO_BOXES = (
    "boundingObject Group { children [ Pose { translation -0.3 0 0 children Box { size 0.1 1 1 } } "
    "Pose { translation -0.6 0 0 children Sphere { radius 0.1 } } ] }"
)


@pytest.mark.parametrize(
    ("around", "hears"),
    [
        ("", True),
        (box(1.0), False),
        (box(1.0, y=0.21), True),
        (box(2.5), True),
        (box(-0.5), True),
        ('Robot { name "c" translation 1 0 0 boundingObject Sphere { radius 0.1 } }', False),
        ("Transform { translation 1 0 0 children Shape { geometry Box { size 1 1 1 } } }", True),
        (box(1.8), False),
    ],
)
@pytest.mark.parametrize("bodies", [("", ""), (BODY, ""), ("", BODY), (BODY, BODY), ("", TWO_BOXES)])
def test_infra_red_stops_at_bounding_objects_of_others(
    around: str, hears: bool, bodies: tuple[str, str]
) -> None:
    infra = 'type "infra-red"'
    text = sender(infra, more=bodies[0]) + listener(infra, more=bodies[1]) + around
    sim = simulation(text)
    assert bool(heard(sim)) == hears
    assert bool(heard(sim)) == hears, "and again"
    assert heard(simulation(text.replace("infra-red", "radio")))


def test_each_receiver_has_its_own_line_of_sight() -> None:
    infra = 'type "infra-red"'
    places = {"b": "translation 2 0 0", "c": "translation 0 2 0", "d": "translation 0 -2 0"}
    text = sender(infra) + "".join(listener(infra, place, name) for name, place in places.items())
    sim = simulation(text + box(1.0))
    sim.robot("a")["emitter"].send(b"x")
    sim.step()
    assert [sim.robot(name)["receiver"].queue_length for name in "bcd"] == [0, 1, 1]


def test_packets_keep_the_order_of_their_ends() -> None:
    """The packet that ends first arrives first; of two that end together, that of the first emitter in the
    file."""
    text = sender("baudRate 8000", name="a") + sender("baudRate 8000", "translation 4 0 0", "c") + listener()
    sim = simulation(text)
    first, second = sim.robot("a")["emitter"], sim.robot("c")["emitter"]
    second.send(b"c2")
    first.send(b"a3.")
    second.send(b"c4")
    first.send(b"a5")
    sim.step()
    receiver = sim.robot("b")["receiver"]
    order = [receiver.next_packet().data for _ in range(receiver.queue_length)]
    assert order == [b"c2", b"a3.", b"c4", b"a5"]  # ends: 2, 3, 4, 5 ms
    for each in (second, first, second):
        each.send(each.robot_name.encode())
    sim.step()
    order = [receiver.next_packet().data for _ in range(receiver.queue_length)]
    assert order == [b"a", b"c", b"c"]


def test_the_buffer_loses_what_does_not_fit(caplog: pytest.LogCaptureFixture) -> None:
    sim = simulation(sender() + listener("bufferSize 10"))
    emitter, receiver = sim.robot("a")["emitter"], sim.robot("b")["receiver"]
    with caplog.at_level(logging.WARNING):
        for index, size in enumerate([6, 5, 3, 1, 1]):
            emitter.send(bytes([index]) * size)
        sim.step()
        emitter.send(b"later")
        sim.step()
    assert receiver.lost == 3
    assert [record.getMessage() for record in caplog.records] == [
        "b/receiver: the buffer of 10 bytes is full, packets are lost from 0.01 s on (logged once)"
    ]
    assert [receiver.next_packet().data for _ in range(receiver.queue_length)] == [
        b"\0" * 6,
        b"\2" * 3,
        b"\3",
    ]
    assert len(heard(sim, b"0123456789")) == 1, "there is room again"


def test_the_buffer_is_looked_at_when_the_receiver_is_sampled() -> None:
    sim = simulation(sender() + listener("bufferSize 2"))
    emitter, receiver = sim.robot("a")["emitter"], sim.robot("b")["receiver"]
    sim.set_sampling_period(receiver, 0.03)
    for letter in (b"a", b"b", b"c", b"d"):
        emitter.send(letter)
        sim.step()
        if letter in (b"a", b"b"):
            assert receiver.queue_length == 0
    assert receiver.value[0].time_ns == 10_000_000
    assert [packet.data for packet in receiver.value] == [b"a", b"b"]
    receiver.next_packet()
    sim.step(2)
    assert [packet.data for packet in receiver.value] == [b"d"]


def test_packets_that_were_told_need_not_be_kept() -> None:
    sim = simulation(sender() + listener("bufferSize 1"))
    receiver = sim.robot("b")["receiver"]
    receiver.keeps_packets = False
    told: list[bytes] = []
    receiver.add_listener(lambda reading: told.extend(packet.data for packet in reading.value))
    for letter in (b"a", b"b", b"c"):
        assert not heard(sim, letter)
    assert told == [b"a", b"b", b"c"]
    assert receiver.lost == 0


def test_nothing_is_heard_while_nobody_listens() -> None:
    sim = simulation(sender() + listener())
    receiver = sim.robot("b")["receiver"]
    receiver.demand = lambda: False
    assert not heard(sim)
    receiver.demand = lambda: True
    assert len(heard(sim)) == 1
    receiver.enabled = False
    assert not heard(sim)


def test_the_queue_in_process() -> None:
    sim = simulation(sender() + listener())
    receiver = sim.robot("b")["receiver"]
    assert receiver.head is None
    with pytest.raises(CommandError, match="b/receiver: found an empty queue"):
        receiver.next_packet()
    sim.robot("a")["emitter"].send(b"one")
    sim.robot("a")["emitter"].send(b"two")
    sim.step()
    assert (receiver.queue_length, receiver.head.data) == (2, b"one")
    sim.step(3)
    assert [receiver.next_packet().data, receiver.next_packet().data] == [b"one", b"two"]


def test_noise_has_the_documented_spread() -> None:
    sim = simulation(sender() + listener("signalStrengthNoise 0.1 directionNoise 0.02"))
    emitter, receiver = sim.robot("a")["emitter"], sim.robot("b")["receiver"]
    count = 4000
    for _ in range(count // 40):
        for _ in range(40):
            emitter.send(b"x")
        sim.step()
    packets = [receiver.next_packet() for _ in range(receiver.queue_length)]
    strengths = np.array([packet.signal_strength for packet in packets])
    directions = np.array([packet.emitter_direction for packet in packets])
    assert len(set(strengths.tolist())) == count
    error = 5.0 / math.sqrt(2.0 * count)  # five standard errors of a standard deviation
    assert strengths.std() / 0.25 == pytest.approx(0.1, rel=error)
    assert strengths.mean() == pytest.approx(0.25, abs=5 * 0.025 / math.sqrt(count))
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(count))
    # across the direction of 2 m along -x the unit vector moves by σ in each axis, to first order
    assert directions[:, 1:].std(axis=0) == pytest.approx([0.02, 0.02], rel=error)
    assert directions[:, 1:].mean(axis=0) == pytest.approx([0.0, 0.0], abs=5 * 0.02 / math.sqrt(count))


def run(sim: Simulation) -> list[tuple[str, Any]]:
    """Return the packets of three robots that send on two channels at different speeds, while one changes
    its range."""
    logs: list[tuple[str, Any]] = []
    for step in range(60):
        for index, name in enumerate("acd"):
            emitter = sim.robot(name)["emitter"]
            if step % (index + 2) == 0:
                emitter.send(bytes([step, index]))
            if step == 30:
                emitter.set_channel(-1)
        if step == 40:
            sim.robot("c")["emitter"].set_range(2.5)
        sim.step()
        logs += [(name, sim.robot(name)["receiver"].value) for name in ("b", "e")]
    return [(name, packet) for name, packets in logs for packet in packets]


def test_two_runs_hear_the_same_and_so_does_one_after_a_reset() -> None:
    noise = "signalStrengthNoise 0.3 directionNoise 0.1"
    text = (
        sender("baudRate 4800")
        + sender("channel 1 baudRate 1200 bufferSize 6", "translation 1 1 0", "c")
        + sender('channel 1 type "infra-red"', "translation 0 3 0", "d")
        + listener(f"channel -1 bufferSize 40 {noise}")
        + listener(f'type "infra-red" channel 1 {noise}', "translation 3 3 0", "e")
    )
    first, second = simulation(text), simulation(text)
    heard_first = run(first)
    assert len(heard_first) > 30
    assert {name for name, _ in heard_first} == {"b", "e"}
    assert heard_first == run(second)
    second.reset()
    assert heard_first == run(second)
    assert heard_first != run(simulation(text, seed=1))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ("aperture -3", "aperture"),
        ("channel -2", "channel"),
        ("channel 1 allowedChannels [ 2, 3 ]", "channel"),
        ("baudRate -5", "baudRate"),
        ("byteSize 3", "byteSize"),
        ("bufferSize -2", "bufferSize"),
        ("signalStrengthNoise -0.1", "signalStrengthNoise"),
        ("directionNoise -1", "directionNoise"),
    ],
)
def test_a_bad_field_is_refused_by_name(fields: str, field: str) -> None:
    with pytest.raises(DeviceError, match=rf"w.wbt:\d+:\d+: Receiver.{field}: found .*, expected"):
        simulation(sender() + listener(fields))


MOVING = "boundingObject Box { size 0.1 0.2 0.2 } physics Physics { density -1 mass 1 }"


def test_what_moves_is_where_it_is_when_the_packet_arrives() -> None:
    """The receiver flies away at 1 m/s and is out of range after 0.45 s; a packet takes 0.1 s."""
    place = f"translation 2 0 0 linearVelocity 1 0 0 {MOVING}"
    text = sender("range 2.45 baudRate 80") + listener(place=place)
    sim = simulation(text)
    emitter, receiver = sim.robot("a")["emitter"], sim.robot("b")["receiver"]
    for _ in range(8):
        emitter.send(b"x")
        sim.step(10)
    packets = [receiver.next_packet() for _ in range(receiver.queue_length)]
    assert [packet.time_ns for packet in packets] == [100_000_000 * k for k in (1, 2, 3, 4)]
    for packet in packets:
        assert packet.signal_strength == pytest.approx(1.0 / (2.0 + packet.time_ns / 1e9) ** 2)


def test_an_obstacle_blocks_infra_red_while_it_passes() -> None:
    """A box 0.2 m wide crosses the line at 1 m/s: from y = -0.5 it blocks the line from 0.4 s to 0.6 s."""
    infra = 'type "infra-red"'
    box = f'Solid {{ name "box" translation 1 -0.5 0 linearVelocity 0 1 0 {MOVING} }}'
    text = sender(infra) + listener(infra) + box
    sim = simulation(text)
    missing = [sim.time for _ in range(100) if not heard(sim)]
    assert missing[0] == pytest.approx(0.4, abs=0.011)
    assert missing[-1] == pytest.approx(0.6, abs=0.011)
    assert len(missing) == pytest.approx(20, abs=2)
