"""Leads the motors of a robot along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim_core.base.errors import CommandError
from sim_core.base.state import State
from sim_core.devices.motors.motor import Motor
from sim_core.session.players.playback import Playback, Player
from sim_core.session.players.trajectory import Trajectory


@dataclass(eq=False)
class TrajectoryState(State):
    """Where a trajectory is.

    Attributes:
        start_ns: sim time that its times count from; None: the next step.
        path: what is followed, from where the motors were; None: it has not begun.
    """

    start_ns: int | None = None
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
        """`start_ns`: sim time that the trajectory's times count from; None: the next step."""
        self._trajectory = trajectory
        self._motors = list(motors)
        self._playback = playback
        self.state = TrajectoryState(start_ns)

    @property
    def is_playing(self) -> bool:
        """It was told to play and is neither stopped nor at its end."""
        return self._playback.is_playing(self)

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
        if self.state.start_ns is not None and self.state.start_ns + self._trajectory.times_ns[-1] <= now_ns:
            late = (now_ns - self.state.start_ns - self._trajectory.times_ns[-1]) / 1e9
            raise CommandError(f"found a trajectory that ended {late:g} s ago, expected one that ends later")
        self._playback.start(self)

    def stop(self) -> None:
        """Leave the motors where they are told to be now."""
        self._playback.stop(self)

    def reset(self) -> None:
        """Stop: the world begins anew."""
        self.stop()

    def clock_restarted(self, before_ns: int) -> None:
        """It began so much earlier."""
        if self.state.start_ns is not None:
            self.state.start_ns -= before_ns

    def before_step(self, time_ns: int, step_ns: int) -> bool:
        """Tell the motors where to be at the end of the step; False: at the trajectory's end."""
        state = self.state
        if state.start_ns is None:
            state.start_ns = time_ns
        elapsed = time_ns - state.start_ns
        if elapsed < 0:
            return True
        if state.path is None:
            state.path = self._from_here(elapsed)
        now, then = state.path.at(elapsed), state.path.at(elapsed + step_ns)
        for motor, here, there in zip(self._motors, now, then, strict=True):
            motor.follow(float(here), float(there))
        return elapsed + step_ns < state.path.times_ns[-1]

    def _from_here(self, elapsed: int) -> Trajectory:
        """The trajectory with the present state before its first point, unless that is now or was before."""
        if elapsed >= self._trajectory.times_ns[0]:
            return self._trajectory
        position = np.array([motor.position / motor.multiplier for motor in self._motors])
        velocity = np.array([motor.velocity / motor.multiplier for motor in self._motors])
        return self._trajectory.starting_at(elapsed, position, velocity)
