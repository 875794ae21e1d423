"""The air between speakers and microphones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim_core.base.geometry import dot, norm, rotate_back, scale, subtract
from sim_core.devices.media import Medium
from sim_core.devices.sound.sound_file import Clip, read_clip
from sim_core.engines.world_view import Frame, World
from sim_core.sensing.rays import FloatArray, RayBatch

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


class SoundMedium(Medium):
    """Carries the sound of all speakers to all microphones.

    A speaker at distance r adds the pressure p(t) = s(t - r/c)·(1 Pa·m)/r, s being what it plays, in all
    directions and through everything; c is the speed of sound. Within a sampling period r changes at the rate
    that both have at its end, so that what comes nearer sounds higher, by the factor 1 + v/c. The way that a
    speaker has gone while the sound was under way, r·v/c, is left out.

    Attributes:
        before_change: called before a speaker plays something else.
    """

    def __init__(self, world: World, new_rays: Callable[[], RayBatch]) -> None:
        super().__init__(world, new_rays)
        self._speakers: list[Speaker] = []
        self.before_change: list[Callable[[], None]] = []
        self._clips: dict[Path, Clip] = {}

    def add_speaker(self, speaker: Speaker) -> None:
        """A speaker was made."""
        self._speakers.append(speaker)

    def about_to_change(self) -> None:
        """A speaker will play something else from now on."""
        for call in self.before_change:
            call()

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
        sounding = [speaker for speaker in self._speakers if speaker.is_heard(now)]
        if not sounding:
            return total
        position, rotation = listener.pose()
        velocity = listener.linear_velocity()
        for speaker in sounding:
            offset = subtract(speaker.frame.pose().position, position)
            distance = norm(offset)
            if distance > REACH or rotate_back(rotation, offset)[0] < cone * distance:
                continue
            growth = 0.0
            if distance > 0.0:
                relative = subtract(speaker.frame.linear_velocity(), velocity)
                growth = dot(relative, scale(offset, 1.0 / distance))
            distances = distance + growth * (times - now)
            sent = times - distances / SPEED_OF_SOUND
            total += speaker.signal(sent) * (REFERENCE_DISTANCE / np.maximum(distances, NEAREST))
        return total
