"""Speaker: plays sound files that microphones hear."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sim_core.base.errors import CommandError
from sim_core.devices.base import Actuator, DeviceContext, DeviceState, check_finite
from sim_core.devices.commands import Flag, Number, Text, command
from sim_core.devices.sound.sound_medium import HISTORY, SoundMedium
from sim_core.devices.sound.sound_path import find_sound
from sim_core.devices.sound.voice import SIDES, Segment, Setting, Voice
from sim_core.scene import Node
from sim_core.sensing.rays import FloatArray


@dataclass(eq=False)
class SpeakerState(DeviceState):
    """What a speaker plays.

    Attributes:
        voices: all that may still be under way to a microphone.
        volume, pitch: factors of all of them.
    """

    voices: list[Voice] = field(default_factory=list)
    volume: float = 1.0
    pitch: float = 1.0


class Speaker(Actuator):
    """Plays any number of sound files at once, from the sim time of the command on.

    It plays the sum over its sounds of volume·(a·left·min(1, 1 - balance) + b·right·min(1, 1 + balance)),
    with (a, b) = (½, ½), (1, 0) or (0, 1) for the side `both`, `left` or `right`. Both channels of a mono
    sound are equal. A sound runs at its own speed times `pitch`. See Webots reference, Speaker.

    Files: see `sound_path.py`. Text is not spoken.

    Attributes:
        frame: the frame of the device.
    """

    state: SpeakerState

    def __init__(self, node: Node, context: DeviceContext) -> None:
        super().__init__(node, context)
        self.frame = context.world.frame(node)
        self._file = context.world.scene.file
        self._controller: str = context.robot["controller"]
        self.state = self.initial()
        self._medium = context.media.of(SoundMedium)
        self._medium.add_speaker(self)

    def initial(self) -> SpeakerState:
        """Silence, and nothing under way."""
        return SpeakerState()

    @property
    def volume(self) -> float:
        """Factor of all its sounds, from 0 to 1."""
        return self.state.volume

    @property
    def pitch(self) -> float:
        """Factor of the speed of all its sounds."""
        return self.state.pitch

    @command(
        sound=Text(),
        volume=Number(optional=True),
        pitch=Number(optional=True),
        balance=Number(optional=True),
        loop=Flag(optional=True),
        side=Text(optional=True),
    )
    def play(
        self,
        sound: str,
        volume: float = 1.0,
        pitch: float = 1.0,
        balance: float = 0.0,
        loop: bool = False,
        side: str = "both",
    ) -> None:
        """Play a file; one that is playing on this side goes on, with the new settings.

        Args:
            sound: path of the file, see `find_sound`.
            volume: from 0 to 1.
            pitch: factor of the speed, above 0.
            balance: -1 mutes the right channel, 1 the left one.
            loop: start over at the end.
            side: `both`, `left` or `right`: what this speaker plays of a stereo sound.

        Raises:
            CommandError: a value out of its range, or a file that cannot be read; nothing changes.
        """
        setting = Setting(
            self._number("volume", volume, 0.0, 1.0),
            self._factor(pitch),
            self._number("balance", balance, -1.0, 1.0),
            bool(loop),
            side,
        )
        if side not in SIDES:
            raise CommandError(f'{self._what}: side: found "{side}", expected one of {", ".join(SIDES)}')
        path = find_sound(sound, self._file, self._controller)
        clip = self._medium.clip(path)
        self._medium.about_to_change()
        now = self._now
        self._forget(now)
        voice = self._voice(str(path), side)
        if voice is not None and not voice.is_over(now):
            voice.setting = setting
            self._change(voice, now)
            return
        speed, left, right = setting.apply(clip.rate, self.state.volume, self.state.pitch)
        segment = Segment(now, 0.0, speed, left, right, setting.loop)
        self.state.voices.append(Voice(str(path), setting, len(clip.frames), [segment]))

    @command(sound=Text(optional=True))
    def stop(self, sound: str = "") -> None:
        """Stop a sound on all sides; without a name, all sounds. One that is not playing may be stopped too.

        Raises:
            CommandError: there is no such file.
        """
        self._stop(find_sound(sound, self._file, self._controller) if sound else None)

    def _stop(self, path: Path | None) -> None:
        self._medium.about_to_change()
        for voice in self.state.voices:
            if path in (None, Path(voice.file)) and not voice.is_over(self._now):
                voice.stop(self._now)

    def is_playing(self, sound: str = "") -> bool:
        """Whether a sound, or without a name any, is playing.

        Raises:
            CommandError: there is no such file.
        """
        path = find_sound(sound, self._file, self._controller) if sound else None
        now = self._now
        return any(path in (None, Path(voice.file)) and not voice.is_over(now) for voice in self.state.voices)

    @command(meets_faults=False, volume=Number())
    def set_volume(self, volume: float) -> None:
        """Make all sounds quieter by a factor from 0 to 1.

        Raises:
            CommandError: out of that range; nothing changes.
        """
        volume = self._number("volume", volume, 0.0, 1.0)
        self._medium.about_to_change()
        self.state.volume = volume
        self._change_all()

    @command(meets_faults=False, pitch=Number())
    def set_pitch(self, pitch: float) -> None:
        """Play all sounds faster or slower by a factor.

        Raises:
            CommandError: not above 0; nothing changes.
        """
        pitch = self._factor(pitch)
        self._medium.about_to_change()
        self.state.pitch = pitch
        self._change_all()

    def is_heard(self, now: float) -> bool:
        """For the medium: whether something that it played may reach a microphone at a sim time in s."""
        if self.state.voices:
            self._forget(now)
        return bool(self.state.voices)

    def signal(self, times: FloatArray) -> FloatArray:
        """For the medium: what is played at (n,) sim times in s, (n,)."""
        total = np.zeros(len(times))
        for voice in self.state.voices:
            total += voice.signal(times, self._medium.clip(Path(voice.file)).frames)
        return total

    def let_go(self) -> None:
        """Silence."""
        self._stop(None)

    def clock_restarted(self, before_ns: int) -> None:
        """What plays, and what is under way, ends."""
        self.state.voices.clear()

    @property
    def _now(self) -> float:
        return self.world.time_ns / 1e9

    @property
    def _what(self) -> str:
        return f"{self.robot_name}/{self.name}"

    def _change_all(self) -> None:
        now = self._now
        self._forget(now)
        for voice in self.state.voices:
            if not voice.is_over(now):
                self._change(voice, now)

    def _change(self, voice: Voice, now: float) -> None:
        state, setting = self.state, voice.setting
        rate = self._medium.clip(Path(voice.file)).rate
        voice.change(now, *setting.apply(rate, state.volume, state.pitch), setting.loop)

    def _voice(self, file: str, side: str) -> Voice | None:
        """The one that played a file on a side last."""
        voices = reversed(self.state.voices)
        return next((each for each in voices if each.file == file and each.setting.side == side), None)

    def _forget(self, now: float) -> None:
        """Let go of what no microphone can hear any more."""
        state = self.state
        state.voices = [voice for voice in state.voices if not voice.forget(now - HISTORY)]

    def _number(self, field: str, value: float, low: float, high: float) -> float:
        number = check_finite(f"{self._what}: {field}", value)
        if not low <= number <= high:
            raise CommandError(f"{self._what}: {field}: found {number:g}, expected {low:g} to {high:g}")
        return number

    def _factor(self, pitch: float) -> float:
        number = check_finite(f"{self._what}: pitch", pitch)
        if number <= 0.0:
            raise CommandError(f"{self._what}: pitch: found {number:g}, expected a number above 0")
        return number


DEVICE = Speaker
