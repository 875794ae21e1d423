"""Shapes of a simulation in a recording of viser, and their changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.recording.recorded_simulation import RecordedSimulation
from sim_core.recording.shown_scene import ShownScene
from sim_core.sensing.trace import Trace

LINE_HEIGHT = 0.001
"""Height in m of pens' lines above the floor, which would hide half of them."""
MIN_CHANGE = 1e-6
"""Smallest recorded change of a pose: m, and components of a unit quaternion."""


class AnimationScene:
    """One node for each part of the world, and one for each piece of a pen's line.

    Attributes:
        shown: the parts.

    Args:
        scene: scene of a viser server.
        sim: the simulation.
    """

    def __init__(self, scene: Any, sim: RecordedSimulation) -> None:
        self._scene = scene
        self._sim = sim
        self._generation = 0
        self._nodes: list[Any] = []
        self._lines: dict[Trace, _PenLine] = {}
        self._made = 0  # lines
        self.shown = ShownScene(sim)
        self._show_all()

    def reload(self) -> None:
        """Show all parts again after visible changes of the world."""
        self.shown.reload()
        self._show_all()

    def update_poses(self) -> None:
        """Update poses and emitted light."""
        poses = self.shown.poses()
        for number in sorted(self.shown.update_glow()):
            self._show(number, poses[number])
        for number in np.flatnonzero(np.abs(poses - self._sent).max(axis=1) > MIN_CHANGE).tolist():
            change, node = np.abs(poses[number] - self._sent[number]), self._nodes[number]
            if change[:3].max() > MIN_CHANGE:
                node.position = tuple(poses[number, :3].tolist())
            if change[3:].max() > MIN_CHANGE:
                node.wxyz = tuple(poses[number, 3:].tolist())
            self._sent[number] = poses[number]

    def draw_screens(self) -> None:
        """Update the pictures of Displays."""
        new = self.shown.update_screens()
        poses = self.shown.poses() if new else self._sent
        for number in sorted(new):
            self._show(number, poses[number])

    def draw_lines(self) -> None:
        """Add the lines that pens have drawn since the last call."""
        traces = self._sim.media.appearance_changes.traces
        for trace in self._lines.keys() - set(traces):
            self._lines.pop(trace).remove_pieces()
        for trace in traces:
            if trace not in self._lines:
                self._made += 1
                self._lines[trace] = _PenLine(self._scene, trace, self._made)
            self._lines[trace].grow()

    def _show_all(self) -> None:
        for node in self._nodes:
            node.remove()
        self._generation += 1
        self._sent = self.shown.poses()
        self._nodes = [None] * len(self.shown.parts)
        for number, pose in enumerate(self._sent):
            self._show(number, pose)
        for line in self._lines.values():
            line.remove_pieces()

    def _show(self, number: int, pose: FloatArray) -> None:
        """Add a node with all shapes of a part; it replaces the previous one."""
        self._nodes[number] = self._scene.add_glb(
            f"/life{self._generation}/part{number}",
            self.shown.glb(self.shown.parts[number]),
            position=tuple(pose[:3].tolist()),
            wxyz=tuple(pose[3:].tolist()),
        )
        self._sent[number] = pose


class _PenLine:
    """The line of a pen, as nodes for its pieces."""

    def __init__(self, scene: Any, trace: Trace, number: int) -> None:
        self._scene = scene
        self._trace = trace
        self._name = f"/line{number}"
        self._pieces: list[Any] = []
        self._made = 0
        self._count = 0
        self._generation = trace.generation

    def remove_pieces(self) -> None:
        """Remove all pieces; the whole line is drawn again."""
        for piece in self._pieces:
            piece.remove()
        self._pieces, self._count = [], 0

    def grow(self) -> None:
        """Draw the new part of the line."""
        trace = self._trace
        if trace.generation != self._generation:
            self._generation = trace.generation
            self.remove_pieces()
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
                (points + LINE_HEIGHT * trace.normals[start:])[ends].astype(np.float32),
                mixed[ends],
                thickness=max(trace.width, 0.001),
            )
        )
