"""Surroundings of a world as plain data for pages: lights, sky, fog and exposure.

Lights are given as three.js uses them. It divides by π the light that a surface emits, as the renderer does
for a PBRAppearance (see `sim_core/sensing/render/shaders.py`), so a colour is that of the world's light.
"""

from __future__ import annotations

import base64
import io
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray
from sim_core.devices.light.lights import Lights
from sim_core.devices.vision.pictures import light_rows
from sim_core.recording.recorded_simulation import RecordedSimulation
from sim_core.recording.shown_scene import ShownScene
from sim_core.sensing.picture_view import DIRECTIONAL, GAMMA, SPOT
from sim_core.sensing.render import environment
from sim_core.sensing.render.sky_and_fog import SIDES, backdrop, fog_row

DIRECTIONAL_DISTANCE = 1000.0
"""Distance of a directional light, m."""
MATCH_DISTANCE = 2.0
"""Distance in m at which three.js' power of the distance has the light's attenuation in value and slope."""
MAX_RADIUS = 99.0
"""Radius in m from which on it is treated as unlimited; the default is 100."""
SKY = (0.894, 0.925, 0.957)
"""Sky of a world without a Background, sRGB."""
DEFAULT_LIGHTS = (
    {"kind": "sun", "aim": [0.35, 0.45, -0.82], "colour": [2.2, 2.2, 2.15], "casts": True},
    {"kind": "sun", "aim": [-0.6, -0.3, -0.4], "colour": [0.5, 0.5, 0.55], "casts": False},
)
"""Lights of a world in which nothing is lit."""
DEFAULT_AMBIENT = (0.55, 0.57, 0.6)
OPEN = 0.9
"""Share of the light that ambient occlusion leaves in the mean of a picture of docs/looks.md."""
MAX_WIDTH = 1024
"""Width in pixels of a picture of the sky."""


class PageSurroundings:
    """The surroundings of a world, for repeated requests.

    Args:
        sim: the simulation; nothing in it changes.
        shown: its parts.
    """

    def __init__(self, sim: RecordedSimulation, shown: ShownScene) -> None:
        self._sim, self._shown = sim, shown
        self._generation = 0
        self._fixed: dict[str, Any] = {}
        self._taken = np.zeros((9, 3))
        self._table = np.zeros((0, 0))
        self._last: dict[str, Any] = {}

    def now(self) -> dict[str, Any]:
        """Return the present surroundings, as data for JSON; the same object as long as nothing changes.

        Returns:
            `title`; `sky`: the colour behind everything, sRGB, 0 to 1; `picture`: of the sky, as a URL of a
            JPEG with all directions (from left to right -x, y, x, -y, -x; from top to bottom), empty: none;
            `around`: ambient light (3) for a PBRAppearance; `ground`: fraction of it that comes from
            below; `bounce`: light (3) of suns that the ground reflects; `balance`: factors (3) for all light,
            of the white balance; `ambient`: of all lights (3), for a Material; `exposure`; `occlusion`:
            largest distance in m of ambient occlusion, 0: none; `open`: factor for pages that do not compute
            it; `fog`: its kind as in `sky_and_fog.py`, visibility in m, linear colour (3);
            `low`, `high`: bounds in m when the parts were last read; `lights`: each with `kind` (`sun`,
            `point`, `spot`), linear `colour`, `casts` a shadow, `aim`, its direction, and of lamps
            `position`, `decay`, `reach` in m (0: no limit), of spots `angle` and `penumbra`.
        """
        lights = self._sim.media.of(Lights)
        lights.update_positions()
        is_new = self._shown.generation != self._generation
        if is_new:
            self._generation = self._shown.generation
            self._fixed = self._read()
        if is_new or not np.array_equal(lights.table, self._table):
            self._table = lights.table.copy()
            self._last = {**self._fixed, **self._of_lights(lights)}
        return self._last

    def _of_lights(self, lights: Lights) -> dict[str, Any]:
        if self._shown.is_unlit and not lights.specs:
            own = {"ambient": list(DEFAULT_AMBIENT), "lights": list(DEFAULT_LIGHTS)}
            return {**own, "bounce": [0.0] * 3, "balance": [1.0] * 3}
        rows = light_rows(lights.table, [bool(spec["castShadows"]) for spec in lights.specs])
        return {
            "ambient": _rounded(rows[:, 10:13].sum(axis=0)),
            "bounce": _rounded(environment.BOUNCE * environment.sunlight(rows)),
            "balance": _rounded(environment.white_balance(self._taken, rows)),
            "lights": [_light(row) for row in rows],
        }

    def _read(self) -> dict[str, Any]:
        """Return what changes only when the parts are read again."""
        sim, background = self._sim, self._sim.physics.model.surroundings.background
        _, fog, viewpoint = sim.physics.model.surroundings
        low, high = self._shown.bounds()
        colour = background.colour if background is not None else None
        is_lit = bool(sim.media.of(Lights).specs)
        is_dark = is_lit or background is not None
        strip = backdrop(background) if background is not None else None
        self._taken = environment.harmonics(environment.ambient_cube(self._shown.sky, strip))
        behind = colour or ((0.0, 0.0, 0.0) if is_lit else SKY)
        return {
            "title": str(sim.scene.world_info["title"]) or sim.scene.file.rsplit("/", 1)[-1],
            "sky": [min(max(float(part), 0.0), 1.0) for part in behind],
            "picture": "" if strip is None else _panorama(strip),
            "around": _rounded(self._shown.sky) if is_dark else list(DEFAULT_AMBIENT),
            "ground": environment.GROUND if background is not None and strip is None else 1.0,
            "exposure": float(viewpoint.exposure),
            "occlusion": float(viewpoint.occlusion),
            "open": OPEN if viewpoint.occlusion > 0.0 else 1.0,
            "fog": list(fog_row(fog)),
            "low": _rounded(low),
            "high": _rounded(high),
        }


