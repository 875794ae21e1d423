"""Emitter: when a packet arrives, the size of the buffer, and refused fields and commands."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from sim_core.base.errors import CommandError, DeviceError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

STEP_MS = 8


def world(emitter: str = "", receiver: str = "", more: str = "") -> Simulation:
    return Simulation(
        parse_scene(
            f"""#VRML_SIM R2025a utf8
            WorldInfo {{ basicTimeStep {STEP_MS} }}
            Robot {{ name "a" children [ Emitter {{ {emitter} }} ] }}
            Robot {{ name "b" translation 2 0 0 children [ Receiver {{ {receiver} }} ] }} {more}""",
            "w.wbt",
        )
    )


def ends(sim: Simulation) -> tuple[Any, Any]:
    return sim.robot("a")["emitter"], sim.robot("b")["receiver"]


def arrivals(sim: Simulation, steps: int) -> list[tuple[int, bytes]]:
    """Return sim time in whole steps and contents of the packets that arrive."""
    receiver = sim.robot("b")["receiver"]
    seen = []
    for _ in range(steps):
        sim.step()
        while receiver.queue_length:
            packet = receiver.next_packet()
            assert packet.time_ns % sim.step_ns == 0
            seen.append((packet.time_ns // sim.step_ns, packet.data))
    return seen


def steps_for(seconds: Fraction) -> int:
    """Return the number of the first step that ends at or after a time, never before the end of the next
    step."""
    return max(1, math.ceil(seconds / Fraction(STEP_MS, 1000)))


@pytest.mark.parametrize(
    ("size", "baud"),
    [(1, 1000), (1, 1001), (1, 999), (10, 9600), (100, 9600), (250, 115200), (3, 7), (1, 10**9)],
)
def test_n_bytes_at_b_baud_arrive_8n_b_seconds_later_to_the_step(size: int, baud: int) -> None:
    sim = world(f"baudRate {baud}")
    expected = steps_for(Fraction(8 * size, baud))
    ends(sim)[0].send(b"x" * size)
    assert arrivals(sim, expected + 2) == [(expected, b"x" * size)]


@pytest.mark.parametrize(("bits", "after"), [(8, 1), (10, 2), (16, 2), (17, 3)])
def test_the_bits_of_a_byte_lengthen_the_transmission(bits: int, after: int) -> None:
    sim = world(f"baudRate 1000 byteSize {bits}")  # a bit takes 1 ms, a step 8 ms
    ends(sim)[0].send(b"x")
    assert arrivals(sim, 5) == [(after, b"x")]


def test_without_a_baud_rate_all_packets_arrive_at_the_end_of_the_next_step() -> None:
    sim = world()
    sim.step(5)
    emitter, _ = ends(sim)
    for number in range(50):
        emitter.send(bytes([number]) * 1000)
    assert arrivals(sim, 3) == [(6, bytes([number]) * 1000) for number in range(50)]


def test_packets_go_one_after_another() -> None:
    sim = world("baudRate 3000")
    emitter, _ = ends(sim)
    sizes = [5, 1, 12, 3, 3, 3, 40]
    for index, size in enumerate(sizes):
        emitter.send(bytes([index]) * size)
    ended = [Fraction(8 * sum(sizes[: index + 1]), 3000) for index in range(len(sizes))]
    expected = [(steps_for(end), bytes([index]) * sizes[index]) for index, end in enumerate(ended)]
    assert arrivals(sim, 40) == expected


def test_the_rounding_to_steps_does_not_add_up() -> None:
    """A full queue delivers at the baud rate for ever: the k-th byte of many ends at 8k/b."""
    baud = 1234
    sim = world(f"baudRate {baud}")
    emitter, _ = ends(sim)
    for _ in range(200):
        emitter.send(b"x")
    times = [step for step, _ in arrivals(sim, 200)]
    assert times == [steps_for(Fraction(8 * (k + 1), baud)) for k in range(200)]


def test_an_idle_emitter_saves_no_time_up() -> None:
    sim = world("baudRate 1000")
    emitter, _ = ends(sim)
    sim.step(100)
    emitter.send(b"xy")
    assert arrivals(sim, 4) == [(102, b"xy")]


def test_the_buffer_takes_what_fits_and_nothing_else() -> None:
    sim = world("baudRate 1000 bufferSize 10")  # one byte a step
    emitter, _ = ends(sim)
    taken = [emitter.send(bytes([index]) * size) for index, size in enumerate([6, 5, 4, 1])]
    assert taken == [True, False, True, False]
    assert (emitter.queued_bytes, emitter.refused) == (10, 2)
    sim.step(5)
    assert not emitter.send(b"x"), "the packet on the air counts until its end"
    sim.step()
    assert emitter.queued_bytes == 4
    assert emitter.send(b"ninety")
    assert [data for _, data in arrivals(sim, 30)] == [b"\0" * 6, b"\2" * 4, b"ninety"]
    assert not emitter.send(b"x" * 11), "larger than the buffer"


def test_channel_and_range_count_as_they_were_at_send() -> None:
    sim = world("baudRate 1000 channel 3 range 2.5", "channel 3")
    emitter, _ = ends(sim)
    emitter.send(b"heard")
    emitter.set_channel(4)
    emitter.send(b"other")
    emitter.set_channel(3)
    emitter.set_range(1.9)
    emitter.send(b"short")
    emitter.set_range(2.0)
    emitter.send(b"just")
    assert [data for _, data in arrivals(sim, 30)] == [b"heard", b"just"]


def test_the_range_goes_up_to_max_range() -> None:
    emitter, _ = ends(world("range 1 maxRange 3"))
    assert emitter.range == 1.0
    assert emitter.set_range(2.0) is None and emitter.range == 2.0
    assert "maxRange, 3 m" in emitter.set_range(5.0) and emitter.range == 3.0
    emitter.set_range(1.0)
    assert emitter.set_range(-1.0) is None and emitter.range == 3.0
    unlimited, _ = ends(world("range 1"))
    unlimited.set_range(-1.0)
    assert unlimited.range == math.inf
    assert ends(world("maxRange 4"))[0].range == 4.0


def test_a_reset_gives_a_new_emitter() -> None:
    sim = world("baudRate 1000 channel 1 range 5", "channel 1")
    emitter, _ = ends(sim)
    emitter.send(b"before")
    emitter.set_channel(2)
    emitter.set_range(1.0)
    sim.step(2)
    sim.reset()
    assert (emitter.channel, emitter.range, emitter.queued_bytes) == (1, 5.0, 0)
    emitter.send(b"x")
    assert arrivals(sim, 20) == [(1, b"x")]


@pytest.mark.parametrize(
    ("call", "value", "match"),
    [
        ("send", b"", "found a packet of 0 bytes"),
        ("set_channel", -2, "channel: found -2"),
        ("set_range", -0.5, "range: found -0.5"),
        ("set_range", math.nan, "range: found nan"),
    ],
)
def test_a_bad_command_changes_nothing(call: str, value: Any, match: str) -> None:
    emitter, _ = ends(world("range 2 channel 5"))
    with pytest.raises(CommandError, match=match):
        getattr(emitter, call)(value)
    assert (emitter.range, emitter.channel, emitter.queued_bytes) == (2.0, 5, 0)


def test_only_allowed_channels_can_be_set() -> None:
    emitter, receiver = ends(world("channel 2 allowedChannels [ 2, 7 ]", "channel 7 allowedChannels [ 7 ]"))
    emitter.set_channel(7)
    with pytest.raises(
        CommandError, match="a/emitter: channel: found 3, expected one of allowedChannels: 2, 7"
    ):
        emitter.set_channel(3)
    with pytest.raises(CommandError, match="allowedChannels: 7"):
        receiver.set_channel(-1)
    assert (emitter.channel, receiver.channel) == (7, 7)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ("range -2", "range"),
        ("range 3 maxRange 2", "range"),
        ("maxRange -0.5", "maxRange"),
        ("aperture 7", "aperture"),
        ("aperture 0", "aperture"),
        ("channel -2", "channel"),
        ("channel 1 allowedChannels [ 2 ]", "channel"),
        ("allowedChannels [ -5 ]", "allowedChannels"),
        ("baudRate 0", "baudRate"),
        ("byteSize 7", "byteSize"),
        ("bufferSize 0", "bufferSize"),
    ],
)
def test_a_bad_field_is_refused_by_name(fields: str, field: str) -> None:
    with pytest.raises(DeviceError, match=rf"w.wbt:\d+:\d+: Emitter.{field}: found .*, expected"):
        world(fields)
