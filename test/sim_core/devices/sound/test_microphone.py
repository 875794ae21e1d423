"""Microphone: pressure, delay, pitch and direction of sounds, against the laws of sound in air."""

from __future__ import annotations

import math
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sim_core import load_world
from sim_core.base.errors import DeviceError
from sim_core.devices.sound.microphone import SAMPLE_RATE
from sim_core.session.simulation import Simulation

C = 343.0
STEP = 0.01
World = Callable[..., Simulation]


def sine(frequency: float, seconds: float, amplitude: float = 1.0) -> np.ndarray:
    return amplitude * np.sin(2.0 * np.pi * frequency * np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a function that makes a world with a robot "s" with the speaker, and "m" with the microphone."""

    def make(
        sound: np.ndarray, place: str = "", mic: str = "sensitivity 0", at: str = "", own: str = ""
    ) -> Simulation:
        with wave.open(str(tmp_path / "sound.wav"), "wb") as file:
            file.setparams((1, 4, SAMPLE_RATE, 0, "NONE", ""))
            file.writeframes(np.rint(sound * (2**31 - 1)).astype("<i4").tobytes())
        path = tmp_path / "w.wbt"
        path.write_text(
            f"""#VRML_SIM R2025a utf8
            WorldInfo {{ basicTimeStep {1000 * STEP} gravity 0 }}
            Robot {{ name "s" {place} children [ Speaker {{ }} ] }}
            Robot {{ name "m" {at} children [ Microphone {{ {mic} }} {own} ] }}""",
            encoding="utf-8",
        )
        return load_world(path)

    return make


def play(sim: Simulation, robot: str = "s") -> None:
    sim.robot(robot)["speaker"].play("sound.wav", loop=True)


def hear(sim: Simulation, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return times and samples of some steps, all blocks joined."""
    start = round(sim.time * SAMPLE_RATE) + 1
    blocks = []
    for _ in range(steps):
        sim.step()
        blocks.append(sim.robot("m")["microphone"].value)
    samples = np.concatenate(blocks).astype(float)
    return np.arange(start, start + len(samples)) / SAMPLE_RATE, samples


def rms(samples: np.ndarray) -> float:
    return math.sqrt(float(np.mean(samples**2)))


def frequency(times: np.ndarray, samples: np.ndarray) -> float:
    """Return the frequency of a sine: rising zero crossings, interpolated, per second."""
    up = np.flatnonzero((samples[:-1] < 0.0) & (samples[1:] >= 0.0))
    at = times[up] + samples[up] / (samples[up] - samples[up + 1]) / SAMPLE_RATE
    return (len(at) - 1) / (at[-1] - at[0])


def test_silence(world: World) -> None:
    sim = world(sine(440.0, 1.0))
    _, samples = hear(sim, 3)
    assert not samples.any()
    assert sim.robot("m")["microphone"].reading.level == 0.0


@pytest.mark.parametrize("distance", [0.5, 1.0, 3.43, 34.3])
def test_pressure_falls_with_1_r_and_comes_r_over_c_later(world: World, distance: float) -> None:
    sim = world(sine(441.0, 1.0), f"translation 0 {distance} 0")
    play(sim)
    times, samples = hear(sim, 30)
    delay = distance / C
    expected = np.where(times < delay, 0.0, np.sin(2.0 * np.pi * 441.0 * (times - delay)) / distance)
    # straight lines between frames: h²·ω²/8 of the amplitude
    error = (2.0 * np.pi * 441.0 / SAMPLE_RATE) ** 2 / 8.0 / distance
    assert np.abs(samples - expected).max() < 1.01 * error + 1e-7 / distance


def test_a_click_arrives_at_its_time(world: World) -> None:
    click = np.zeros(SAMPLE_RATE)
    click[441] = 1.0  # 10 ms
    sim = world(click, "translation 3 4 0")
    play(sim)
    times, samples = hear(sim, 10)
    assert float(samples @ times / samples.sum()) == pytest.approx(0.01 + 5.0 / C, abs=1e-9)


@pytest.mark.parametrize(("sensitivity", "volts"), [(-50.0, 10**-2.5), (0.0, 1.0), (-20.0, 0.1)])
def test_sensitivity_is_in_db_re_1_volt_per_pascal(world: World, sensitivity: float, volts: float) -> None:
    sim = world(sine(441.0, 1.0, 0.5), "translation 2 0 0", f"sensitivity {sensitivity}")
    play(sim)
    sim.step(5)
    _, samples = hear(sim, 50)
    assert rms(samples) == pytest.approx(volts * 0.5 / 2.0 / math.sqrt(2.0), rel=1e-3)


def test_the_level_is_re_20_micropascal(world: World) -> None:
    sim = world(sine(4410.0, 1.0, 0.8), "translation 0 0 2")
    play(sim)
    sim.step(5)
    expected = 20.0 * math.log10(0.8 / 2.0 / math.sqrt(2.0) / 20e-6)
    error = 8.7 * (2.0 * np.pi * 4410.0 / SAMPLE_RATE) ** 2 / 8.0
    assert sim.robot("m")["microphone"].reading.level == pytest.approx(expected, abs=error)


def test_sources_add_up_those_of_the_own_robot_too(world: World) -> None:
    def samples(*robots: str) -> np.ndarray:
        sim = world(sine(441.0, 1.0), "translation 1 0 0", own="Speaker { translation 0 2 0 }")
        for robot in robots:
            play(sim, robot)
        return hear(sim, 5)[1]

    assert samples("s", "m") == pytest.approx(samples("s") + samples("m"), abs=1e-6)


def test_a_microphone_beside_its_speaker(tmp_path: Path, world: World) -> None:
    sim = world(sine(441.0, 1.0))  # both at the origin: as at a distance of 0.1 m, without delay
    play(sim)
    times, samples = hear(sim, 5)
    assert samples == pytest.approx(10.0 * np.sin(2.0 * np.pi * 441.0 * times), abs=1e-5)


@pytest.mark.parametrize("speed", [10.0, -10.0])
@pytest.mark.parametrize("mover", ["s", "m"])
def test_doppler_shift(world: World, speed: float, mover: str) -> None:
    """On a line, approaching with v > 0: f(1 + v/c); for a moving source f/(1 - v/c), up to (v/c)²."""
    body = "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 }"
    moving = {"s": f"linearVelocity {-speed} 0 0 {body}", "m": f"linearVelocity {speed} 0 0 {body}"}
    sim = world(
        sine(1000.0, 1.0),
        f"translation 20 0 0 {moving['s'] if mover == 's' else ''}",
        at=moving["m"] if mover == "m" else "",
    )
    play(sim)
    sim.step(10)
    times, samples = hear(sim, 50)
    assert frequency(times, samples) == pytest.approx(1000.0 * (1.0 + speed / C), abs=0.1)


def test_the_pitch_changes_the_frequency(world: World) -> None:
    sim = world(sine(500.0, 1.0), "translation 1 0 0")
    sim.robot("s")["speaker"].play("sound.wav", pitch=1.5, loop=True)
    sim.step(1)
    times, samples = hear(sim, 50)
    assert frequency(times, samples) == pytest.approx(750.0, rel=1e-5)


@pytest.mark.parametrize(("angle", "hears"), [(0.0, True), (0.49, True), (0.51, False), (math.pi, False)])
def test_the_aperture_is_a_cone_round_x(world: World, angle: float, hears: bool) -> None:
    sim = world(sine(441.0, 1.0), "translation 2 0 0", f"aperture 1 rotation 0 0 1 {angle}")
    play(sim)
    sim.step(3)
    assert bool(sim.robot("m")["microphone"].value.any()) == hears


@pytest.mark.parametrize("step", [0.01, 0.03])
def test_blocks_have_the_length_of_the_sampling_period(world: World, step: float) -> None:
    sim = world(sine(441.0, 1.0), "translation 1 0 0")
    microphone = sim.robot("m")["microphone"]
    sim.set_sampling_period(microphone, step)
    lengths = []
    microphone.add_listener(lambda reading: lengths.append(len(reading.value)))
    sim.run(3.0)
    assert sum(lengths) == 3 * SAMPLE_RATE
    assert set(lengths) == {round(step * SAMPLE_RATE)}


def test_an_unread_block_changes_none_that_follows(world: World) -> None:
    sims = [world(sine(441.0, 1.0), "translation 1 0 0") for _ in range(2)]
    sims[1].robot("m")["microphone"].enabled = False
    for sim in sims:
        play(sim)
        sim.step(7)
        sim.robot("m")["microphone"].enabled = True
        sim.step()
    first, second = (sim.robot("m")["microphone"].value.tobytes() for sim in sims)
    assert first == second


def test_a_run_after_a_reset_sounds_the_same(world: World) -> None:
    sim = world(sine(333.0, 0.5), "translation 1 0.3 0")

    def run() -> bytes:
        play(sim)
        first = hear(sim, 5)[1]
        sim.robot("s")["speaker"].set_volume(0.3)
        return first.tobytes() + hear(sim, 5)[1].tobytes()

    first = run()
    sim.reset()
    assert run() == first


@pytest.mark.parametrize(
    ("fields", "field"), [("aperture -2", "aperture"), ("sensitivity 1e9", "sensitivity")]
)
def test_a_bad_field_is_refused_by_name(world: World, fields: str, field: str) -> None:
    with pytest.raises(DeviceError, match=rf"w.wbt:\d+:\d+: Microphone.{field}: found .*, expected"):
        world(sine(1.0, 0.1), mic=fields)
