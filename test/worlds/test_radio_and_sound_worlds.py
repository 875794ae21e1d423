"""What the worlds of radio and sound say of themselves is so; their commands are sent without ROS."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import yaml
from obeying import obey

from ros_bridge.controllers.command_player import read_commands
from ros_bridge.devices import make_bridge
from sim_core import load_world
from sim_core.base.shipped import shipped_worlds
from sim_core.devices.sound.sound_file import read_clip
from sim_core.session.simulation import Simulation


def world(name: str) -> Simulation:
    return load_world(shipped_worlds()[f"devices/{name}"])


def perform(sim: Simulation, seconds: float, look: Callable[[], Any]) -> None:
    """Run a world with its command players; look after each step."""
    players = [
        _Player(sim, name) for name, robot in sim.robots.items() if robot.controller == "command_player"
    ]
    while sim.time < seconds:
        for player in players:
            player.play(sim.time_ns)
        sim.step()
        look()


class _Player:
    """Sends the commands of one robot as `command_player` does, at the exact times."""

    def __init__(self, sim: Simulation, robot: str) -> None:
        self._sim = sim
        self._commands, self._repeat = read_commands(sim.robot(robot).node["controllerArgs"])
        self._inputs = {
            f"{device.name}/{item.name}": item
            for device in sim.robot(robot).devices.values()
            for item in make_bridge(device).inputs()
        }
        self._next = self._start = 0

    def play(self, now: int) -> None:
        while self._next < len(self._commands) and self._start + self._commands[self._next].time_ns <= now:
            command = self._commands[self._next]
            item = self._inputs[command.topic]
            obey(self._sim, item, item.message_type(data=yaml.safe_load(str(command.value))))
            self._next += 1
            if self._next == len(self._commands) and self._repeat:
                self._next, self._start = 0, self._start + self._repeat


def heard(name: str, seconds: float) -> dict[str, list[tuple[int, bytes]]]:
    """Sim time in ns and contents of what each robot hears."""
    sim = world(name)
    packets: dict[str, list[tuple[int, bytes]]] = {
        robot.name: [] for robot in sim.robots.values() if "receiver" in robot
    }

    def look() -> None:
        for robot, found in packets.items():
            found += [(packet.time_ns, packet.data) for packet in sim.robot(robot)["receiver"].value]

    perform(sim, seconds, look)
    return packets


def test_the_far_listener_hears_half_and_all_comes_half_a_second_later() -> None:
    packets = heard("emitter", 8.0)
    # 40 bits at 80 baud end 0.5 s after k seconds: the first step of 8 ms that ends then or later
    expected = [-(-Fraction(2 * k + 1, 2) // Fraction(8, 1000)) * 8_000_000 for k in range(8)]
    assert [time for time, _ in packets["near"]] == expected
    assert [data for _, data in packets["near"]] == [b"hello", b"hello", b"close", b"close"] * 2
    assert [data for _, data in packets["far"]] == [b"hello", b"hello"] * 2


def test_the_beam_is_heard_as_it_passes() -> None:
    packets = heard("receiver", 12.5)  # two turns at 1 rad/s
    assert not packets["hidden"] and not packets["turned away"]
    per_turn = 0.52 / 0.1  # the beam's width over the angle between two packets
    assert abs(len(packets["front"]) - 2 * per_turn) <= 2
    assert abs(len(packets["left"]) - 2 * per_turn) <= 2
    left = [time / 1e9 for time, _ in packets["left"] if time < 6e9]
    assert abs(sum(left) / len(left) - math.pi / 2) < 0.06


def test_the_level_rises_while_the_loudspeaker_passes() -> None:
    sim = world("speaker")
    microphone = sim.robot("listener")["microphone"]
    places: list[tuple[float, float, float]] = []
    perform(
        sim,
        8.0 + 8.0,
        lambda: places.append((sim.time, sim.robot("rail")["motor"].position, microphone.reading.level)),
    )
    loudest: dict[int, tuple[float, float]] = {}
    for time, place, level in places:
        pass_ = int(time // 4.0)
        loudest[pass_] = max(loudest.get(pass_, (0.0, 0.0)), (level, place))
    assert abs(loudest[2][0] - loudest[1][0] - 20.0 * math.log10(2.0)) < 1.0
    assert all(abs(place) < 0.5 for _, place in list(loudest.values())[1:])
    far = max(level for time, place, level in places if time > 8.0 and time < 12.0 and abs(place) > 1.6)
    nearest, farthest = 0.4, math.hypot(1.6, 0.4)
    assert abs(loudest[2][0] - far - 20.0 * math.log10(farthest / nearest)) < 1.0


def test_the_ears_take_turns() -> None:
    sim = world("microphone")
    ears = [sim.robot("head")[name] for name in ("left ear", "right ear")]
    levels: list[tuple[float, float, float]] = []
    perform(sim, 6.2, lambda: levels.append((sim.time, *(ear.reading.level for ear in ears))))
    for time, left, right in levels:
        turned = time % (2.0 * math.pi)  # the loudspeaker is to the head's right while it is turned left
        if 0.3 < turned < math.pi - 0.3:
            assert left == 0.0
        if math.pi + 0.3 < turned < 2.0 * math.pi - 0.3:
            assert right == 0.0
    assert max(left for _, left, _ in levels) > 60.0
    assert max(right for _, _, right in levels) > 60.0


def test_the_beep_is_a_tone_of_440_hz_that_fades() -> None:
    clip = read_clip(shipped_worlds()["devices/speaker"].parent / "sounds/beep.wav")
    times = np.arange(4000) / clip.rate
    tone = np.where(times < 0.25, np.sin(2.0 * np.pi * 440.0 * times) * (1.0 - times / 0.25), 0.0)
    assert np.abs(clip.frames - tone[:, None]).max() < 1.5 / 128
