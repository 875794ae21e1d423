"""Poses of many frames, read at once from the copied state of the bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.compiled import compiled
from sim_core.engines.ode.frames import OdeFrame
from sim_core.engines.pose_reader import SingleReader
from sim_core.model.dynamics.bodies import BodyKind

if TYPE_CHECKING:
    from sim_core.engines.ode.built_world import BuiltWorld


class OdePoseReader:
    """Reader of frames of ODE.

    Args:
        built: the world.
        frames: by their rows.
    """

    def __init__(self, built: BuiltWorld, frames: Mapping[int, OdeFrame]) -> None:
        self._built = built
        self._frames = frames
        self._sort()

    def read(self, poses: FloatArray) -> None:
        """Write the present poses, to the last bit those of `OdeFrame.pose`; see `PoseReader`."""
        if self._arrangement != self._built.arrangement:
            self._sort()
        if len(self._rows):
            copy_poses(self._built.states.good, self._bodies, self._points, self._turns, self._rows, poses)
        self._others.read(poses)

    def _sort(self) -> None:
        """Find the frames on bodies, and where the states of these are."""
        built = self._built
        self._arrangement = built.arrangement
        numbers = {link: number for number, link in enumerate(built.bodies)}
        on_bodies = {
            row: (numbers[frame.link], *frame.in_body())
            for row, frame in self._frames.items()
            if frame.link in numbers and frame.link.kind is BodyKind.DYNAMIC
        }
        self._rows = np.array(list(on_bodies), np.int64)
        bodies, points, turns = zip(*on_bodies.values(), strict=True) if on_bodies else ((), (), ())
        self._bodies = np.array(bodies, np.int64)
        self._points, self._turns = np.array(points), np.array(turns)
        self._others = SingleReader({row: each for row, each in self._frames.items() if row not in on_bodies})


@compiled("void(float64[:,::1], int64[::1], float64[:,::1], float64[:,::1], int64[::1], float64[:,::1])")
def copy_poses(states: Any, bodies: Any, points: Any, turns: Any, rows: Any, poses: Any) -> None:
    """Compute the poses of frames on bodies.

    Args:
        states: (n, STATE_DOUBLES) of the bodies.
        bodies: (f,) row of the body of each frame.
        points: (f, 3) position of the frame from the body's origin, in the body's axes, m.
        turns: (f, 9) rotation of the frame in the body, row by row.
        rows: (f,) row of `poses` to write.
        poses: (m, 12) position and rotation, row by row.
    """
    for i in range(len(rows)):
        state, point, turn, pose = states[bodies[i]], points[i], turns[i], poses[rows[i]]
        for k in range(3):
            a, b, c = state[4 + 4 * k], state[5 + 4 * k], state[6 + 4 * k]
            pose[k] = state[k] + a * point[0] + b * point[1] + c * point[2]
            for j in range(3):
                pose[3 + 3 * k + j] = a * turn[j] + b * turn[3 + j] + c * turn[6 + j]
