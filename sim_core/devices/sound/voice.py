"""One sound that a speaker plays, as a function of sim time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim_core.devices.sound.sound_file import Clip
from sim_core.devices.world_view import FloatArray


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time in which nothing about the playing changes.

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


class Voice:
    """A clip and the history of how it is played.

    Frames are joined by straight lines; of the last one to silence, or to the first one in a loop.
    """

    def __init__(self, clip: Clip, segment: Segment) -> None:
        self.clip = clip
        first = clip.frames[:1] if segment.loop else np.zeros((1, 2))
        self._frames = np.concatenate([clip.frames, first])
        self._segments = [segment]

    @property
    def segment(self) -> Segment:
        """How it is played now."""
        return self._segments[-1]

    def phase(self, time: float) -> float:
        """The frame played at a time in s."""
        now = self.segment
        phase = now.phase + (time - now.start) * now.speed
        return phase % len(self.clip.frames) if now.loop else phase

    def is_over(self, time: float) -> bool:
        """Whether the sound has ended, or was stopped, by a time in s."""
        return self.segment.speed == 0.0 or self.phase(time) >= len(self.clip.frames)

    def change(self, time: float, speed: float, left: float, right: float, loop: bool) -> None:
        """Play on differently from a time in s."""
        phase = self.phase(time)
        self._segments.append(Segment(time, phase, speed, left, right, loop))
        self._frames[-1] = self._frames[0] if loop else 0.0

    def stop(self, time: float) -> None:
        """Silence from a time in s on."""
        self.change(time, 0.0, 0.0, 0.0, False)

    def forget(self, time: float) -> bool:
        """Forget what was before a time in s; True: nothing is left to be heard after it."""
        while len(self._segments) > 1 and self._segments[1].start <= time:
            del self._segments[0]
        return len(self._segments) == 1 and self.is_over(time)

    def signal(self, times: FloatArray) -> FloatArray:
        """What is played at (n,) times in s: (n,), silence before the start."""
        heard = np.zeros(len(times))
        ends = [*(segment.start for segment in self._segments[1:]), math.inf]
        for segment, end in zip(self._segments, ends, strict=True):
            part = (times >= segment.start) & (times < end)
            if segment.speed and part.any():
                heard[part] = self._play(segment, times[part])
        return heard

    def _play(self, segment: Segment, times: FloatArray) -> FloatArray:
        count = len(self.clip.frames)
        phases = segment.phase + (times - segment.start) * segment.speed
        if segment.loop:
            phases %= count
        else:
            phases = np.minimum(phases, count)  # at `count` it is silent
        before = phases.astype(np.int64)
        rest = phases - before
        gains = np.array((segment.left, segment.right))
        low, high = (
            self._frames[np.minimum(before, count)] @ gains,
            self._frames[np.minimum(before + 1, count)] @ gains,
        )
        return np.where(before >= count, 0.0, low * (1.0 - rest) + high * rest)
