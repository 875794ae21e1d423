"""The lights of a world, as light sensors see them and LEDs change them."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose, Vec3, norm, normalized, rotate
from sim_core.base.ids import NodeId
from sim_core.devices.field_checks import field_error, number_at_least
from sim_core.devices.light import light_kernel as kernel
from sim_core.devices.media import Media, Medium
from sim_core.engines.world_view import Frame
from sim_core.model.changes import ALL, Aspect, Edits
from sim_core.model.device_spec import NodeSpec
from sim_core.sensing.picture_view import DIRECTIONAL, POINT, SPOT

RIGHT_ANGLE = math.pi / 2.0
_ANGLE_TOLERANCE = 1e-6
"""rad by which a right angle written with few digits may be too large."""
_KINDS = {
    "PointLight": POINT,
    "SpotLight": SPOT,
    "DirectionalLight": DIRECTIONAL,
}


class Lights(Medium):
    """All PointLight, SpotLight and DirectionalLight nodes of the world, in file order.

    Lights move with the solids that carry them; other lights are placed once. The direction of a
    DirectionalLight is in the world's axes (Webots reference, DirectionalLight). A light with an attenuation
    of its own has no ambient light (Webots reference, PointLight).

    Attributes:
        specs: records of the lights.
        table: (n, 19) their present values, see `light_kernel.py`; positions are those of the last `place()`.
    """

    def __init__(self, media: Media) -> None:
        """Read the lights.

        Raises:
            DeviceError: a light has a value that is not possible.
        """
        super().__init__(media)
        self._set_colours: dict[NodeId, Vec3 | None] = {}
        self.scene_changed(ALL)

    def scene_changed(self, edits: Edits) -> None:
        """Read the lights again after an edit; colours set by LEDs are kept."""
        if not edits.touch(Aspect.STRUCTURE, Aspect.LIGHT):
            return
        self.specs = self.world.model.lights()
        self._rows = {spec.id: row for row, spec in enumerate(self.specs)}
        self.table: FloatArray = np.zeros((len(self.specs), kernel.COLUMNS))
        self._carried: list[tuple[Frame, Vec3, Vec3, FloatArray]] = []
        self._placed_ns: int | None = None
        for spec, row in zip(self.specs, self.table, strict=True):
            self._read(spec, row)
        for light, colour in self._set_colours.items():
            if light in self._rows:
                self.set_colour(light, colour)

    def remove_devices(self) -> None:
        """Remove the colours set by LEDs."""
        self._set_colours.clear()

    def update_positions(self) -> None:
        """Update the positions of lights on solids; does the work once in each step."""
        now = self.world.clock.elapsed_ns
        if now == self._placed_ns:
            return
        self._placed_ns = now
        for frame, location, direction, place in self._carried:
            _set_position(place, frame.pose(), location, direction)

    def set_colour(self, light: NodeId, colour: Vec3 | None) -> None:
        """Set the colour of a light, whatever its fields; None: it is off."""
        self._set_colours[light] = colour
        if light not in self._rows:
            return  # its robot is being added; the colour is applied when the lights are read
        row = self.table[self._rows[light]]
        row[kernel.ON] = colour is not None
        row[kernel.RED : kernel.BLUE + 1] = colour or 0.0

    def restored(self) -> None:
        """Invalidate the positions; LEDs set the colours of their lights."""
        self._placed_ns = None

    def reset(self) -> None:
        """Invalidate the positions; LEDs reset the colours of their lights."""
        self._placed_ns = None

    def _read(self, spec: NodeSpec, row: FloatArray) -> None:
        kind = row[kernel.KIND] = _KINDS[spec.type_name]
        row[kernel.ON] = spec["on"]
        row[kernel.RED : kernel.BLUE + 1] = spec["color"]
        row[kernel.INTENSITY] = number_at_least(spec, "intensity", 0.0)
        row[kernel.AMBIENT] = number_at_least(spec, "ambientIntensity", 0.0, 1.0)
        if min(spec["color"]) < 0.0:
            raise field_error(spec, "color", spec["color"], "red, green and blue of at least 0")
        location, direction = (0.0, 0.0, 0.0), (0.0, 0.0, -1.0)
        if kind != POINT:
            direction = normalized(spec["direction"])
            if norm(direction) == 0.0:
                raise field_error(spec, "direction", direction, "a vector that is not zero")
        if kind == DIRECTIONAL:
            _set_position(row[kernel.X : kernel.DZ + 1], Pose(), location, direction)
            return
        location = spec["location"]
        attenuation = spec["attenuation"]
        if min(attenuation) < 0.0:
            raise field_error(spec, "attenuation", attenuation, "numbers of at least 0")
        if not any(attenuation):
            attenuation = (1.0, 0.0, 0.0)  # Webots reference, PointLight
        if attenuation != (1.0, 0.0, 0.0):
            row[kernel.AMBIENT] = 0.0
        row[kernel.A0 : kernel.A2 + 1] = attenuation
        row[kernel.RADIUS] = number_at_least(spec, "radius", 0.0)
        if kind == SPOT:
            cut_off = row[kernel.CUT_OFF] = number_at_least(
                spec, "cutOffAngle", 0.0, RIGHT_ANGLE + _ANGLE_TOLERANCE
            )
            row[kernel.BEAM] = min(number_at_least(spec, "beamWidth", 0.0), cut_off)
        place = row[kernel.X : kernel.DZ + 1]
        frame = self.world.frame(spec.id)
        _set_position(place, frame.pose(), location, direction)
        if spec.solid is not None:
            self._carried.append((frame, location, direction, place))


def _set_position(place: FloatArray, pose: Pose, location: Vec3, direction: Vec3) -> None:
    place[:3] = pose.apply(location)
    place[3:] = rotate(pose.rotation, direction)
