"""The lights of a car, LEDs by their names; those that a car has not are passed over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INDICATOR_PERIOD = 0.34
"""s that an indicator is on, and off."""
FOLLOWS = 0.1
"""rad of steering back after which an indicator is switched off."""
OFF, RIGHT, LEFT = range(3)
NAMES = {
    "front": ("front_lights",),
    "rear": ("rear_lights",),
    "antifog": ("antifog_lights",),
    "backwards": ("backwards_lights",),
    "brake": ("brake_lights", "brake_ligths"),  # as the PROTO names it, and as old ones do
    "right": ("right_indicators", "interior_right_indicators"),
    "left": ("left_indicators", "interior_left_indicators"),
}


class Lights:
    """Which lights are on.

    Attributes:
        indicator: OFF, RIGHT or LEFT.
        hazard: both indicators flash.
        period: s that an indicator is on, and off.
        dipped: the dipped beams are on.
        turns_off: steering back switches the indicator off.
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
        """Switch one on or off."""
        if self._states.get(light) is not is_on:
            self._states[light] = is_on
            for led in self._leds[light]:
                led.set(int(is_on))

    def is_on(self, light: str) -> bool:
        """Whether the car has this light, and it is on."""
        return bool(self._leds[light]) and self._states.get(light, False)

    def indicate(self, state: int, angle: float) -> None:
        """Flash on one side, at a steering angle that is now, rad."""
        self.indicator, self._farthest = state, angle

    def steered(self, angle: float) -> None:
        """Switch the indicator off once the car steers back, if it shall."""
        if not self.turns_off or self.indicator == OFF:
            return
        side = 1.0 if self.indicator == RIGHT else -1.0
        if side * angle > side * self._farthest:
            self._farthest = angle
        elif side * (self._farthest - angle) >= FOLLOWS:
            self.indicator = OFF

    def blink(self, time: float) -> None:
        """The indicators at a time in s."""
        shines = int(time / self.period) % 2 == 0 if self.period > 0.0 else True
        self.set("right", shines and (self.hazard or self.indicator == RIGHT))
        self.set("left", shines and (self.hazard or self.indicator == LEFT))
