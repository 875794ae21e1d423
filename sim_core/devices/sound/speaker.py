"""Speaker: plays sound files that microphones record."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sim_core.base.errors import CommandError
from sim_core.devices.base import Actuator, DeviceContext, DeviceState
from sim_core.devices.command_checks import check_finite
from sim_core.devices.commands import Flag, Number, Text, command
from sim_core.devices.sound.sound_medium import SoundMedium, audible_voices
from sim_core.devices.sound.voice import SIDES, Segment, SoundSettings, Voice
from sim_core.model.device_spec import DeviceSpec


@dataclass(eq=False)
class SpeakerState(DeviceState):
    """State of a speaker.

    Attributes:
        voices: all sounds that may still reach a microphone.
        volume, pitch: factors of all of them.
    """

    voices: list[Voice] = field(default_factory=list)
    volume: float = 1.0
    pitch: float = 1.0


class Speaker(Actuator):
    """Plays any number of sound files at once, from the sim time of the command on.

    It plays the sum over its sounds of volume·(a·left·min(1, 1 - balance) + b·right·min(1, 1 + balance)),
    with (a, b) = (½, ½), (1, 0) or (0, 1) for the side `both`, `left` or `right`. Both channels of a mono
    sound are equal. A sound is played at its own speed times `pitch`. See Webots reference, Speaker. Files:
    see `find_sound`. Text is not spoken.

    Attributes:
        frame: the frame of the device.
    """

    state: SpeakerState
    state_type = SpeakerState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self._file = context.world.model.file
        self._controller: str = spec.robot["controller"]
        self._medium = context.media.of(SoundMedium)

    def on_added(self) -> None:
        """Register with the sound medium."""
        self._medium.add_speaker(self)

    def on_removed(self) -> None:
        """Stop, and leave sounds that still travel to the medium."""
        self._stop(None)
        self._medium.keep_voices(self.frame.pose().position, self.state.voices)

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
        """Play a file; if it is playing on this side already, it continues with the new settings.

        Args:
            sound: path of the file, see `find_sound`.
            volume: from 0 to 1.
            pitch: factor of the speed, above 0.
            balance: -1 mutes the right channel, 1 the left one.
            loop: start over at the end.
            side: `both`, `left` or `right`: the channels of a stereo sound that this speaker plays.

        Raises:
            CommandError: a value out of its range, or a file that cannot be read; nothing changes.
        """
        setting = SoundSettings(
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
        self._medium.notify_change()
        now = self._now
        self._drop_inaudible(now)
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
        """Stop a sound on all sides; without a name, all sounds. No error if it is not playing.

        Raises:
            CommandError: there is no such file.
        """
        self._stop(find_sound(sound, self._file, self._controller) if sound else None)

    def _stop(self, path: Path | None) -> None:
        self._medium.notify_change()
        for voice in self.state.voices:
            if path in (None, Path(voice.file)) and not voice.is_over(self._now):
                voice.end_at(self._now)

    def is_playing(self, sound: str = "") -> bool:
        """Return True if a sound, or without a name any sound, is playing.

        Raises:
            CommandError: there is no such file.
        """
        path = find_sound(sound, self._file, self._controller) if sound else None
        now = self._now
        return any(path in (None, Path(voice.file)) and not voice.is_over(now) for voice in self.state.voices)

    @command(meets_faults=False, volume=Number())
    def set_volume(self, volume: float) -> None:
        """Set the factor of all sounds' volume, from 0 to 1.

        Raises:
            CommandError: out of that range; nothing changes.
        """
        volume = self._number("volume", volume, 0.0, 1.0)
        self._medium.notify_change()
        self.state.volume = volume
        self._change_all()

    @command(meets_faults=False, pitch=Number())
    def set_pitch(self, pitch: float) -> None:
        """Set the factor of all sounds' speed.

        Raises:
            CommandError: not above 0; nothing changes.
        """
        pitch = self._factor(pitch)
        self._medium.notify_change()
        self.state.pitch = pitch
        self._change_all()

    def is_audible(self, now: float) -> bool:
        """Return True if something that it played may reach a microphone at a sim time in s; called by the
        medium."""
        if self.state.voices:
            self._drop_inaudible(now)
        return bool(self.state.voices)

    def deactivate(self) -> None:
        """Stop all sounds."""
        self._stop(None)

    @property
    def _now(self) -> float:
        return self.world.clock.time_ns / 1e9

    @property
    def _what(self) -> str:
        return f"{self.robot_name}/{self.name}"

    def _change_all(self) -> None:
        now = self._now
        self._drop_inaudible(now)
        for voice in self.state.voices:
            if not voice.is_over(now):
                self._change(voice, now)

    def _change(self, voice: Voice, now: float) -> None:
        state, setting = self.state, voice.setting
        rate = self._medium.clip(Path(voice.file)).rate
        voice.change(now, *setting.apply(rate, state.volume, state.pitch), setting.loop)

    def _voice(self, file: str, side: str) -> Voice | None:
        """Return the sound of a file that was last played on a side."""
        voices = reversed(self.state.voices)
        return next((each for each in voices if each.file == file and each.setting.side == side), None)

    def _drop_inaudible(self, now: float) -> None:
        """Discard sounds that no microphone can record any more."""
        self.state.voices = audible_voices(self.state.voices, now)

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


def find_sound(sound: str, world_file: str, controller: str) -> Path:
    """Find the file of a sound.

    It is looked for in the folder of the robot's controller, `controllers/name` in the project, then in the
    folder of the world. The project is the folder that contains the folder `worlds` in which the world is; if
    there is none, the folder of the world. A file outside the project, links followed, is refused, so that
    commands from the network can read no other files.

    Raises:
        CommandError: there is no such file, or it is outside the project.
    """
    folder = Path(world_file).resolve().parent
    above = [each.parent for each in (folder, *folder.parents) if each.name == "worlds"]
    project = above[0] if above else folder
    places = [folder]
    if controller:
        places.insert(0, project / "controllers" / controller)
    for place in places:
        with suppress(OSError, ValueError):  # the name may be too long, or contain a zero byte
            path = (place / sound).resolve()
            if sound and path.is_relative_to(project) and path.is_file():
                return path
    raise CommandError(f'found the sound "{sound}", expected a file in {" or ".join(map(str, places))}')
