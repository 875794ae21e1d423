"""What a robot shows and plays: LED, pen, speaker, microphone."""

from __future__ import annotations

import math
from array import array

from .connection import complain
from .device import Device, Sensor


class LED(Device):
    """A light."""

    def get(self) -> int:
        return int(self._get("value", 0))

    def set(self, value: int) -> None:
        """0: off; else the number of a colour, or 0xRRGGBB or a brightness if it is gradual."""
        self._set("value", int(value))
        self._say("set", int(value))

    value = property(get, set)


class Pen(Device):
    """Draws on what is below the robot."""

    def write(self, write: bool) -> None:
        self._say("write", bool(write))

    def setInkColor(self, color: int, density: float) -> None:
        """0xRRGGBB and a density from 0 to 1."""
        if self._numbers("setInkColor", color=color, density=density):
            self._say(
                "set_ink", [(int(color) >> shift & 255) / 255.0 for shift in (16, 8, 0)], float(density)
            )


class Speaker(Device):
    """Plays sound files."""

    @staticmethod
    def playSound(
        left: Speaker, right: Speaker, sound: str, volume: float, pitch: float, balance: float, loop: bool
    ) -> None:
        """Play a file on one speaker, or its two channels on two."""
        settings = (str(sound), float(volume), float(pitch), float(balance), bool(loop))
        if left is right or right is None or left is None:
            (left or right)._say("play", *settings, "both")
        else:
            left._say("play", *settings, "left")
            right._say("play", *settings, "right")

    def stop(self, sound: str | None = None) -> None:
        self._say("stop", sound or "")

    def isSoundPlaying(self, sound: str) -> bool:
        return bool(self._connection.call("is_playing", self._tag, sound))

    def setEngine(self, engine: str) -> bool:
        complain("Speaker.setEngine(): text to speech is not supported")
        return False

    def getEngine(self) -> str:
        return ""

    def setLanguage(self, language: str) -> bool:
        return False

    def getLanguage(self) -> str:
        return ""

    def speak(self, text: str, volume: float) -> None:
        complain(f"Speaker.speak(): text to speech is not supported: {text!r}")

    def isSpeaking(self) -> bool:
        return False


class Microphone(Sensor):
    """Sound pressure as it would be recorded, in blocks of one sampling period."""

    def getSampleData(self) -> list[float]:
        """V, at 44100 Hz."""
        data = self._reading("getSampleData")
        return array("f", data[0]).tolist() if data is not None else []

    def getSampleSize(self) -> int:
        return len(self.getSampleData())

    def getLevel(self) -> float:
        """dB re 20 µPa."""
        data = self._reading("getLevel")
        return math.nan if data is None else float(data[1])
