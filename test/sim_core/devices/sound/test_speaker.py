"""Speaker: what is played when, and refused commands and files."""

from __future__ import annotations

import math
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core import load_world
from sim_core.base.errors import CommandError
from sim_core.devices.sound.sound_medium import SoundMedium
from sim_core.session.simulation import Simulation

RATE = 8000
RAMP = np.linspace(0.0, 0.5, 801)  # 0.1 s; exact to hear where in the sound it is
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot { name "r" controller "mine" children [ Speaker { } ] }"""


def write(path: Path, frames: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1 if frames.ndim == 1 else 2, 4, RATE, 0, "NONE", ""))
        file.writeframes(np.rint(frames * (2**31 - 1)).astype("<i4").tobytes())


@pytest.fixture
def sim(tmp_path: Path) -> Simulation:
    (tmp_path / "project/worlds").mkdir(parents=True)
    write(tmp_path / "project/worlds/ramp.wav", RAMP)
    write(tmp_path / "project/worlds/stereo.wav", np.tile((0.8, -0.4), (800, 1)))
    write(tmp_path / "project/controllers/mine/own.wav", RAMP)
    write(tmp_path / "project/sounds/up.wav", RAMP)
    write(tmp_path / "outside.wav", RAMP)
    (tmp_path / "project/worlds/link.wav").symlink_to(tmp_path / "outside.wav")
    world = tmp_path / "project/worlds/w.wbt"
    world.write_text(WORLD, encoding="utf-8")
    return load_world(world)


def played(sim: Simulation, *times: float) -> Any:
    clip = sim.media.of(SoundMedium).clip
    voices = sim.robot("r")["speaker"].state.voices
    return sum(
        (each.signal(np.array(times), clip(Path(each.file)).frames) for each in voices), np.zeros(len(times))
    )


def ramp(seconds: float) -> float:
    """Return the ramp's value, silence before and after."""
    return 0.5 * seconds * RATE / 800 if 0.0 <= seconds <= 0.1 else 0.0


def test_a_sound_ends_when_time_begins_again(sim: Simulation) -> None:
    speaker = sim.robot("r")["speaker"]
    sim.step(3)
    speaker.play("ramp.wav", loop=True)
    sim.step(3)
    sim.restart_clock()
    assert not speaker.is_playing() and played(sim, -0.01, 0.0, 0.05) == pytest.approx((0.0, 0.0, 0.0))


def test_a_sound_starts_with_the_step_and_ends(sim: Simulation) -> None:
    speaker = sim.robot("r")["speaker"]
    sim.step(3)
    assert not speaker.is_playing()
    speaker.play("ramp.wav")
    times = (0.0, 0.0299, 0.03, 0.07, 0.101234, 0.1299, 0.1302, 1.0)
    expected = [ramp(time - 0.03) for time in times]
    assert played(sim, *times) == pytest.approx(expected, abs=1e-8)
    sim.step(10)
    assert speaker.is_playing() and speaker.is_playing("ramp.wav") and not speaker.is_playing("own.wav")
    sim.step(1)  # 801 frames end 1/8000 s after 0.13 s
    assert not speaker.is_playing()


def test_volume_and_pitch(sim: Simulation) -> None:
    sim.robot("r")["speaker"].play("ramp.wav", volume=0.25, pitch=2.0)
    expected = [0.25 * ramp(2.0 * time) for time in (0.01, 0.0345, 0.05, 0.06)]
    assert played(sim, 0.01, 0.0345, 0.05, 0.06) == pytest.approx(expected, abs=1e-8)


def test_a_loop_repeats_until_it_is_stopped(sim: Simulation) -> None:
    speaker = sim.robot("r")["speaker"]
    speaker.play("ramp.wav", loop=True)
    period = 801 / RATE
    assert played(sim, 0.02 + 7 * period) == pytest.approx([ramp(0.02)], abs=1e-8)
    half = 0.5 / RATE  # between the last frame and the first one
    assert played(sim, period - half) == pytest.approx([0.25], abs=1e-8)
    sim.step(50)
    assert speaker.is_playing("ramp.wav")
    speaker.stop("ramp.wav")
    assert not speaker.is_playing()
    assert played(sim, 0.6) == [0.0]
    assert played(sim, 0.02) == pytest.approx([ramp(0.02)], abs=1e-8), "what was played stays played"


