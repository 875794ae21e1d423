"""Lights of a car: LEDs, found by their names; missing ones are ignored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INDICATOR_PERIOD = 0.34
"""Seconds for which an indicator is on, and off."""
FOLLOWS = 0.1
"""Angle in rad of steering back after which an indicator is switched off."""
OFF, RIGHT, LEFT = range(3)
NAMES = {
    "front": ("front_lights",),
    "rear": ("rear_lights",),
    "antifog": ("antifog_lights",),
    "backwards": ("backwards_lights",),
    "brake": ("brake_lights", "brake_ligths"),  # names in the current and in old PROTOs
    "right": ("right_indicators", "interior_right_indicators"),
    "left": ("left_indicators", "interior_left_indicators"),
}


class Lights:
    """State of the lights.

    Attributes:
        indicator: OFF, RIGHT or LEFT.
        hazard: whether both indicators flash.
        period: seconds for which an indicator is on, and off.
        dipped: whether the dipped beams are on.
        turns_off: whether steering back switches the indicator off.
    """

    def __init__(self, devices: Mapping[str, Any]) -> None:
        self._leds = {
            light: [devices[name] for name in names if name in devices] for light, names in NAMES.items()
        }
        self._states: dict[str, bool] = {}
        self.indicator = OFF
        self.hazard = False
        self.period = INDICATOR_PERIOD
        self.dipped = False
        self.turns_off = True
        self._farthest = 0.0

    def set(self, light: str, is_on: bool) -> None:
        """Switch a light on or off."""
        if self._states.get(light) is not is_on:
            self._states[light] = is_on
            for led in self._leds[light]:
                led.set(int(is_on))

    def is_on(self, light: str) -> bool:
        """Return whether the car has this light and it is on."""
        return bool(self._leds[light]) and self._states.get(light, False)

    def indicate(self, state: int, angle: float) -> None:
        """Flash on one side; `angle`: present steering angle, rad."""
        self.indicator, self._farthest = state, angle

    def steered(self, angle: float) -> None:
        """Switch the indicator off once the car steers back, if `turns_off`."""
        if not self.turns_off or self.indicator == OFF:
            return
        side = 1.0 if self.indicator == RIGHT else -1.0
        if side * angle > side * self._farthest:
            self._farthest = angle
        elif side * (self._farthest - angle) >= FOLLOWS:
            self.indicator = OFF

    def blink(self, time: float) -> None:
        """Switch the indicators for a time in s."""
        shines = int(time / self.period) % 2 == 0 if self.period > 0.0 else True
        self.set("right", shines and (self.hazard or self.indicator == RIGHT))
        self.set("left", shines and (self.hazard or self.indicator == LEFT))
