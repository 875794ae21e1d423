"""Moving parts in a car's cockpit: steering wheel, lever, needles, wipers, mirrors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import lights

STEERING_WHEEL = 10.0
"""Angle of the steering wheel per angle of the wheels."""
FASTEST_SHOWN, MOST_RPM_SHOWN = 220.0, 11000.0
"""Ends of the scales: km/h, revolutions per minute."""
DOWN, SLOW, NORMAL, FAST = range(4)
PAUSE = 4
"""Period of slow wipers in s; they wipe in the first second."""
MIRRORS = ("rear", "left_wing", "right_wing")
MIRROR_PERIOD = 40
"""Minimum period of a mirror's pictures, ms."""


class Cockpit:
    """Moves the devices of the cockpit that the car has.

    Attributes:
        wipers: DOWN, SLOW, NORMAL or FAST.
    """

    def __init__(self, devices: Mapping[str, Any], step_ms: int) -> None:
        self._devices = devices
        self.wipers = DOWN
        names = ("right_wiper_motor", "left_wiper_motor", "wiper_sensor")
        self._wiper_motors: list[Any] = []
        if all(name in devices for name in names):
            *self._wiper_motors, self._wiper_sensor = (devices[name] for name in names)
            self._wiper_sensor.enable(step_ms)
        for name in MIRRORS:
            camera, display = devices.get(f"{name}_camera"), devices.get(f"{name}_display")
            if camera is None or display is None:
                continue
            if (camera.getWidth(), camera.getHeight()) == (display.getWidth(), display.getHeight()):
                camera.enable(-(-MIRROR_PERIOD // step_ms) * step_ms)
                display.attachCamera(camera)

    def steer(self, angle: float) -> None:
        """Turn the steering wheel according to an angle of the wheels, rad."""
        if motor := self._devices.get("steering_wheel_motor"):
            motor.setPosition(angle * STEERING_WHEEL)

    def indicate(self, side: int) -> None:
        """Move the lever of the indicators."""
        if motor := self._devices.get("indicator_lever_motor"):
            ends = {lights.RIGHT: motor.getMaxPosition(), lights.LEFT: motor.getMinPosition()}
            motor.setPosition(ends.get(side, 0.0))

    def show(self, speed: float, rpm: float) -> None:
        """Move the needles; km/h, revolutions per minute."""
        for name, part in (("speed", speed / FASTEST_SHOWN), ("rpm", rpm / MOST_RPM_SHOWN)):
            if motor := self._devices.get(f"{name}_needle_motor"):
                motor.setPosition(min(1.0, part) * motor.getMaxPosition())

    def set_wipers(self, mode: int) -> None:
        """Set the mode of the wipers; without wipers it stays DOWN."""
        if not self._wiper_motors:
            return
        self.wipers = mode
        for motor in self._wiper_motors:
            motor.setVelocity(4.0 if mode == FAST else 2.0)
            if mode == DOWN:
                motor.setPosition(motor.getMinPosition())

    def wipe(self, time: float) -> None:
        """Reverse the wipers at their ends; called with the time in s."""
        if self.wipers == DOWN:
            return
        first = self._wiper_motors[0]
        low, high, now = first.getMinPosition(), first.getMaxPosition(), self._wiper_sensor.getValue()
        near = 0.02 * (high - low)
        waits = self.wipers == SLOW and int(time) % PAUSE != 0
        if now >= high - near or waits:
            for motor in self._wiper_motors:
                motor.setPosition(motor.getMinPosition())
        elif now <= low + near:
            for motor in self._wiper_motors:
                motor.setPosition(motor.getMaxPosition())
