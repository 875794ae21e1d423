"""Trajectories of joints: positions at times, with velocities and accelerations where they are given."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.errors import CommandError
from sim_core.devices.motors.motor import Motor


class Sample(NamedTuple):
    """State of a trajectory at one time: (m,) of rad or m, of these per s, and per s²."""

    positions: FloatArray
    velocities: FloatArray
    accelerations: FloatArray


@dataclass(frozen=True)
class Trajectory:
    """Knots of a spline through joint positions.

    Between knots the joints move linearly, or by a cubic spline if both knots have velocities, or by a
    quintic spline if both have accelerations too.

    Attributes:
        times_ns: n increasing times from the start.
        positions: (n, m) rad or m; NaN: the joint is not commanded at the knot and on the way to it.
        velocities: (n, m) rad/s or m/s, or None; a row of NaN: not given at the knot.
        accelerations: (n, m) rad/s² or m/s², or None; a row of NaN: not given at the knot.
    """

    times_ns: tuple[int, ...]
    positions: FloatArray
    velocities: FloatArray | None = None
    accelerations: FloatArray | None = None

    @property
    def end_ns(self) -> int:
        """Time of the last knot."""
        return self.times_ns[-1]

    def starting_at(
        self, time_ns: int, position: FloatArray, velocity: FloatArray | None = None
    ) -> Trajectory:
        """Return the same trajectory with a knot before the first one; its acceleration is 0."""
        velocity = np.zeros_like(position) if velocity is None else velocity

        def with_row(rows: FloatArray | None, row: FloatArray) -> FloatArray | None:
            return None if rows is None else np.vstack((row, rows))

        return Trajectory(
            (time_ns, *self.times_ns),
            np.vstack((position, self.positions)),
            with_row(self.velocities, velocity),
            with_row(self.accelerations, np.zeros_like(position)),
        )

    def positions_at(self, time_ns: int) -> FloatArray:
        """Return (m,) positions at a time from the start; constant before the first and after the last
        knot."""
        after = bisect_right(self.times_ns, time_ns)
        if after == 0:
            return self.positions[0]
        start = self.times_ns[after - 1]
        if after == len(self.times_ns) or time_ns == start:
            return self.positions[after - 1]
        end = self.times_ns[after]
        return _value(self._polynomial(after, (end - start) / 1e9), (time_ns - start) / (end - start))

    def state_at(self, time_ns: int) -> Sample:
        """Return positions with their first two derivatives; at a knot, those of the following segment.

        Before the first knot the derivatives are 0; after the last one its velocity is kept.
        """
        nothing = np.zeros_like(self.positions[0])
        after = bisect_right(self.times_ns, time_ns)
        if after == 0:
            return Sample(self.positions[0], nothing, nothing)
        if after == len(self.times_ns):
            last = self.velocities
            return Sample(self.positions[-1], nothing if last is None else np.nan_to_num(last[-1]), nothing)
        start, end = self.times_ns[after - 1], self.times_ns[after]
        seconds, s = (end - start) / 1e9, (time_ns - start) / (end - start)
        terms = self._polynomial(after, seconds)
        speed = [power * term for power, term in enumerate(terms)][1:]
        change = [power * term for power, term in enumerate(speed)][1:]
        return Sample(
            self.positions_at(time_ns),
            _value(speed, s) / seconds,
            _value(change, s) / seconds**2 if change else nothing,
        )

    def _polynomial(self, after: int, seconds: float) -> list[FloatArray]:
        """Return (m,) coefficients of the powers of s, from 0 to 1, for the segment of `seconds` that ends at
        knot `after`.

        Hermite splines: the polynomial of least degree with the given values at both ends.
        """
        p, q = self.positions[after - 1], self.positions[after]
        if not _has(self.velocities, after):
            return [p, q - p]
        assert self.velocities is not None
        v, w = self.velocities[after - 1] * seconds, self.velocities[after] * seconds
        if not _has(self.accelerations, after):
            return [p, v, 3.0 * (q - p) - 2.0 * v - w, 2.0 * (p - q) + v + w]
        assert self.accelerations is not None
        a, b = self.accelerations[after - 1] * seconds**2, self.accelerations[after] * seconds**2
        third = 10.0 * (q - p) - 6.0 * v - 4.0 * w - 1.5 * a + 0.5 * b
        fourth = -15.0 * (q - p) + 8.0 * v + 7.0 * w + 1.5 * a - b
        fifth = 6.0 * (q - p) - 3.0 * (v + w) - 0.5 * (a - b)
        return [p, v, 0.5 * a, third, fourth, fifth]


def _has(rows: FloatArray | None, after: int) -> bool:
    """Return whether the knot `after` and the one before it have these values."""
    return rows is not None and not np.isnan(rows[after - 1 : after + 1]).any()


def _value(terms: Sequence[FloatArray], s: float) -> FloatArray:
    """Return the value at s of a polynomial whose lowest term comes first."""
    value = terms[-1]
    for term in reversed(terms[:-1]):
        value = term + s * value
    return value


def checked_trajectory(
    joints: Sequence[str],
    times_ns: Sequence[int],
    positions: Sequence[Sequence[float]],
    velocities: Sequence[Sequence[float]],
    accelerations: Sequence[Sequence[float]],
) -> Trajectory:
    """Return a trajectory from unchecked lists; each point has a list, empty where nothing is given.

    All points need positions; velocities and accelerations may be given for some points only.

    Raises:
        CommandError: no point, times that do not increase, lists of wrong length, numbers that are not
            finite.
    """
    if not times_ns:
        raise CommandError("found no points, expected at least one")
    before = -1
    for index, time in enumerate(times_ns):
        if time <= before:
            raise CommandError(
                f"found time_from_start {time / 1e9:g} s in point {index}, "
                f"expected {'0 or more' if index == 0 else 'a later time than in the point before'}"
            )
        before = time
    places = _table("positions", positions, joints)
    speeds = _table("velocities", velocities, joints)
    changes = _table("accelerations", accelerations, joints)
    if places is None or np.isnan(places).any():
        lacking = 0 if places is None else int(np.isnan(places).any(axis=1).argmax())
        raise CommandError(f"found no positions in point {lacking}, expected one for each joint")
    if changes is not None and speeds is None:
        raise CommandError("found accelerations without velocities, expected both or velocities alone")
    return Trajectory(tuple(times_ns), places, speeds, changes)


def chosen_motors(joints: Sequence[str], motors: Mapping[str, Motor]) -> list[Motor]:
    """Return the motors of a trajectory's joints.

    Raises:
        CommandError: no joint, an unknown one, one named twice, or two that are coupled.
    """
    if not joints:
        raise CommandError("found no joint names, expected at least one")
    chosen: list[Motor] = []
    for name in joints:
        if name not in motors:
            raise CommandError(f'found joint "{name}", expected one of {", ".join(motors) or "none"}')
        other = next((motor for motor in chosen if motor in motors[name].coupled), None)
        if other is motors[name]:
            raise CommandError(f'found joint "{name}" twice, expected each joint once')
        if other is not None:
            raise CommandError(
                f'found the joints "{other.name}" and "{name}", which are coupled, expected one of them'
            )
        chosen.append(motors[name])
    return chosen


def _table(what: str, rows: Sequence[Sequence[float]], joints: Sequence[str]) -> FloatArray | None:
    """Return rows of numbers as an array, NaN where a point has none; None: no point has any."""
    if not any(len(row) for row in rows):
        return None
    for index, row in enumerate(rows):
        if not row:
            continue
        if len(row) != len(joints):
            raise CommandError(
                f"found {len(row)} {what} in point {index}, expected {len(joints)}, as joint_names"
            )
        for name, value in zip(joints, row, strict=True):
            if not math.isfinite(value):
                raise CommandError(
                    f'found {value} in {what} of "{name}" in point {index}, expected finite numbers'
                )
    nothing = [math.nan] * len(joints)
    return np.array([row or nothing for row in rows], dtype=np.float64)
