"""Compiled loop of light sensors: all lights on one sensor in one call."""

from __future__ import annotations

import math

from numba import float64, types

from sim_core.base.compiled import compiled
from sim_core.sensing.picture_view import DIRECTIONAL, SPOT

(KIND, ON, X, Y, Z, DX, DY, DZ, RED, GREEN, BLUE, INTENSITY, AMBIENT, A0, A1, A2, RADIUS, BEAM, CUT_OFF) = (
    range(19)
)
COLUMNS = 19
"""Columns of the table of lights: kind, 1 if it is on, position (m) and direction (unit vector) in the
world, colour, intensity, ambient intensity, attenuation, radius (m), angles (rad)."""

DIRECTIONAL_DISTANCE = 1000.0
"""Distance at which a directional light is assumed, m (Webots reference, LightSensor)."""
_TOLERANCE = 1.0 - 1e-9
"""Tolerance, so that an obstacle that touches the light does not hide it."""

_vec3 = types.UniTuple(float64, 3)


@compiled(float64(float64[:, ::1], _vec3, _vec3, _vec3, float64[::1]))
def irradiance(lights, position, axis, colour_filter, obstacles):  # type: ignore[no-untyped-def]
    """Return Σ att·(F·C)/3·(Iₐ + I·spot·cos φ) over all lights that are on (Webots reference,
    LightSensor).

    Args:
        lights: (n, 19) one light per row.
        position: of the sensor in the world, m.
        axis: the sensor's x axis in the world, a unit vector.
        colour_filter: red, green, blue.
        obstacles: (n,) m from the sensor towards each light to the first obstacle, inf if there is none.

    Returns:
        Irradiance, W/m².
    """
    total = 0.0
    for i in range(len(lights)):
        light = lights[i]
        if light[ON] == 0.0:
            continue
        if light[KIND] == DIRECTIONAL:
            distance, attenuation, spot = DIRECTIONAL_DISTANCE, 1.0, 1.0
            lx, ly, lz = -light[DX], -light[DY], -light[DZ]
        else:
            lx, ly, lz = light[X] - position[0], light[Y] - position[1], light[Z] - position[2]
            distance = math.sqrt(lx * lx + ly * ly + lz * lz)
            if distance > light[RADIUS]:
                continue
            divisor = light[A0] + distance * (light[A1] + distance * light[A2])
            if distance == 0.0 or divisor == 0.0:
                continue  # inside the light its attenuation is undefined
            attenuation, spot = 1.0 / divisor, 1.0
            lx, ly, lz = lx / distance, ly / distance, lz / distance
            if light[KIND] == SPOT:
                cosine = -(lx * light[DX] + ly * light[DY] + lz * light[DZ])
                angle = math.acos(min(1.0, max(-1.0, cosine)))
                if angle > light[CUT_OFF]:
                    spot = 0.0
                elif angle > light[BEAM]:
                    spot = (light[CUT_OFF] - angle) / (light[CUT_OFF] - light[BEAM])
        facing = axis[0] * lx + axis[1] * ly + axis[2] * lz
        direct = 0.0
        if facing > 0.0 and obstacles[i] >= distance * _TOLERANCE:
            direct = light[INTENSITY] * spot * facing
        colour = (
            colour_filter[0] * light[RED] + colour_filter[1] * light[GREEN] + colour_filter[2] * light[BLUE]
        ) / 3.0
        total += attenuation * colour * (light[AMBIENT] + direct)
    return total
