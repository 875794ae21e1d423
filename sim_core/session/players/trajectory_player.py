"""Moves motors along a trajectory, and checks whether their joints follow it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.errors import CommandError
from sim_core.base.state import State
from sim_core.devices.motors.motor import Motor
from sim_core.session.players.playback import Playback, Player, PlayerSpec
from sim_core.session.players.trajectory import Sample, Trajectory

if TYPE_CHECKING:
    from sim_core.session.robot import Robot


class Tolerance(NamedTuple):
    """Largest errors of a joint's position and velocity; 0: unlimited."""

    position: float
    """rad or m"""
    velocity: float
    """rad/s or m/s"""


@dataclass(frozen=True)
class Tolerances:
    """Tolerances of a trajectory.

    Attributes:
        path: for each motor, on the way.
        goal: for each motor, at the end.
        goal_time_ns: time after the end in which the joints must reach the goal; 0: unlimited.
    """

    path: tuple[Tolerance, ...]
    goal: tuple[Tolerance, ...]
    goal_time_ns: int = 0


class TrajectoryOutcome(Enum):
    """Result of following a trajectory."""

    NONE = "none"
    """It is being followed, or was stopped, or has no tolerances."""
    REACHED = "reached"
    OFF_PATH = "off path"
    OFF_GOAL = "off goal"


class Progress(NamedTuple):
    """Progress of a trajectory."""

    time_ns: int
    """Time from its start; negative before it."""
    following: int
    """Index of the next point."""
    desired: Sample
    positions: FloatArray
    """(m,) rad or m, positions of the joints, as they are commanded."""
    velocities: FloatArray
    """(m,) rad/s or m/s"""


@dataclass(frozen=True)
class TrajectorySpec(PlayerSpec):
    """Specification of a `TrajectoryPlayer`: trajectory, names of its motors, leader and tolerances."""

    motors: tuple[str, ...]
    trajectory: Trajectory
    leader: str = ""
    tolerances: Tolerances | None = None

    def player(self, robot: Robot, playback: Playback) -> TrajectoryPlayer:
        """Return a player of the trajectory."""
        motors = robot.motors()
        chosen = [motors[name] for name in self.motors]
        return TrajectoryPlayer(
            self.trajectory, chosen, playback, leader=self.leader, tolerances=self.tolerances
        )


@dataclass(eq=False)
class TrajectoryState(State):
    """State of a trajectory.

    Attributes:
        time_ns: time from the trajectory's start at the start of the next step; negative before its start.
        path: the trajectory that is followed, beginning at the motors' positions; None: it has not begun.
        verdict: the result.
        reason: explanation of the result, one line.
    """

    time_ns: int = 0
    path: Trajectory | None = None
    verdict: TrajectoryOutcome = TrajectoryOutcome.NONE
    reason: str = ""


