"""LED, pen, speaker and microphone."""

from __future__ import annotations

import math
import re
from array import array
from typing import Any

from .connection import print_error
from .device import Device, Sensor


class LED(Device):
    """A light-emitting diode."""

    def get(self) -> int:
        return int(self._get("value", 0))

    def set(self, value: int) -> None:
        """Set the value. 0: off; otherwise the number of a colour, or 0xRRGGBB or a brightness if gradual."""
        self._set("value", int(value))
        self._say("set", int(value))

    value = property(get, set)


class Pen(Device):
    """Draws on surfaces below the robot."""

    def write(self, write: bool) -> None:
        self._say("write", bool(write))

    def setInkColor(self, color: int, density: float) -> None:
        """Set colour (0xRRGGBB) and density (0 to 1)."""
        if self._numbers("setInkColor", color=color, density=density):
            self._say(
                "set_ink", [(int(color) >> shift & 255) / 255.0 for shift in (16, 8, 0)], float(density)
            )


LANGUAGES = ("en-US", "en-UK", "de-DE", "es-ES", "fr-FR", "it-IT")
"""Languages of the speech engine `pico`, the only one of Webots on Linux."""
LETTER = 0.07
"""Seconds per letter of a spoken text."""


class Speaker(Device):
    """Plays sound files. Texts are not audible, but take as long as if they were spoken.

    Sounds played or stopped since the last step are reported as such immediately.
    """

    def __init__(self, name: str | int) -> None:
        super().__init__(name)
        self._changed_in = -1
        self._changed: dict[str, bool] = {}
        self._played: set[str] = set()
        self._are_stopped = False
        self._speaks_until = 0.0
        self._engine, self._language = "pico", LANGUAGES[0]

    @staticmethod
    def playSound(
        left: Speaker, right: Speaker, sound: str, volume: float, pitch: float, balance: float, loop: bool
    ) -> None:
        """Play a file on one speaker, or its two channels on two speakers."""
        volume = _clipped("volume", float(volume), 0.0, 1.0)
        balance = _clipped("balance", float(balance), -1.0, 1.0)
        settings = (str(sound), volume, float(pitch), balance, bool(loop))
        if left is right or right is None or left is None:
            (left or right)._play(settings, "both")
        else:
            left._play(settings, "left")
            right._play(settings, "right")

    def stop(self, sound: str | None = None) -> None:
        self._say("stop", sound or "")
        changed = self._since_step()
        if sound:
            changed[sound] = False
        else:
            changed.clear()
            self._are_stopped = True
            self._speaks_until = 0.0

    def isSoundPlaying(self, sound: str | None = None) -> bool:
        """Return whether a file is playing; without a name: any file or text."""
        if not sound:
            return self.isSpeaking() or any(map(self.isSoundPlaying, list(self._played)))
        changed = self._since_step()
        if sound in changed or self._are_stopped:
            return changed.get(sound, False)
        return sound in self._played and bool(self._connection.call("is_playing", self._tag, sound))

    def setEngine(self, engine: str) -> bool:
        """Select the speech engine; only `pico` is available."""
        return engine == self._engine

    def getEngine(self) -> str:
        return self._engine

    def setLanguage(self, language: str) -> bool:
        """Select one of `LANGUAGES`."""
        if language in LANGUAGES:
            self._language = language
        elif not re.fullmatch("[a-z]{2}-[A-Z]{2}", language):
            print_error(
                f"Error: Speaker.setLanguage(): found {language!r}, expected one of {', '.join(LANGUAGES)}"
            )
        return language in LANGUAGES

    def getLanguage(self) -> str:
        return self._language

    def speak(self, text: str, volume: float) -> None:
        """Count as speaking for as long as the text would take, without sound."""
        _clipped("volume", float(volume), 0.0, 1.0)
        print_error(f"Speaker.speak(): texts are not heard: {text!r}")
        self._speaks_until = self._connection.time + LETTER * max(1, len(text))

    def isSpeaking(self) -> bool:
        return self._connection.time < self._speaks_until

    def _play(self, settings: tuple[Any, ...], side: str) -> None:
        self._say("play", *settings, side)
        self._played.add(settings[0])
        self._since_step()[settings[0]] = True

    def _since_step(self) -> dict[str, bool]:
        """Sounds that were played (True) or stopped (False) since the last step."""
        if self._changed_in != self._connection.steps:
            self._changed_in = self._connection.steps
            self._changed.clear()
            self._are_stopped = False
        return self._changed


def _clipped(name: str, value: float, low: float, high: float) -> float:
    """Return the value within its limits; print an error if it was outside."""
    if low <= value <= high:
        return value
    clipped = max(low, min(value, high))
    print_error(f"Warning: Speaker: found {name} {value:g}, expected {low:g} to {high:g}; it is {clipped:g}")
    return clipped


class Microphone(Sensor):
    """Measures sound pressure in blocks of one sampling period."""

    def getSampleData(self) -> list[float]:
        """Return samples in V at 44100 Hz."""
        data = self._reading("getSampleData")
        return array("f", data[0]).tolist() if data is not None else []

    def getSampleSize(self) -> int:
        return len(self.getSampleData())

    def getLevel(self) -> float:
        """Return the level in dB re 20 µPa."""
        data = self._reading("getLevel")
        return math.nan if data is None else float(data[1])
