"""Leads the motors of a robot along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim_core.base.errors import CommandError
from sim_core.base.state import State
from sim_core.devices.motors.motor import Motor
from sim_core.session.players.playback import Playback, Player, Score
from sim_core.session.players.trajectory import Trajectory

if TYPE_CHECKING:
    from sim_core.session.robot import Robot


@dataclass(frozen=True)
class TrajectoryScore(Score):
    """A trajectory and the names of its motors."""

    motors: tuple[str, ...]
    trajectory: Trajectory

    def player(self, robot: Robot, playback: Playback) -> TrajectoryPlayer:
        """A player of it."""
        motors = robot.motors()
        return TrajectoryPlayer(self.trajectory, [motors[name] for name in self.motors], playback)


@dataclass(eq=False)
class TrajectoryState(State):
    """Where a trajectory is.

    Attributes:
        time_ns: at the start of the next step, from the trajectory's own start; below 0: it waits.
        path: what is followed, from where the motors were; None: it has not begun.
    """

    time_ns: int = 0
    path: Trajectory | None = None


class TrajectoryPlayer(Player):
    """Leads motors along a trajectory, from where they are when it starts.

    Each motor is told where to be at the end of the step, and how fast to go there: it follows without lag,
    as far as its limits of speed and effort let it. At the end it holds the last position.
    """

    state: TrajectoryState

    def __init__(
        self, trajectory: Trajectory, motors: Sequence[Motor], playback: Playback, start_ns: int | None = None
    ) -> None:
        """Make a player of motors of one robot; it plays when told to.

        Args:
            trajectory: of all of the motors.
            motors: one or more.
            playback: of their simulation.
            start_ns: sim time that the trajectory's times count from; None: that of `play`.
        """
        names = tuple(motor.name for motor in motors)
        super().__init__(TrajectoryScore(motors[0].robot_name, names, trajectory), playback)
        self._start_ns = start_ns
        self._trajectory = trajectory
        self._motors = list(motors)
        self.state = TrajectoryState()

    def clamped(self) -> str | None:
        """A line if the trajectory goes past a soft limit of a motor, where that stops; else None."""
        for column, motor in enumerate(self._motors):
            positions = self._trajectory.positions[:, column] * motor.multiplier
            low, high = motor.limits.min_position, motor.limits.max_position
            if positions.min() < low or positions.max() > high:
                return (
                    f"positions {positions.min():g} to {positions.max():g} of {motor.name} are past "
                    f"the limits {low:g} and {high:g}, clamped"
                )
        return None

    def play(self, now_ns: int) -> None:
        """Start with the next step, or when the trajectory's time comes.

        Raises:
            CommandError: the trajectory is over already.
        """
        if self._start_ns is not None:
            self.state.time_ns = now_ns - self._start_ns
            late = self.state.time_ns - self._trajectory.end_ns
            if late >= 0:
                found = f"a trajectory that ended {late / 1e9:g} s ago"
                raise CommandError(f"found {found}, expected one that ends later")
        self._playback.start(self)

    def before_step(self, step_ns: int) -> bool:
        """Tell the motors where to be at the end of the step; False: at the trajectory's end."""
        state = self.state
        start, end = state.time_ns, state.time_ns + step_ns
        state.time_ns = end
        if start < 0:
            return True
        if state.path is None:
            state.path = self._from_here(start)
        now, then = state.path.at(start), state.path.at(end)
        for motor, here, there in zip(self._motors, now, then, strict=True):
            motor.follow(float(here), float(there))
        return end < state.path.end_ns

    def _from_here(self, elapsed: int) -> Trajectory:
        """The trajectory with the present state before its first point, unless that is now or was before."""
        if elapsed >= self._trajectory.times_ns[0]:
            return self._trajectory
        position = np.array([motor.position / motor.multiplier for motor in self._motors])
        velocity = np.array([motor.velocity / motor.multiplier for motor in self._motors])
        return self._trajectory.starting_at(elapsed, position, velocity)
