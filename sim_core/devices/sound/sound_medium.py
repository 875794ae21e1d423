"""Propagation of sound from speakers to microphones."""

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
"""Speed of sound in dry air of 20 °C, m/s."""
REFERENCE_DISTANCE = 1.0
"""Distance at which a speaker that plays a signal of 1 makes a pressure of 1 Pa, m."""
MIN_DISTANCE = 0.1
"""Distance below which the pressure does not increase, m."""
MAX_DISTANCE = 300.0
"""Distance beyond which a speaker is not heard, m."""
HISTORY = 1.0
"""Time for which played sounds are kept, s; sound travels further than `MAX_DISTANCE` in it."""


@dataclass(eq=False)
class RemainingSound(State):
    """Sounds of a removed speaker, and its last position: m, world axes."""

    position: Vec3
    voices: list[Voice]


@dataclass(eq=False)
class SoundState(State):
    """Sounds of removed speakers that may still reach a microphone."""

    remaining: list[RemainingSound] = field(default_factory=list)


def audible_voices(voices: list[Voice], now: float) -> list[Voice]:
    """Return those sounds that may reach a microphone at a sim time in s or later, without their older
    parts."""
    return [voice for voice in voices if not voice.drop_before(now - HISTORY)]


class SoundMedium(Medium):
    """Computes the sound of all speakers at all microphones, including sounds of removed speakers.

    A speaker at distance r adds the pressure p(t) = s(t - r/c)·(1 Pa·m)/r, s being the signal it plays, in
    all directions and through everything; c is the speed of sound. Within a sampling period r changes at the
    rate that it has at the end of the period, so that an approaching source sounds higher, by the factor 1 +
    v/c. The distance that a speaker moves while the sound travels, r·v/c, is neglected.

    Attributes:
        before_change: called before a speaker changes what it plays.
    """

    state: SoundState
    state_type = SoundState

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self._speakers: list[Speaker] = []
        self.before_change: list[Callable[[], None]] = []
        self._clips: dict[Path, Clip] = {}

    def remove_devices(self) -> None:
        """Remove all speakers and microphones."""
        self._speakers.clear()
        self.before_change.clear()

    def add_speaker(self, speaker: Speaker) -> None:
        """Add a speaker."""
        self._speakers.append(speaker)

    def keep_voices(self, position: Vec3, voices: list[Voice]) -> None:
        """Keep the sounds of a removed speaker."""
        self.state.remaining = [sound for sound in self.state.remaining if sound.voices]
        self.state.remaining.append(RemainingSound(position, voices))

    def notify_change(self) -> None:
        """Make postponed readings of microphones, before a speaker changes what it plays."""
        for call in self.before_change:
            call()

    def clock_restarted(self) -> None:
        """Stop all sounds, including those that still travel."""
        self.state = SoundState()
        for speaker in self._speakers:
            speaker.state.voices.clear()

    def clip(self, path: Path) -> Clip:
        """Return the sound in a file; each file is read once.

        Raises:
            CommandError: the file cannot be read.
        """
        clip = self._clips.get(path)
        if clip is None:
            clip = self._clips[path] = read_clip(path)
        return clip

    def pressure(self, listener: Frame, cone: float, times: FloatArray, now: float) -> FloatArray:
        """Return the sound pressure at a microphone, (n,) Pa at (n,) sim times in s up to now.

        Args:
            listener: the microphone's frame.
            cone: a speaker is recorded if the cosine of its angle to the microphone's x axis is at least
                this.
            times: s.
            now: present sim time, s.
        """
        total = np.zeros(len(times))
        sources = [
            (speaker.frame.pose().position, speaker.frame.linear_velocity(), speaker.state.voices)
            for speaker in self._speakers
            if speaker.is_audible(now)
        ]
        for sound in self.state.remaining:
            sound.voices = audible_voices(sound.voices, now)
            sources.append((sound.position, ZERO, sound.voices))
        if not sources:
            return total
        position, rotation = listener.pose()
        velocity = listener.linear_velocity()
        for place, speed, voices in sources:
            offset = subtract(place, position)
            distance = norm(offset)
            if distance > MAX_DISTANCE or rotate_back(rotation, offset)[0] < cone * distance:
                continue
            growth = 0.0
            if distance > 0.0:
                growth = dot(subtract(speed, velocity), scale(offset, 1.0 / distance))
            distances = distance + growth * (times - now)
            sent = times - distances / SPEED_OF_SOUND
            signal = np.zeros(len(times))
            for voice in voices:
                signal += voice.signal(sent, self.clip(Path(voice.file)).frames)
            total += signal * (REFERENCE_DISTANCE / np.maximum(distances, MIN_DISTANCE))
        return total
