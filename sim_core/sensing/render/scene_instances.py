"""The instances of a draw list on the graphics card, and their present poses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np

from sim_core.base.arrays import BoolArray, Float32Array, FloatArray, IntArray
from sim_core.sensing.render.draw_list import DrawList, FrameState, ViewRequest
from sim_core.sensing.render.gpu_data import INSTANCE, InstanceBatch, Mesh, Textures
from sim_core.sensing.render.materials import EMISSIVE
from sim_core.sensing.render.programs import Programs
from sim_core.sensing.render.reflectance import SIZE, reflectance_table

REFLECTANCE_UNIT = 9
"""Texture unit of the table of reflected light, beyond those of the surfaces' textures."""


class SceneInstances:
    """What a painter draws: batches of instances, their poses and materials.

    Attributes:
        list: the draw list.
        pictures: textures of surfaces.
        changes: number of draw lists so far.
        shown: (n,) which instances are drawn; True: all.
        is_at_eye: (n,) which are fixed to the eye: they have its axes instead of those of the world.
        from_eye: (n, 3) their positions, relative to the eye, axes of the world, m.
        middles: (n, 3) centres of the spheres around them, likewise.
        eye: (3,) position of the eye in the world, m.
    """

    list: DrawList
    shown: BoolArray | bool
    is_at_eye: BoolArray
    from_eye: FloatArray
    middles: FloatArray
    eye: FloatArray

    def __init__(self, context: Any, programs: Programs) -> None:
        self._gl = context
        self._programs = programs
        self._meshes: dict[str, Mesh] = {}
        self.pictures = Textures(context)
        self._batches: list[InstanceBatch] = []
        self._reflectance: Any = None
        self.changes = 0

    def set_draw_list(self, draw_list: DrawList) -> None:
        """Replace the draw list."""
        self.list = draw_list
        self.is_at_eye = draw_list.frames < 0
        self.changes += 1
        counts = np.diff(draw_list.starts)
        for batch in self._batches:
            batch.release()
        names = {batch.mesh for batch in draw_list.batches}
        names.update(name for batch in draw_list.batches for _, name in batch.coarse)
        for name in [name for name in self._meshes if name not in names]:
            self._meshes.pop(name).release()
        for name, triangles in draw_list.meshes.items():
            self._meshes[name] = Mesh(self._gl, triangles)
        looks = [batch.look for batch in draw_list.batches if batch.look is not None]
        kept = {each.picture for look in looks for each in look.maps}
        if draw_list.backdrop is not None:
            kept.add(draw_list.backdrop)
        self.pictures.keep(kept)
        for name, pixels in draw_list.pictures.items():
            self.pictures.set_picture(name, pixels)
        self._batches = [
            InstanceBatch(self._gl, self._programs, self._meshes, batch, count)
            for batch, count in zip(draw_list.batches, counts.tolist(), strict=True)
        ]
        self._batch_of = np.repeat(np.arange(len(counts)), counts)
        self._materials = draw_list.materials.copy()
        if self._reflectance is None and any(batch.is_pbr for batch in draw_list.batches):
            self._reflectance = self._gl.texture((SIZE, SIZE), 2, reflectance_table().tobytes(), dtype="f4")
            self._reflectance.repeat_x = self._reflectance.repeat_y = False
            self._reflectance.use(REFLECTANCE_UNIT)

    def set_state(self, state: FrameState) -> None:
        """Update poses, emitted light and screens."""
        for name, pixels in state.screens.items():
            self.pictures.set_picture(name, pixels)
        self._materials[:, EMISSIVE] = self.list.materials[:, EMISSIVE]
        for rows, colour in state.glow:
            self._materials[rows, EMISSIVE] = colour
        self._poses = state.poses

    def set_eye(self, request: ViewRequest) -> None:
        """Set the eye of the next picture."""
        self.eye, self.shown = request.eye[:3], request.shown
        at_eye = np.concatenate([self.eye, np.eye(3).reshape(-1)])
        frames = np.vstack([self._poses, at_eye])[self.list.frames]
        self._rotations = frames[:, 3:].reshape(-1, 3, 3)
        self.from_eye = frames[:, :3] - self.eye
        self.middles = np.einsum("nij,nj->ni", self._rotations, self.list.spheres[:, :3]) + self.from_eye

    def sorted(self, chosen: IntArray, distances: FloatArray) -> IntArray:
        """Return an order in which the instances of a batch are together, the nearer first."""
        return np.lexsort((distances, self._batch_of[chosen]))

    @np.errstate(over="ignore")  # a brightness beyond 3e38 becomes infinite
    def rows(self, chosen: IntArray, origin: FloatArray | None = None) -> Float32Array:
        """Return the data of instances, (n, INSTANCE); `origin`: (3,) m, reference position instead of the
        eye."""
        rows = np.empty((len(chosen), INSTANCE), np.float32)
        rotations = self._rotations[chosen]
        rows[:, :9] = (rotations @ self.list.turns[chosen]).transpose(0, 2, 1).reshape(-1, 9)
        rows[:, 9:12] = np.einsum("nij,nj->ni", rotations, self.list.offsets[chosen])
        rows[:, 9:12] += (
            self.from_eye[chosen] if origin is None else self.from_eye[chosen] + (self.eye - origin)
        )
        rows[:, 12:] = self._materials[chosen]
        return rows

    def draw(
        self,
        layer: str,
        chosen: IntArray,
        rows: Float32Array,
        program_of: Callable[[InstanceBatch], Any],
        ends: FloatArray | None = None,
        chords: FloatArray | None = None,
    ) -> None:
        """Draw instances batch by batch.

        Args:
            layer: layer to draw.
            chosen: (n,) the instances, those of a batch together.
            rows: (n, INSTANCE) their data.
            program_of: returns the program of a batch, with its uniforms.
            ends: (n,) batches are sorted by this number of their first instance; None: not sorted.
            chords: (n,) numbers of chords that round ones need; None: the largest numbers.
        """
        edges = np.searchsorted(self._batch_of[chosen], np.arange(len(self._batches) + 1))
        used = np.flatnonzero(np.diff(edges))
        if ends is not None:
            used = used[np.argsort(ends[edges[used]], kind="stable")]
        for number in used:
            batch = self._batches[number]
            part = slice(edges[number], edges[number + 1])
            needed = None if chords is None else chords[part]
            batch.draw(layer, program_of(batch), rows[part], self.pictures, needed)

    def draw_one(
        self, layer: str, index: int, row: Float32Array, program_of: Callable[[InstanceBatch], Any]
    ) -> None:
        """Draw one instance."""
        batch = self._batches[self._batch_of[index]]
        batch.draw(layer, program_of(batch), row, self.pictures)

    def draw_depths(
        self, program: Any, chosen: IntArray, rows: Float32Array, chords: FloatArray | None = None
    ) -> None:
        """Draw instances into a shadow map, as `draw`."""
        self._gl.enable_only(moderngl.DEPTH_TEST)
        self.draw("shadow", chosen, rows, lambda batch: program, chords=chords)