def test_playing_again_changes_what_plays_and_starts_what_is_over(sim: Simulation) -> None:
    speaker = sim.robot("r")["speaker"]
    speaker.play("ramp.wav")
    sim.step(2)
    speaker.play("ramp.wav", volume=0.5, pitch=0.5)
    assert played(sim, 0.01, 0.04) == pytest.approx([ramp(0.01), 0.5 * ramp(0.03)], abs=1e-8)
    sim.step(20)
    assert not speaker.is_playing()
    speaker.play("ramp.wav")
    assert played(sim, 0.25) == pytest.approx([ramp(0.03)], abs=1e-8)


def test_sounds_add_up_and_the_speakers_own_volume_and_pitch_count_for_all(sim: Simulation) -> None:
    speaker = sim.robot("r")["speaker"]
    speaker.play("ramp.wav")
    speaker.play("own.wav", volume=0.5)
    assert played(sim, 0.02) == pytest.approx([1.5 * ramp(0.02)], abs=1e-8)
    sim.step(1)
    speaker.set_volume(0.1)
    speaker.set_pitch(3.0)
    assert played(sim, 0.02) == pytest.approx([0.15 * ramp(0.01 + 0.03)], abs=1e-8)
    speaker.play("../sounds/up.wav")
    assert played(sim, 0.02) == pytest.approx([0.15 * ramp(0.04) + 0.1 * ramp(0.03)], abs=1e-8)
    speaker.stop()
    assert not speaker.is_playing()


@pytest.mark.parametrize(
    ("side", "balance", "expected"),
    [
        ("both", 0.0, 0.2),
        ("left", 0.0, 0.8),
        ("right", 0.0, -0.4),
        ("both", -1.0, 0.4),
        ("both", 1.0, -0.2),
        ("left", 0.25, 0.6),
        ("left", 1.0, 0.0),
        ("right", -0.5, -0.2),
    ],
)
def test_sides_and_balance(sim: Simulation, side: str, balance: float, expected: float) -> None:
    sim.robot("r")["speaker"].play("stereo.wav", balance=balance, side=side)
    assert played(sim, 0.05) == pytest.approx([expected], abs=1e-8)


@pytest.mark.parametrize(
    ("sound", "options", "match"),
    [
        ("ramp.wav", {"volume": 1.5}, "r/speaker: volume: found 1.5, expected 0 to 1"),
        ("ramp.wav", {"volume": math.nan}, "volume: found nan"),
        ("ramp.wav", {"pitch": 0.0}, "pitch: found 0, expected a number above 0"),
        ("ramp.wav", {"balance": -2.0}, "balance: found -2"),
        ("ramp.wav", {"side": "middle"}, 'side: found "middle", expected one of both, left, right'),
        ("none.wav", {}, 'found the sound "none.wav", expected a file in .*controllers/mine or .*worlds'),
        ("", {}, 'found the sound ""'),
        ("../../outside.wav", {}, 'found the sound "../../outside.wav"'),
        ("link.wav", {}, 'found the sound "link.wav"'),
        ("/etc/passwd", {}, 'found the sound "/etc/passwd"'),
        ("a\0b.wav", {}, "found the sound"),
        ("x" * 5000, {}, "found the sound"),
        ("w.wbt", {}, "found the ending .wbt"),
    ],
)
def test_a_bad_command_changes_nothing(
    sim: Simulation, sound: str, options: dict[str, Any], match: str
) -> None:
    speaker = sim.robot("r")["speaker"]
    speaker.play("ramp.wav")
    with pytest.raises(CommandError, match=match):
        speaker.play(sound, **options)
    assert played(sim, 0.05) == pytest.approx([ramp(0.05)], abs=1e-8)


def test_an_absolute_path_inside_the_project_is_taken(sim: Simulation, tmp_path: Path) -> None:
    sim.robot("r")["speaker"].play(str(tmp_path / "project/sounds/up.wav"))
    assert played(sim, 0.05) == pytest.approx([ramp(0.05)], abs=1e-8)


def test_a_reset_is_silence(sim: Simulation) -> None:
    speaker = sim.robot("r")["speaker"]
    speaker.set_volume(0.3)
    speaker.set_pitch(2.0)
    speaker.play("ramp.wav", loop=True)
    sim.step(5)
    sim.reset()
    assert (speaker.volume, speaker.pitch, speaker.is_playing()) == (1.0, 1.0, False)
    assert played(sim, 0.02) == [0.0]


def test_what_is_long_over_is_forgotten(sim: Simulation) -> None:
    speaker = sim.robot("r")["speaker"]
    for _ in range(30):
        speaker.play("ramp.wav")
        speaker.set_volume(0.5)
        sim.step(20)
    assert speaker.is_audible(sim.time)
    assert played(sim, 0.05) == [0.0], "a second and more ago"
    sim.step(120)
    assert not speaker.is_audible(sim.time)
