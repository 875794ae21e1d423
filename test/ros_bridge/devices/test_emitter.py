"""Input topics of an Emitter."""

import math
from typing import Any

import pytest
from obeying import obey
from std_msgs.msg import Float64, Int32, UInt8MultiArray

from ros_bridge.devices.emitter import EmitterBridge
from ros_bridge.topics.outcomes import OutcomeLog
from sim_core.base.errors import CommandError
from sim_core.scene import parse_scene
from sim_core.session.pipeline import decoded
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot { name "a" children [ Emitter { channel 4 maxRange 3 bufferSize 8 baudRate 8000 } ] }
Robot { name "b" translation 2 0 0 children [ Receiver { channel -1 } ] }"""


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD))


def inputs(sim: Simulation) -> dict[str, Any]:
    return {item.name: item for item in EmitterBridge(sim.robot("a")["emitter"]).inputs()}


def test_a_message_is_a_packet_that_arrives_8n_b_seconds_after_the_next_step_starts(sim: Simulation) -> None:
    receiver = sim.robot("b")["receiver"]
    sim.step(3)
    assert obey(sim, inputs(sim)["send"], UInt8MultiArray(data=bytes([0, 7, 255]))) is None
    sim.step()  # 3 bytes at 8000 baud take 3 ms
    packet = receiver.next_packet()
    assert (packet.data, packet.time_ns) == (b"\x00\x07\xff", 32_000_000)


def test_channel_and_range_come_in(sim: Simulation) -> None:
    emitter = sim.robot("a")["emitter"]
    topics = inputs(sim)
    obey(sim, topics["channel"], Int32(data=-1))
    assert obey(sim, topics["range"], Float64(data=2.5)) is None
    assert (emitter.channel, emitter.range) == (-1, 2.5)
    assert "clamped" in obey(sim, topics["range"], Float64(data=9.0))
    with pytest.raises(CommandError):
        obey(sim, topics["channel"], Int32(data=-2))
    with pytest.raises(CommandError):
        obey(sim, topics["range"], Float64(data=math.nan))
    with pytest.raises(CommandError, match="0 bytes"):
        obey(sim, topics["send"], UInt8MultiArray())
    assert (emitter.channel, emitter.range, emitter.queued_bytes) == (-1, 3.0, 0)


def test_what_does_not_fit_is_said_once(sim: Simulation) -> None:
    said: list[str] = []
    log, pipeline = OutcomeLog(said.append), Session(sim).pipeline
    send = inputs(sim)["send"]
    for _ in range(5):
        command = decoded("/a/emitter/send", send.decode, UInt8MultiArray(data=b"12345"))
        log.log("/a/emitter/send", pipeline.submit(command))
    assert said == ["/a/emitter/send: send: emitter did not accept it (logged once)"]
    assert sim.robot("a")["emitter"].refused == 4
