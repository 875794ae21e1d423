"""LED: a light that is set by a number."""

from __future__ import annotations

import operator
from dataclasses import dataclass

from sim_core.base.errors import CommandError
from sim_core.base.geometry import Vec3
from sim_core.devices.base import Actuator, DeviceContext, DeviceState
from sim_core.devices.commands import Integer, command
from sim_core.devices.field_checks import field_error
from sim_core.devices.light.lights import Lights
from sim_core.model.device_spec import DeviceSpec

BLACK: Vec3 = (0.0, 0.0, 0.0)
FULL = 0xFF
WHITE = 0xFFFFFF


@dataclass(eq=False)
class LedState(DeviceState):
    """State of an LED.

    Attributes:
        value: the last commanded value.
        colour: present red, green and blue from 0 to 1; black when off.
        is_lit: its lights are on.
    """

    value: int = 0
    colour: Vec3 = BLACK
    is_lit: bool = False


class Led(Actuator):
    """A light emitting diode (Webots reference, LED). It is off at the start.

    Meaning of a value:

    - `gradual` FALSE: 0 is off, n the n-th of the colours in `color`.
    - `gradual` TRUE with one colour: 0 to 255, the intensity of that colour in 255ths.
    - `gradual` TRUE without colours: 0xRRGGBB.

    The colour is that of the first child: of the light, if it is one, of what the Shape emits, or, if it is a
    group, of all lights and Shapes in it. A light is on while the value is not 0, whatever its field `on`.
    The scene graph is not changed: light sensors read `Lights`, and renderers read `colour`.

    Attributes:
        lights: each PointLight and SpotLight of the LED.
        appearances: each Appearance and PBRAppearance whose emitted colour is the LED's.
        highest_value: the largest value that the LED can be set to.
    """

    state: LedState
    state_type = LedState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        """Make the device.

        Raises:
            DeviceError: a gradual LED with several colours, or a colour beyond 0 to 1.
        """
        super().__init__(spec, context)
        self._colours: tuple[Vec3, ...] = spec["color"]
        for index, colour in enumerate(self._colours):
            if not all(0.0 <= part <= 1.0 for part in colour):
                raise field_error(spec, f"color[{index}]", colour, "red, green and blue from 0 to 1")
        self._is_gradual: bool = spec["gradual"]
        if self._is_gradual and len(self._colours) > 1:
            found = f"{len(self._colours)} colours of a gradual LED"
            raise field_error(spec, "color", found, "one, or none for an LED of any colour")
        if self._is_gradual:
            self.highest_value = FULL if self._colours else WHITE
        else:
            self.highest_value = len(self._colours)
        self.lights = [part.id for part in spec.lit if part.is_a("Light")]
        self.appearances = [part.id for part in spec.lit if not part.is_a("Light")]
        self._medium = context.media.of(Lights) if self.lights else None
        self._glow = context.media.appearance_changes

    def on_added(self) -> None:
        """Register its colour with the medium and the renderer."""
        self.restored()

    @property
    def value(self) -> int:
        """Last commanded value."""
        return self.state.value

    @property
    def colour(self) -> Vec3:
        """Present red, green and blue from 0 to 1; black when off."""
        return self.state.colour

    @command(value=Integer())
    def set(self, value: int) -> None:
        """Show a value from the next step on.

        Raises:
            CommandError: not a whole number from 0 to `highest_value`; nothing changes.
        """
        try:
            value = operator.index(value)
        except TypeError:
            raise self._refusal(value) from None
        if not 0 <= value <= self.highest_value:
            raise self._refusal(value)
        if value != self.state.value:
            self.state.value = value
            self.wake()

    def before_step(self) -> bool:
        """Show the commanded value; return False, as nothing changes until the next command."""
        self._show_value()
        return False

    def deactivate(self) -> None:
        """Switch the light off, as the battery is empty."""
        self._set_lights(BLACK, False)

    def reset(self) -> None:
        """Switch the LED off."""
        super().reset()
        self._show_value()

    def restored(self) -> None:
        """Show the restored colour."""
        self._set_lights(self.state.colour, self.state.is_lit)

    def _refusal(self, value: object) -> CommandError:
        expected = f"expected a whole number from 0 to {self.highest_value}"
        return CommandError(f"{self.robot_name}/{self.name}: found {value!r}, {expected}")

    def _show_value(self) -> None:
        self._set_lights(self._colour_of(self.state.value), bool(self.state.value))

    def _set_lights(self, colour: Vec3, on: bool) -> None:
        self.state.colour, self.state.is_lit = colour, on
        for appearance in self.appearances:
            self._glow.colours[appearance] = colour
        if self._medium is not None:
            for light in self.lights:
                self._medium.set_colour(light, colour if on else None)

    def _colour_of(self, value: int) -> Vec3:
        if not value:
            return BLACK
        if not self._is_gradual:
            return self._colours[value - 1]
        if not self._colours:
            return ((value >> 16 & FULL) / FULL, (value >> 8 & FULL) / FULL, (value & FULL) / FULL)
        red, green, blue = self._colours[0]
        part = value / FULL
        return (part * red, part * green, part * blue)