class TrajectoryPlayer(Player):
    """Moves motors along a trajectory, starting from their present positions.

    Each motor receives its position at the end of the step, and the speed to get there: it follows without
    lag, within its limits of speed and effort. At the end it holds the last position.

    With tolerances it ends when the goal is reached. It also ends when a joint violates the path tolerance,
    or has not reached the goal in time: then the motors hold the present joint positions. The check is made
    at the start of each step and depends on simulation time only, so that a repeated run ends at the same
    step.
    """

    state: TrajectoryState

    def __init__(
        self,
        trajectory: Trajectory,
        motors: Sequence[Motor],
        playback: Playback,
        start_ns: int | None = None,
        leader: str = "",
        tolerances: Tolerances | None = None,
    ) -> None:
        """Create a player for motors of one robot; call `play` to start it.

        Args:
            trajectory: of all of the motors.
            motors: one or more.
            playback: of their simulation.
            start_ns: sim time that the trajectory's times count from; None: the time of `play`. Without a
                leader the motors wait for it, with one they are on the way to the first point at once.
            leader: name of the sender, such as a controller of ros2_control; "": none.
            tolerances: of the joints; None: no check.
        """
        names = tuple(motor.name for motor in motors)
        super().__init__(
            TrajectorySpec(motors[0].robot_name, names, trajectory, leader, tolerances), playback
        )
        self._leader = leader
        self._start_ns = start_ns
        self._trajectory = trajectory
        self._tolerances = tolerances
        self._motors = list(motors)
        self.state = TrajectoryState()

    def leads(self, robot: str, leader: str) -> bool:
        """Return whether it moves a robot's motors for this leader."""
        return (self.spec.robot, self._leader) == (robot, leader)

    @property
    def motors(self) -> tuple[str, ...]:
        """Names of the motors."""
        return tuple(motor.name for motor in self._motors)

    @property
    def is_waiting(self) -> bool:
        """True while the motors wait for its start time."""
        return self.state.time_ns < 0 and not self._leader

    def clamped(self) -> str | None:
        """Return a line if the trajectory exceeds a soft limit of a motor, where the motor stops; else
        None."""
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
        """Start with the next step, or at the trajectory's start time.

        Raises:
            CommandError: the trajectory is over already.
        """
        if self._start_ns is not None:
            self.state.time_ns = now_ns - self._start_ns
            late = self.state.time_ns - self._trajectory.end_ns
            if late >= 0:
                found = f"a trajectory that ended {late / 1e9:g} s ago"
                raise CommandError(f"found {found}, expected one that ends later")
        self._playback.start_player(self)

    def progress(self) -> Progress:
        """Return desired and actual states of the joints."""
        positions, velocities = self._joints()
        time_ns, path = self.state.time_ns, self.state.path
        index = bisect_right(self._trajectory.times_ns, time_ns)
        if path is None:
            nothing = np.zeros_like(positions)
            return Progress(time_ns, index, Sample(positions, nothing, nothing), positions, velocities)
        return Progress(time_ns, index, path.state_at(time_ns), positions, velocities)

    def state_at(self, time_ns: int) -> Sample | None:
        """Return the desired state at a time from the trajectory's start; None: it does not move then."""
        path = self.state.path
        if path is None or not path.times_ns[0] <= time_ns <= path.end_ns:
            return None
        return path.state_at(time_ns)

    def hold(self) -> None:
        """Make the motors hold the present joint positions."""
        for motor in self._motors:
            here = motor.position / motor.multiplier
            motor.track_position(here, here)

    def before_step(self, step_ns: int) -> bool:
        """Set the motors' positions for the end of the step; False: the trajectory has ended."""
        state = self.state
        start, end = state.time_ns, state.time_ns + step_ns
        state.time_ns = end
        if start < 0 and not self._leader:
            return True
        begins = state.path is None
        if state.path is None:
            state.path = self._from_here(start)
        if self._tolerances is not None:
            state.verdict, state.reason = self._check(self._tolerances, state.path, start, begins)
            if state.verdict is TrajectoryOutcome.REACHED:
                return False
            if state.verdict is not TrajectoryOutcome.NONE:
                self.hold()
                return False
        now, then = state.path.positions_at(start), state.path.positions_at(end)
        for motor, here, there in zip(self._motors, now, then, strict=True):
            motor.track_position(float(here), float(there))
        return end < state.path.end_ns or self._tolerances is not None

    def _check(
        self, tolerances: Tolerances, path: Trajectory, time_ns: int, begins: bool
    ) -> tuple[TrajectoryOutcome, str]:
        """Return the result so far and its reason; the goal is not reached before the first command."""
        if begins or time_ns < path.end_ns:
            reason = self._violation(tolerances.path, path, time_ns)
            if reason:
                return TrajectoryOutcome.OFF_PATH, f"path tolerance violated: {reason}"
            return TrajectoryOutcome.NONE, ""
        reason = self._violation(tolerances.goal, path, time_ns)
        if not reason:
            return TrajectoryOutcome.REACHED, "goal reached"
        late_ns = time_ns - path.end_ns
        if 0 < tolerances.goal_time_ns < late_ns:
            return (
                TrajectoryOutcome.OFF_GOAL,
                f"goal tolerance violated {late_ns / 1e9:g} s after the end: {reason}",
            )
        return TrajectoryOutcome.NONE, ""

    def _violation(self, tolerances: tuple[Tolerance, ...], path: Trajectory, time_ns: int) -> str:
        """Return which joint violates its tolerance, as text; "": none."""
        if not any(map(any, tolerances)):
            return ""
        desired, (positions, velocities) = path.state_at(time_ns), self._joints()
        for index, (motor, allowed) in enumerate(zip(self._motors, tolerances, strict=True)):
            for what, error, limit in (
                ("position", desired.positions[index] - positions[index], allowed.position),
                ("velocity", desired.velocities[index] - velocities[index], allowed.velocity),
            ):
                if limit and abs(error) > limit:
                    return f"{what} error {error:.4g} of {motor.name}, tolerance {limit:g}"
        return ""

    def _joints(self) -> tuple[FloatArray, FloatArray]:
        """Return (m,) positions and velocities of the joints, as they are commanded."""
        positions = np.array([motor.position / motor.multiplier for motor in self._motors])
        return positions, np.array([motor.velocity / motor.multiplier for motor in self._motors])

    def _from_here(self, elapsed: int) -> Trajectory:
        """Return the trajectory with the present state before its first point, unless that point has
        passed."""
        if elapsed >= self._trajectory.times_ns[0]:
            return self._trajectory
        return self._trajectory.starting_at(elapsed, *self._joints())
