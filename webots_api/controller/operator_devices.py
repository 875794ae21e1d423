"""Keyboard, mouse and joystick of the user."""

from __future__ import annotations

import math
from typing import Any

from .connection import connection
from .user_input import JOYSTICK, KEYS, MOUSE


class _InputDevice:
    _name = ""

    def __init__(self, sampling_period: int | None = None) -> None:
        self._period = 0
        if sampling_period:
            self.enable(sampling_period)

    def enable(self, samplingPeriod: int) -> None:
        self._period = int(samplingPeriod)
        connection().command(-1, self._name, self._period > 0)

    def disable(self) -> None:
        self.enable(0)

    def getSamplingPeriod(self) -> int:
        return self._period

    sampling_period = property(getSamplingPeriod, enable)


class Keyboard(_InputDevice):
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

    _name = "keyboard"

    def __init__(self, sampling_period: int | None = None) -> None:
        super().__init__(sampling_period)
        self._time = -1.0
        self._left: list[int] = []

    def getKey(self) -> int:
        if not self._period:
            return -1
        if connection().time != self._time:
            self._time = connection().time
            self._left = list(connection().input[KEYS])
        return self._left.pop(0) if self._left else -1

    get_key = getKey


class MouseState:
    """State of the mouse; NaN: unknown, or nothing below the pointer.

    Attributes:
        left, middle, right: whether the buttons are pressed.
        u, v: position in the picture, from 0 to 1, from its upper left corner.
        x, y, z: position in the world, m, if `enable3dPosition` was called.
    """

    def __init__(self, values: list[Any] | None, has_position: bool) -> None:
        left, middle, right, *axes = values or [0] * 3 + [None] * 5
        u, v, x, y, z = (math.nan if each is None else float(each) for each in axes)
        self.left, self.middle, self.right, self.u, self.v = bool(left), bool(middle), bool(right), u, v
        self.x, self.y, self.z = (x, y, z) if has_position else (math.nan,) * 3

    def getLeft(self) -> bool:
        return self.left

    def getMiddle(self) -> bool:
        return self.middle

    def getRight(self) -> bool:
        return self.right

    def getU(self) -> float:
        return self.u

    def getV(self) -> float:
        return self.v

    def getX(self) -> float:
        return self.x

    def getY(self) -> float:
        return self.y

    def getZ(self) -> float:
        return self.z


class Mouse(_InputDevice):
    """Mouse over the picture of the world, received on the topic `/odesim/mouse`."""

    _name = "mouse"

    def __init__(self, sampling_period: int | None = None) -> None:
        super().__init__(sampling_period)
        self._has_position = False

    def enable3dPosition(self) -> None:
        self._has_position = True

    def disable3dPosition(self) -> None:
        self._has_position = False

    def is3dPositionEnabled(self) -> bool:
        return self._has_position

    def getState(self) -> MouseState:
        return MouseState(connection().input[MOUSE] if self._period else None, self._has_position)


class Joystick(_InputDevice):
    """Joystick, received on the topic `/joy`; connected from the first message on."""

    _name = "joystick"

    def __init__(self, sampling_period: int | None = None) -> None:
        super().__init__(sampling_period)
        self._steps = -1
        self._next_button = 0

    def isConnected(self) -> bool:
        return bool(self._state())

    def getNumberOfAxes(self) -> int:
        return len(self._state().get("axes", ()))

    def getAxisValue(self, axis: int) -> int:
        return self._value("axes", axis)

    def getNumberOfPovs(self) -> int:
        return len(self._state().get("povs", ()))

    def getPovValue(self, pov: int) -> int:
        return self._value("povs", pov)

    def getPressedButton(self) -> int:
        """Return one more of the pressed buttons in this step; -1: no more."""
        if connection().steps != self._steps:
            self._steps, self._next_button = connection().steps, 0
        pressed = self._state().get("buttons", ())
        if self._next_button >= len(pressed):
            return -1
        self._next_button += 1
        return int(pressed[self._next_button - 1])

    def getModel(self) -> str:
        return "sensor_msgs/Joy" if self._state() else ""

    def setConstantForce(self, level: int) -> None:
        """Do nothing: the topic has no way back to the joystick."""

    setConstantForceDuration = setAutoCenteringGain = setResistanceGain = setForceAxis = setConstantForce

    def _state(self) -> dict[str, Any]:
        return (connection().input[JOYSTICK] or {}) if self._period else {}

    def _value(self, part: str, index: int) -> int:
        values = self._state().get(part, ())
        return int(values[index]) if 0 <= index < len(values) else 0
