"""A motion being edited: poses of motors at times (as in the motion editor of the book)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sim_core.session.players.motion import Motion, write_motion
from sim_core.session.players.trajectory import Trajectory

MILLISECOND = 1_000_000
NO_STEP = 0


@dataclass(frozen=True)
class DraftPose:
    """Target positions of motors at a time.

    Attributes:
        time: ms from the start.
        positions: rad or m by motor name; a motor that is missing is not commanded.
    """

    time: int
    name: str
    positions: Mapping[str, float] = field(default_factory=dict)


class MotionDraft:
    """Poses in order of time.

    Attributes:
        poses: with increasing times.
        step: ms between two poses; NO_STEP: each pose has its own time.
    """

    def __init__(self) -> None:
        self.poses: list[DraftPose] = []
        self.step = NO_STEP

    @classmethod
    def from_motion(cls, motion: Motion) -> MotionDraft:
        """Make a draft of an existing motion."""
        draft = cls()
        for time, name, row in zip(motion.path.times_ns, motion.poses, motion.path.positions, strict=True):
            given = zip(motion.joints, map(float, row), strict=True)
            positions = {joint: value for joint, value in given if not math.isnan(value)}
            draft.poses.append(DraftPose(time // MILLISECOND, name, positions))
        return draft

    def insert_pose(self, index: int, positions: Mapping[str, float], gap: int) -> int:
        """Insert a pose `gap` ms after the one at `index` (-1: none), shift later ones, return its index."""
        time = self.poses[index].time + gap if self.poses and index >= 0 else 0
        at = index + 1
        later = [replace(pose, time=pose.time + gap) for pose in self.poses[at:]]
        self.poses[at:] = [DraftPose(time, f"pose {len(self.poses) + 1}", dict(positions)), *later]
        self._keep_step()
        return at

    def remove_pose(self, index: int) -> None:
        """Remove a pose; the others keep their times."""
        del self.poses[index]
        self._keep_step()

    def swap(self, index: int, by: int) -> int:
        """Swap a pose, but not its time, with the one before (-1) or after it (1); return its new index."""
        other = index + by
        if 0 <= index < len(self.poses) and 0 <= other < len(self.poses):
            one, two = self.poses[index], self.poses[other]
            self.poses[index], self.poses[other] = replace(two, time=one.time), replace(one, time=two.time)
            return other
        return index

    def set_step(self, step: int) -> None:
        """Set a fixed time between all poses; NO_STEP: keep the times."""
        self.step = step
        self._keep_step()

    def replace_pose(self, index: int, time: int, name: str, positions: Mapping[str, float]) -> None:
        """Replace a pose.

        Raises:
            ValueError: the time is not between those of its neighbours, or a motion file cannot hold the
                name.
        """
        before = self.poses[index - 1].time if index else -1
        after = self.poses[index + 1].time if index + 1 < len(self.poses) else math.inf
        if self.step == NO_STEP and not before < time < after:
            raise ValueError(f"found the time {time} ms, expected one after {before} and before {after} ms")
        if not name.strip() or any(sign in name for sign in ",\n\r"):
            raise ValueError(f'found the name "{name}", expected one without commas')
        self.poses[index] = DraftPose(time, name.strip(), dict(positions))
        self._keep_step()

    def text(self) -> str:
        """Return the motion file.

        Raises:
            ValueError: no pose has a motor.
        """
        joints = self.joints
        if not joints:
            raise ValueError("found no pose with a motor, expected at least one")
        times = tuple(pose.time * MILLISECOND for pose in self.poses)
        path = Trajectory(times, self._rows())
        return write_motion(Motion(joints, tuple(pose.name for pose in self.poses), path))

    def path(self, reverse: bool) -> Trajectory:
        """Return the trajectory to play; a pose that does not command a motor is interpolated for it."""
        times = np.array([pose.time for pose in self.poses], float)
        rows = self._rows()
        for column in rows.T:
            given = ~np.isnan(column)
            column[:] = np.interp(times, times[given], column[given])
        if reverse:
            times, rows = times[-1] - times[::-1], rows[::-1]
        return Trajectory(tuple(round(time) * MILLISECOND for time in times), rows)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all motors in the poses, in order of first appearance."""
        return tuple(dict.fromkeys(joint for pose in self.poses for joint in pose.positions))

    def _rows(self) -> NDArray[np.float64]:
        joints = self.joints
        return np.array([[pose.positions.get(joint, math.nan) for joint in joints] for pose in self.poses])

    def _keep_step(self) -> None:
        if self.step != NO_STEP:
            self.poses = [replace(pose, time=n * self.step) for n, pose in enumerate(self.poses)]


def parse_positions(text: str) -> dict[str, float]:
    """Parse lines of `NAME POSITION`; with `*` (as in a motion file) or no value the motor is not commanded.

    Raises:
        ValueError: a position is not a finite number.
    """
    found: dict[str, float] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, value = line.rpartition(" ")
        try:
            number = math.nan if value == "*" or not name else float(value)
        except ValueError:
            number = math.inf
        if math.isinf(number):
            raise ValueError(f'found "{line}", expected the name of a motor and its position, or *')
        if not math.isnan(number):
            found[name.strip()] = number
    return found


def positions_text(positions: Mapping[str, float], motors: Sequence[str]) -> str:
    """Return text that `parse_positions` reads: one line for each motor."""
    names = dict.fromkeys((*motors, *positions))
    return "\n".join(f"{name} {positions[name]:.6g}" if name in positions else f"{name} *" for name in names)
