"""One sound that a speaker plays, as a function of sim time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.state import State

SIDES = {"both": (0.5, 0.5), "left": (1.0, 0.0), "right": (0.0, 1.0)}
"""Factors of the left and the right channel for each side."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time in which a sound is played with constant settings.

    Attributes:
        start: sim time in s.
        phase: frame that is played at the start.
        speed: frames per second.
        left, right: factors of the two channels.
        loop: the sound starts over at its end.
    """

    start: float
    phase: float
    speed: float
    left: float
    right: float
    loop: bool


class SoundSettings(NamedTuple):
    """Commanded settings of one sound."""

    volume: float
    pitch: float
    balance: float
    loop: bool
    side: str

    def apply(self, rate: int, volume: float, pitch: float) -> tuple[float, float, float]:
        """Return frames per second and the factors of left and right, with the speaker's own volume and
        pitch."""
        left, right = SIDES[self.side]
        left *= min(1.0, 1.0 - self.balance)
        right *= min(1.0, 1.0 + self.balance)
        gain = self.volume * volume
        return rate * self.pitch * pitch, gain * left, gain * right


@dataclass(eq=False)
class Voice(State):
    """A clip that is played, with the history of its settings.

    Frames are interpolated linearly; the last one towards silence, or towards the first one in a loop.

    Attributes:
        file: path of the clip.
        setting: last commanded settings.
        count: frames of the clip.
        segments: past and present settings.
    """

    file: str
    setting: SoundSettings
    count: int
    segments: list[Segment]

    @property
    def segment(self) -> Segment:
        """Present segment."""
        return self.segments[-1]

    def phase(self, time: float) -> float:
        """Return the frame played at a time in s."""
        now = self.segment
        phase = now.phase + (time - now.start) * now.speed
        return phase % self.count if now.loop else phase

    def is_over(self, time: float) -> bool:
        """Return True if the sound has ended, or was stopped, by a time in s."""
        return self.segment.speed == 0.0 or self.phase(time) >= self.count

    def change(self, time: float, speed: float, left: float, right: float, loop: bool) -> None:
        """Change the settings from a time in s on."""
        phase = self.phase(time)
        self.segments.append(Segment(time, phase, speed, left, right, loop))

    def end_at(self, time: float) -> None:
        """Stop from a time in s on."""
        self.change(time, 0.0, 0.0, 0.0, False)

    def drop_before(self, time: float) -> bool:
        """Discard segments before a time in s; return True if nothing is played after it."""
        while len(self.segments) > 1 and self.segments[1].start <= time:
            del self.segments[0]
        return len(self.segments) == 1 and self.is_over(time)

    def signal(self, times: FloatArray, frames: FloatArray) -> FloatArray:
        """Return the signal at (n,) times in s: (n,), silence before the start.

        Args:
            times: s.
            frames: (count, 2) of the clip.
        """
        samples = np.zeros(len(times))
        ends = [*(segment.start for segment in self.segments[1:]), math.inf]
        for segment, end in zip(self.segments, ends, strict=True):
            part = (times >= segment.start) & (times < end)
            if segment.speed and self.count and part.any():
                samples[part] = self._play(segment, times[part], frames)
        return samples

    def _play(self, segment: Segment, times: FloatArray, frames: FloatArray) -> FloatArray:
        count = self.count
        phases = segment.phase + (times - segment.start) * segment.speed
        if segment.loop:
            phases %= count
        else:
            phases = np.minimum(phases, count)  # silent from `count` on
        before = phases.astype(np.int64)
        rest = phases - before
        gains = np.array((segment.left, segment.right))
        following = frames[(before + 1) % count]
        if not self.segment.loop:
            following[before + 1 >= count] = 0.0
        low, high = frames[before % count] @ gains, following @ gains
        return np.where(before >= count, 0.0, low * (1.0 - rest) + high * rest)
