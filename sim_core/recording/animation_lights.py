"""The lights of a world in a viser scene, as three.js has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.devices.light.lights import Lights
from sim_core.devices.vision.pictures import light_rows
from sim_core.recording.filmed import Filmed
from sim_core.sensing.picture_view import DIRECTIONAL, SPOT

FROM_ABOVE = ((-3.0, -6.0, 4.0), (6.0, 3.0, 4.0))
INTENSITY = 0.5
"""Light from the sides, beside what viser has from above: no side of a thing is black."""
FILM = 0.75
"""The film curve of viser's page (ACES) is that of our pictures, 1 − exp(−x), at about so much less light."""
LEAST = 0.1
"""Ambient light that there is at least, so that what no lamp shines on can be made out."""
FAR = 1000.0
"""m at which a light with a direction stands."""
NEAR_BY = 2.0
"""m: where three.js' power of the distance is as the light's attenuation, in value and slope."""
MOST_RADIUS = 99.0
"""m from which on a light's radius does not count; 100 is that of every light unless it says otherwise."""


class AnimationLights:
    """Shows the lights that are on; a world without any has light from above and the sides.

    three.js divides by π what a surface gives off, and the picture of the world does not (see
    `sim_core/sensing/render/shaders.py`), so intensities are π times those of the world, times FILM.

    Args:
        scene: of a viser server.
        sim: the simulation.
    """

    def __init__(self, scene: Any, sim: Filmed) -> None:
        self._scene = scene
        self._lights = sim.media.of(Lights)
        self._nodes: list[Any] = []
        self._shown: NDArray[np.float64] | None = None
        self._is_own = bool(self._lights.nodes)
        if self._is_own:
            scene.configure_default_lights(enabled=False)
            scene.configure_environment_map(None)
        else:
            scene.configure_default_lights(cast_shadow=False)
            for number, place in enumerate(FROM_ABOVE):
                scene.add_light_directional(f"/lamp{number}", position=place, intensity=INTENSITY)

    def update(self, sky: NDArray[np.float64]) -> None:
        """Shine as they do now; `sky` is what the background gives off, red, green, blue."""
        if not self._is_own:
            return
        self._lights.place()
        table = self._lights.table
        rows = light_rows(table, [False] * len(table))
        now = np.concatenate((rows.ravel(), sky))
        if self._shown is not None and np.array_equal(now, self._shown):
            return
        self._shown = now
        for node in self._nodes:
            node.remove()
        ambient = np.maximum(rows[:, 10:13].sum(axis=0) + sky, LEAST)
        self._nodes = [self._scene.add_light_ambient("/ambient", **_colour(ambient))]
        self._nodes += [self._add(f"/light{number}", row) for number, row in enumerate(rows)]

    def _add(self, name: str, row: NDArray[np.float64]) -> Any:
        kind, place, direction, colour = row[0], row[1:4], row[4:7], row[7:10]
        if kind == DIRECTIONAL:
            return self._scene.add_light_directional(
                name, position=tuple((-FAR * direction).tolist()), **_colour(colour)
            )
        factor, decay = falloff(*row[13:16].tolist())
        reach: dict[str, Any] = {
            "position": tuple(place.tolist()),
            "decay": decay,
            "distance": float(row[16]) if row[16] < MOST_RADIUS else 0.0,
        }
        if kind != SPOT:
            return self._scene.add_light_point(name, **reach, **_colour(factor * colour))
        beam, edge = row[17], row[18]
        return self._scene.add_light_spot(
            name,
            angle=float(edge),
            penumbra=float(1.0 - beam / edge) if edge > 0.0 else 0.0,
            direction=tuple(direction.tolist()),
            **reach,
            **_colour(factor * colour),
        )


def falloff(a0: float, a1: float, a2: float) -> tuple[float, float]:
    """Factor f and power p for which f/d^p is 1/(a0 + a1·d + a2·d²) about 2 m away, in value and slope."""
    divisor = a0 + a1 * NEAR_BY + a2 * NEAR_BY**2
    power = (a1 * NEAR_BY + 2.0 * a2 * NEAR_BY**2) / divisor
    return NEAR_BY**power / divisor, power


def _colour(light: NDArray[np.float64]) -> dict[str, Any]:
    """A colour of whole numbers, as sRGB, and the intensity that makes it this light."""
    strength = float(light.max())
    linear = light / strength if strength > 0.0 else light
    bent = 1.055 * np.maximum(linear, 0.0) ** (1.0 / 2.4) - 0.055
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, bent)
    colour = tuple(int(each) for each in np.rint(255.0 * encoded))
    return {"color": colour, "intensity": FILM * math.pi * strength}
