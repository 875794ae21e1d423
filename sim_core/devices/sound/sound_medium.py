"""The air between speakers and microphones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import ZERO, Vec3, dot, norm, rotate_back, scale, subtract
from sim_core.base.state import State
from sim_core.devices.media import Media, Medium
from sim_core.devices.sound.sound_file import Clip, read_clip
from sim_core.devices.sound.voice import Voice
from sim_core.engines.world_view import Frame

if TYPE_CHECKING:
    from sim_core.devices.sound.speaker import Speaker

SPEED_OF_SOUND = 343.0
"""m/s, dry air of 20 °C."""
REFERENCE_DISTANCE = 1.0
"""m at which a speaker that plays a signal of 1 makes a pressure of 1 Pa."""
NEAREST = 0.1
"""m; sound is not stronger any nearer."""
REACH = 300.0
"""m; beyond, a speaker is not heard."""
HISTORY = 1.0
"""s that speakers remember what they played; sound travels further than `REACH` in it."""


@dataclass(eq=False)
class Echo(State):
    """What a speaker has played that has gone, and where it was then: m, world axes."""

    position: Vec3
    voices: list[Voice]


@dataclass(eq=False)
class SoundState(State):
    """What is still to be heard of speakers that have gone."""

    echoes: list[Echo] = field(default_factory=list)


def still_heard(voices: list[Voice], now: float) -> list[Voice]:
    """Those of which something may reach a microphone at a sim time in s, or later."""
    return [voice for voice in voices if not voice.forget(now - HISTORY)]


class SoundMedium(Medium):
    """Carries the sound of all speakers to all microphones; also what speakers played that have gone since.

    A speaker at distance r adds the pressure p(t) = s(t - r/c)·(1 Pa·m)/r, s being what it plays, in all
    directions and through everything; c is the speed of sound. Within a sampling period r changes at the rate
    that both have at its end, so that what comes nearer sounds higher, by the factor 1 + v/c. The way that a
    speaker has gone while the sound was under way, r·v/c, is left out.

    Attributes:
        before_change: called before a speaker plays something else.
    """

    state: SoundState
    state_type = SoundState

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self._speakers: list[Speaker] = []
        self.before_change: list[Callable[[], None]] = []
        self._clips: dict[Path, Clip] = {}

    def forget(self) -> None:
        """No speakers and microphones are there."""
        self._speakers.clear()
        self.before_change.clear()

    def add_speaker(self, speaker: Speaker) -> None:
        """A speaker is there."""
        self._speakers.append(speaker)

    def keep(self, position: Vec3, voices: list[Voice]) -> None:
        """What a speaker has played that has gone."""
        self.state.echoes = [echo for echo in self.state.echoes if echo.voices]
        self.state.echoes.append(Echo(position, voices))

    def about_to_change(self) -> None:
        """A speaker will play something else from now on."""
        for call in self.before_change:
            call()

    def clock_restarted(self) -> None:
        """What plays, and what is under way, ends."""
        self.state = SoundState()
        for speaker in self._speakers:
            speaker.state.voices.clear()

    def clip(self, path: Path) -> Clip:
        """The sound in a file; each file is read once.

        Raises:
            CommandError: it cannot be read.
        """
        clip = self._clips.get(path)
        if clip is None:
            clip = self._clips[path] = read_clip(path)
        return clip

    def pressure(self, listener: Frame, cone: float, times: FloatArray, now: float) -> FloatArray:
        """Sound pressure where a microphone is, (n,) Pa at (n,) sim times in s up to now.

        Args:
            listener: the microphone's frame.
            cone: speakers are heard if the cosine of their angle to its x axis is at least this.
            times: s.
            now: sim time in s that the world is at.
        """
        total = np.zeros(len(times))
        sources = [
            (speaker.frame.pose().position, speaker.frame.linear_velocity(), speaker.state.voices)
            for speaker in self._speakers
            if speaker.is_heard(now)
        ]
        for echo in self.state.echoes:
            echo.voices = still_heard(echo.voices, now)
            sources.append((echo.position, ZERO, echo.voices))
        if not sources:
            return total
        position, rotation = listener.pose()
        velocity = listener.linear_velocity()
        for place, speed, voices in sources:
            offset = subtract(place, position)
            distance = norm(offset)
            if distance > REACH or rotate_back(rotation, offset)[0] < cone * distance:
                continue
            growth = 0.0
            if distance > 0.0:
                growth = dot(subtract(speed, velocity), scale(offset, 1.0 / distance))
            distances = distance + growth * (times - now)
            sent = times - distances / SPEED_OF_SOUND
            signal = np.zeros(len(times))
            for voice in voices:
                signal += voice.signal(sent, self.clip(Path(voice.file)).frames)
            total += signal * (REFERENCE_DISTANCE / np.maximum(distances, NEAREST))
        return total