def falloff(a0: float, a1: float, a2: float) -> tuple[float, float]:
    """Return factor f and power p for which f/d^p is 1/(a0 + a1·d + a2·d²) about 2 m away, in value and
    slope."""
    divisor = a0 + a1 * MATCH_DISTANCE + a2 * MATCH_DISTANCE**2
    power = (a1 * MATCH_DISTANCE + 2.0 * a2 * MATCH_DISTANCE**2) / divisor
    return MATCH_DISTANCE**power / divisor, power


def _light(row: FloatArray) -> dict[str, Any]:
    kind, colour = row[0], row[7:10]
    data: dict[str, Any] = {"aim": _rounded(row[4:7]), "casts": bool(row[19])}
    if kind == DIRECTIONAL:
        return data | {"kind": "sun", "colour": _rounded(colour)}
    factor, decay = falloff(*row[13:16].tolist())
    data |= {
        "colour": _rounded(factor * colour),
        "position": _rounded(row[1:4]),
        "decay": round(decay, 5),
        "reach": float(row[16]) if row[16] < MAX_RADIUS else 0.0,
    }
    if kind != SPOT:
        return data | {"kind": "point"}
    beam, edge = float(row[17]), float(row[18])
    penumbra = 1.0 - beam / edge if edge > 0.0 else 0.0
    return data | {"kind": "spot", "angle": min(edge, math.pi / 2.0), "penumbra": max(penumbra, 0.0)}


def _panorama(strip: NDArray[np.uint8]) -> str:
    """Return six sides of a cube (see `backdrop`) as one picture of all directions, twice as wide as high."""
    from PIL import Image

    side = strip.shape[1]
    width = min(4 * side, MAX_WIDTH)
    across, down = (np.arange(width) + 0.5) / width, (np.arange(width // 2) + 0.5) / (width // 2)
    turn, tilt = np.meshgrid(math.pi * (1.0 - 2.0 * across), math.pi * (0.5 - down))
    rays = np.stack([np.cos(tilt) * np.cos(turn), np.cos(tilt) * np.sin(turn), np.sin(tilt)], axis=-1)
    ahead, right, up = np.moveaxis(np.array(SIDES, float), 1, 0)
    number = np.argmax(rays @ ahead.T, axis=-1)
    depth = (rays * ahead[number]).sum(axis=-1)
    places = [(rays * axes[number]).sum(axis=-1) / depth for axes in (right, -up)]
    column, row = (np.clip(((0.5 + 0.5 * each) * side).astype(int), 0, side - 1) for each in places)
    written = strip[row + number * side, column, :3] / 255.0
    shown = (1.0 - np.exp(-(written**2))) ** (1.0 / GAMMA)  # as in `glsl/backdrop.frag`
    file = io.BytesIO()
    Image.fromarray(np.rint(255.0 * shown).astype(np.uint8)).save(file, "JPEG", quality=88)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()


def _rounded(numbers: FloatArray) -> list[float]:
    return [round(float(each), 5) for each in numbers]
