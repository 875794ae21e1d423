"""The topics of Speaker and Microphone."""

import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from obeying import obey
from std_msgs.msg import Bool, Float32MultiArray, Float64, String

from ros_bridge.devices import make_bridge
from sim_core import load_world
from sim_core.base.errors import CommandError
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot { name "r" children [ Speaker { } Microphone { translation 2 0 0 sensitivity 0 } ] }"""


@pytest.fixture
def sim(tmp_path: Path) -> Simulation:
    with wave.open(str(tmp_path / "noise.wav"), "wb") as file:
        file.setparams((1, 2, 44100, 0, "NONE", ""))
        file.writeframes(np.arange(-8820, 8820, dtype="<i2").tobytes())  # 0.4 s
    (tmp_path / "w.wbt").write_text(WORLD, encoding="utf-8")
    return load_world(tmp_path / "w.wbt")


def test_the_topics_of_a_speaker(sim: Simulation) -> None:
    speaker = sim.robot("r")["speaker"]
    bridge = make_bridge(speaker)
    topics: dict[str, Any] = {item.name: item for item in bridge.inputs()}
    (playing,) = bridge.outputs()

    def is_playing() -> bool:
        message = Bool()
        playing.fill(message, sim.time_ns)
        return message.data

    assert not is_playing()
    obey(sim, topics["play"], String(data="noise.wav"))
    assert is_playing()
    sim.step(41)
    assert not is_playing()
    obey(sim, topics["loop"], String(data="noise.wav"))
    obey(sim, topics["volume"], Float64(data=0.5))
    obey(sim, topics["pitch"], Float64(data=2.0))
    assert (speaker.volume, speaker.pitch) == (0.5, 2.0)
    sim.step(100)
    assert is_playing()
    obey(sim, topics["stop"], String())
    assert not is_playing()
    with pytest.raises(CommandError, match='found the sound "/etc/hostname"'):
        obey(sim, topics["play"], String(data="/etc/hostname"))


def test_a_block_of_samples_and_a_level(sim: Simulation) -> None:
    microphone = sim.robot("r")["microphone"]
    obey(sim, make_bridge(sim.robot("r")["speaker"]).inputs()[0], String(data="noise.wav"))
    sim.step(5)
    outputs = {output.name: output for output in make_bridge(microphone).outputs()}
    block, level = Float32MultiArray(), Float64()
    for _ in range(2):
        sim.step()
        for suffix, message in (("", block), ("level", level)):
            outputs[suffix].constants(message)
            outputs[suffix].fill(message, microphone.reading)
    assert len(block.data) == 441
    assert (block.layout.dim[0].label, block.layout.dim[0].size) == ("samples at 44100 Hz", 441)
    assert np.array(block.data, np.float32).tobytes() == microphone.value.tobytes()
    assert np.diff(block.data) == pytest.approx(np.full(440, 1 / 32768 / 2), rel=0.1)
    assert level.data == microphone.reading.level > 60.0
