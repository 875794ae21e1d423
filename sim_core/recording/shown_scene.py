"""A world as pages show it: parts as binary glTF, their poses, and the lights.

The animation and the viewer's topics are made of this, from the same draw list as pictures.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray
from sim_core.base.ids import NodeId
from sim_core.recording.glb import Light, glb_of, pictures_of
from sim_core.recording.quaternion_kernel import quaternions_from_rotations
from sim_core.recording.recorded_simulation import RecordedSimulation
from sim_core.sensing.render.draw_list import SceneShapes, screen_name
from sim_core.sensing.render.materials import KIND, PBR


class ShapeGroup(NamedTuple):
    """Shapes that move together and are picked together.

    Attributes:
        solid: the solid that they belong to; None: none.
        frame: row of their frame; 0: the world.
        shapes: numbers of the instances in the draw list.
    """

    solid: NodeId | None
    frame: int
    shapes: list[int]


class ShownScene:
    """The shapes of a simulation, part by part.

    Attributes:
        parts: in the order of the rows of `poses`.
        moving: numbers of those that may move.
        sky: (3,) ambient light of the background.
        is_unlit: this light reaches no shape, as no PBRAppearance reflects it.
        generation: number of times that the parts were read.

    Args:
        sim: the simulation; nothing in it changes.
    """

    def __init__(self, sim: RecordedSimulation) -> None:
        self._sim = sim
        self.generation = 0
        self.reload()

    def reload(self) -> None:
        """Read all shapes again after visible changes of the world."""
        self.generation += 1
        changes = self._sim.media.appearance_changes
        self._shapes = SceneShapes(self._sim.physics)
        self._list = self._shapes.read_shapes(changes, is_page=True)
        found: dict[tuple[int, NodeId | None], list[int]] = {}
        for number, (frame, solid) in enumerate(
            zip(self._list.frames.tolist(), self._shapes.solids, strict=True)
        ):
            found.setdefault((frame, solid), []).append(number)
        self.parts = [ShapeGroup(solid, frame, shapes) for (frame, solid), shapes in found.items()]
        self._frames = np.array([part.frame for part in self.parts], np.intp)
        model = self._sim.physics.model
        moves = [part.solid is not None and model.solid(part.solid).moves for part in self.parts]
        self.moving = np.flatnonzero(moves)
        self._moving_frames = self._frames[self.moving]
        self.sky = self._list.ambient
        self.is_unlit = not (self.sky.any() and (self._list.materials[:, KIND] == PBR).any())
        self._glow: dict[int, Light] = {}
        self._screens = {screen_name(display): screen for display, screen in changes.screens.items()}
        self._drawn = {name: screen.changes for name, screen in self._screens.items()}
        self.update_glow()

    def poses(self) -> FloatArray:
        """Return position in m, and quaternion (w, x, y, z), of each part, (n, 7)."""
        return self._poses_of(self._frames)

    def moving_poses(self) -> FloatArray:
        """Return the poses of the parts that may move, as `poses`."""
        return self._poses_of(self._moving_frames)

    def update_glow(self) -> set[int]:
        """Update the emitted light.

        Returns:
            The parts whose appearance has changed since the last call.
        """
        glow: dict[int, Light] = {
            row: (light[0], light[1], light[2])
            for rows, light in self._shapes.glow(self._sim.media.appearance_changes.colours)
            for row in rows
        }
        if glow == self._glow:
            return set()
        changed = {row for row in glow.keys() | self._glow.keys() if glow.get(row) != self._glow.get(row)}
        self._glow = glow
        return self._with(changed)

    def update_screens(self) -> set[int]:
        """Update the pictures of Displays.

        Returns:
            The parts whose appearance has changed since the last call.
        """
        new = {name for name, screen in self._screens.items() if screen.changes != self._drawn[name]}
        if not new:
            return set()
        self._drawn |= {name: self._screens[name].changes for name in new}
        changed = (
            number
            for part in self.parts
            for number in part.shapes
            if any(name in new for name in pictures_of(self._list, number))
        )
        return self._with(changed)

    def glb(self, part: ShapeGroup) -> bytes:
        """Return the shapes of a part with their present appearance, in the coordinates of its frame."""
        names = {name for number in part.shapes for name in pictures_of(self._list, number)}
        screens = {name: self._screens[name].pixels for name in sorted(names & self._screens.keys())}
        return glb_of(self._list, part.shapes, self._glow, screens)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return lowest and highest coordinates of the spheres around all shapes, m; zeros without any."""
        shapes = self._list
        if not len(shapes.spheres):
            return np.zeros(3), np.zeros(3)
        poses = self._shapes.poses()[shapes.frames]
        turns = poses[:, 3:].reshape(-1, 3, 3)
        middles = poses[:, :3] + np.einsum("nij,nj->ni", turns, shapes.spheres[:, :3])
        radii = shapes.spheres[:, 3:]
        return (middles - radii).min(axis=0), (middles + radii).max(axis=0)

    def _poses_of(self, frames: NDArray[np.intp]) -> FloatArray:
        rows = self._shapes.poses()[frames]
        quaternions = quaternions_from_rotations(rows[:, 3:])
        return np.column_stack([rows[:, :3], quaternions[:, 3], quaternions[:, :3]])

    def _with(self, shapes: Iterable[int]) -> set[int]:
        """Return the parts that have any of these shapes."""
        wanted = set(shapes)
        return {number for number, part in enumerate(self.parts) if not wanted.isdisjoint(part.shapes)}
