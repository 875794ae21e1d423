"""The shapes and lights of a simulation in a viser scene, and what of them changes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import quaternion_from_rotation
from sim_core.devices.light.lights import Lights
from sim_core.devices.vision.pictures import light_rows
from sim_core.recording.filmed import Filmed
from sim_core.recording.glb import Light, glb_of, pictures_of
from sim_core.sensing.picture_view import DIRECTIONAL, SPOT
from sim_core.sensing.render.draw_list import SceneShapes, screen_name
from sim_core.sensing.trace import Trace

LIFT = 0.001
"""m that lines of pens are drawn above the floor, which would cover half of them."""
LEAST_CHANGE = 1e-6
"""m, and parts of a unit quaternion: smaller changes of pose are not told."""


class AnimationScene:
    """One node for each frame that carries shapes; one for each piece of a pen's line.

    Args:
        scene: of a viser server.
        sim: the simulation.
    """

    def __init__(self, scene: Any, sim: Filmed) -> None:
        self._scene = scene
        self._sim = sim
        self._life = 0
        self._nodes: dict[int, Any] = {}
        self._lines: dict[Trace, _Line] = {}
        self._made = 0  # lines
        self.renew()

    def renew(self) -> None:
        """The world looks otherwise: show it anew."""
        for node in self._nodes.values():
            node.remove()
        self._life += 1
        self._shapes = SceneShapes(self._sim.physics)
        self._list = self._shapes.read(self._sim.media.looks, is_page=True)
        frames = self._list.frames
        self._carried = {int(row): np.flatnonzero(frames == row).tolist() for row in np.unique(frames)}
        self._nodes = {}
        self._told: dict[int, NDArray[np.float64]] = {}
        self._glow: dict[int, Light] = {}
        looks = self._sim.media.looks
        self._screens = {screen_name(display): screen for display, screen in looks.screens.items()}
        self._drawn = {name: screen.changes for name, screen in self._screens.items()}
        poses = self._poses()
        for row in self._carried:
            self._show(row, poses[row])
        for line in self._lines.values():
            line.forget()

    def update(self) -> None:
        """Poses and lights as they are now."""
        poses = self._poses()
        glow = {
            row: (light[0], light[1], light[2])
            for rows, light in self._shapes.glow(self._sim.media.looks.colours)
            for row in rows
        }
        if glow != self._glow:
            changed = {row for row in glow.keys() | self._glow.keys() if glow.get(row) != self._glow.get(row)}
            self._glow = glow
            for row in np.unique(self._list.frames[sorted(changed)]):
                self._show(int(row), poses[row])
        for row, node in self._nodes.items():
            change = np.abs(poses[row] - self._told[row])
            if change[:3].max() > LEAST_CHANGE:
                node.position = tuple(poses[row][:3].tolist())
            if change[3:].max() > LEAST_CHANGE:
                node.wxyz = tuple(poses[row][3:].tolist())
            if change.max() > LEAST_CHANGE:
                self._told[row] = poses[row]

    @property
    def sky(self) -> NDArray[np.float64]:
        """(3,) what the background gives off."""
        return self._list.around

    def draw_screens(self) -> None:
        """What Displays have drawn since the last call."""
        new = {name for name, screen in self._screens.items() if screen.changes != self._drawn[name]}
        if not new:
            return
        poses = self._poses()
        self._drawn |= {name: self._screens[name].changes for name in new}
        for row, numbers in self._carried.items():
            if any(new & set(pictures_of(self._list, number)) for number in numbers):
                self._show(row, poses[row])

    def draw_lines(self) -> None:
        """What pens have drawn since the last call."""
        traces = self._sim.media.looks.traces
        for trace in self._lines.keys() - set(traces):
            self._lines.pop(trace).forget()
        for trace in traces:
            if trace not in self._lines:
                self._made += 1
                self._lines[trace] = _Line(self._scene, trace, self._made)
            self._lines[trace].grow()

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest coordinates of the spheres round all shapes, m; zeros without any."""
        shapes = self._list
        if not len(shapes.spheres):
            return np.zeros(3), np.zeros(3)
        poses = self._shapes.poses()[shapes.frames]
        turns = poses[:, 3:].reshape(-1, 3, 3)
        middles = poses[:, :3] + np.einsum("nij,nj->ni", turns, shapes.spheres[:, :3])
        radii = shapes.spheres[:, 3:]
        return (middles - radii).min(axis=0), (middles + radii).max(axis=0)

    def _show(self, row: int, pose: NDArray[np.float64]) -> None:
        """A node with all shapes of a frame; takes the place of the one before."""
        self._nodes[row] = self._scene.add_glb(
            f"/life{self._life}/frame{row}",
            glb_of(self._list, self._carried[row], self._glow, self._pictures(self._carried[row])),
            position=tuple(pose[:3].tolist()),
            wxyz=tuple(pose[3:].tolist()),
            cast_shadow=False,
            receive_shadow=False,
        )
        self._told[row] = pose

    def _pictures(self, numbers: list[int]) -> dict[str, NDArray[np.uint8]]:
        """What Displays show on some instances, by the names that their looks have for it."""
        names = {name for number in numbers for name in pictures_of(self._list, number)}
        return {name: self._screens[name].pixels for name in sorted(names & self._screens.keys())}

    def _poses(self) -> NDArray[np.float64]:
        """(f, 7) place, and quaternion (w, x, y, z), of each frame."""
        found = np.zeros((len(poses := self._shapes.poses()), 7))
        found[:, :3] = poses[:, :3]
        for index, turn in enumerate(poses[:, 3:].tolist()):
            x, y, z, w = quaternion_from_rotation(tuple(turn))
            found[index, 3:] = w, x, y, z
        return found


class _Line:
    """The line of a pen, piece by piece."""

    def __init__(self, scene: Any, trace: Trace, number: int) -> None:
        self._scene = scene
        self._trace = trace
        self._name = f"/line{number}"
        self._pieces: list[Any] = []
        self._made = 0
        self._count = 0
        self._generation = trace.generation

    def forget(self) -> None:
        """Draw all of it again."""
        for piece in self._pieces:
            piece.remove()
        self._pieces, self._count = [], 0

    def grow(self) -> None:
        """Draw what is new."""
        trace = self._trace
        if trace.generation != self._generation:
            self._generation = trace.generation
            self.forget()
        start, self._count = max(0, self._count - 1), trace.count
        points, strokes = trace.points[start:], trace.strokes[start:]
        joined = np.flatnonzero(strokes[1:] == strokes[:-1])
        if not len(joined):
            return
        ink = np.clip(trace.colours[start:], 0.0, 1.0)
        density = np.clip(trace.densities[start:, None], 0.0, 1.0)
        mixed = np.rint(255.0 * (ink * density + 1.0 - density)).astype(np.uint8)
        ends = np.stack([joined, joined + 1], axis=1)
        self._made += 1
        self._pieces.append(
            self._scene.add_line_segments(
                f"{self._name}/{self._made}",
                (points[ends] + (0.0, 0.0, LIFT)).astype(np.float32),
                mixed[ends],
                thickness=max(trace.width, 0.001),
            )
        )


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
        self._is_own = bool(self._lights.specs)
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
