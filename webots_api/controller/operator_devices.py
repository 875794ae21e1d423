"""Keyboard, mouse and joystick of the user."""

from __future__ import annotations

import math

from .connection import connection, print_error


class Keyboard:
    """Reports the pressed keys, one with each `getKey`; -1: no more.

    They are received on the topic `/odesim/keyboard`.
    """

    END, HOME, LEFT, UP, RIGHT, DOWN = range(312, 318)
    PAGEUP, PAGEDOWN = 366, 367
    NUMPAD_HOME, NUMPAD_LEFT, NUMPAD_UP, NUMPAD_RIGHT, NUMPAD_DOWN = range(375, 380)
    NUMPAD_END = 382
    KEY = 0x0000FFFF
    SHIFT = 0x00010000
    CONTROL = 0x00020000
    ALT = 0x00040000

    def __init__(self, sampling_period: int | None = None) -> None:
        self._period = 0
        self._time = -1.0
        self._left: list[int] = []
        if sampling_period:
            self.enable(sampling_period)

    def enable(self, samplingPeriod: int) -> None:
        self._period = int(samplingPeriod)
        connection().command(-1, "keyboard", self._period > 0)

    def disable(self) -> None:
        self.enable(0)

    def getSamplingPeriod(self) -> int:
        return self._period

    def getKey(self) -> int:
        if not self._period:
            return -1
        if connection().time != self._time:
            self._time = connection().time
            self._left = list(connection().keys)
        return self._left.pop(0) if self._left else -1

    get_key = getKey
    sampling_period = property(getSamplingPeriod, enable)


class MouseState:
    """State of a mouse without pressed buttons and without a position."""

    left = middle = right = False
    u = v = x = y = z = math.nan

    def getLeft(self) -> bool:
        return False

    getMiddle = getRight = getLeft

    def getU(self) -> float:
        return math.nan

    getV = getX = getY = getZ = getU


class _Absent:
    _what = ""

    def __init__(self) -> None:
        self._period = 0

    def enable(self, samplingPeriod: int) -> None:
        if samplingPeriod and not self._period:
            print_error(f"{self._what}.enable(): there is no {self._what.lower()}, nothing will come")
        self._period = int(samplingPeriod)

    def disable(self) -> None:
        self._period = 0

    def getSamplingPeriod(self) -> int:
        return self._period


class Mouse(_Absent):
    """Mouse; not supported: it never moves."""

    _what = "Mouse"

    def enable3dPosition(self) -> None:
        pass

    def disable3dPosition(self) -> None:
        pass

    def is3dPositionEnabled(self) -> bool:
        return False

    def getState(self) -> MouseState:
        return MouseState()


class Joystick(_Absent):
    """Joystick; not supported: none is connected."""

    _what = "Joystick"

    def isConnected(self) -> bool:
        return False

    def getNumberOfAxes(self) -> int:
        return 0

    getNumberOfPovs = getNumberOfAxes

    def getAxisValue(self, axis: int) -> int:
        return 0

    getPovValue = getAxisValue

    def getPressedButton(self) -> int:
        return -1

    def getModel(self) -> str:
        return ""
