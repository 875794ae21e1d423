"""Overlay: positions and directions of lights."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ros_bridge.overlays.primitives import Overlay, Primitives, joined, outline, spokes
from sim_core.base.arrays import FloatArray
from sim_core.devices.light import light_kernel as kernel
from sim_core.devices.light.lights import Lights
from sim_core.sensing.picture_view import POINT, SPOT

YELLOW, DARK = (1.0, 1.0, 0.0), (0.25, 0.25, 0.25)
"""Colours of lights that are on, which are seen before any sky, and off."""
STAR = 0.08
BEAM = 0.5
"""Drawn length of the cone of a spot light and of the rays of a directional one, m."""
ABOVE = 2.0
"""Height above the origin at which rays of directional lights, which have no position, are drawn, m."""
SIDES = 16


class LightPlaces(Overlay):
    """A star for each PointLight; a cone with the cut-off angle for each SpotLight; parallel lines along a
    DirectionalLight, above the origin. They are yellow, and grey if the light is off."""

    def primitives(self) -> Iterator[Primitives]:
        """Yield the present lights."""
        lights = self.sim.media.of(Lights)
        lights.update_positions()
        for light, row in zip(lights.specs, lights.table, strict=True):
            place, direction = row[kernel.X : kernel.Z + 1], row[kernel.DX : kernel.DZ + 1]
            kind = row[kernel.KIND]
            if kind == POINT:
                lines = joined([_star(place)])
            elif kind == SPOT:
                lines = joined([_star(place), _cone(place, direction, row[kernel.CUT_OFF])])
            else:
                lines = _parallels(direction)
            yield Primitives(light.type_name, lines, YELLOW if row[kernel.ON] else DARK)


def _star(place: FloatArray) -> FloatArray:
    arms = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) / math.sqrt(3.0)
    axes = np.concatenate((np.eye(3), -np.eye(3)))
    return spokes(place, place + STAR * np.concatenate((axes, 0.6 * arms)))


def _cone(place: FloatArray, direction: FloatArray, cut_off: float) -> FloatArray:
    side, up = _across(direction)
    angles = np.arange(SIDES)[:, None] * (2.0 * math.pi / SIDES)
    rim = place + BEAM * (
        math.cos(cut_off) * direction + math.sin(cut_off) * (np.cos(angles) * side + np.sin(angles) * up)
    )
    return joined([outline(rim), spokes(place, rim[:: SIDES // 4])])


def _parallels(direction: FloatArray) -> FloatArray:
    side, up = _across(direction)
    starts = np.array((0.0, 0.0, ABOVE)) + 0.15 * np.array([side, up, -side, -up, np.zeros(3)])
    ends = starts + BEAM * direction
    barbs = [ends - 0.06 * direction + 0.03 * sign * side for sign in (-1.0, 1.0)]
    return joined([spokes(starts, ends), *(spokes(ends, barb) for barb in barbs)])


def _across(direction: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two unit vectors perpendicular to a direction and to each other."""
    other = np.eye(3)[int(np.argmin(np.abs(direction)))]
    side = np.cross(direction, other)
    side /= np.linalg.norm(side)
    return side, np.cross(direction, side)


OVERLAY = LightPlaces
