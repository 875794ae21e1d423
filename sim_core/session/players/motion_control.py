"""Commands of a robot that last for several steps: speeds with a timeout, trajectories and motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sim_core.base.errors import CommandError
from sim_core.base.state import State
from sim_core.devices.command_checks import check_finite
from sim_core.devices.motors.motor import Motor
from sim_core.session.players.body_twist import BodyTwist
from sim_core.session.players.drive_ramp import UNLIMITED, DriveRamp
from sim_core.session.players.motion import find_motion, read_motion
from sim_core.session.players.motion_player import MotionPlayer
from sim_core.session.players.playback import Playback, Player, PlayerSpec
from sim_core.session.players.trajectory import Trajectory
from sim_core.session.players.trajectory_player import Tolerances, TrajectoryPlayer

if TYPE_CHECKING:
    from sim_core.session.robot import Robot


class MotionControl:
    """Players of a robot, at most one of each kind, and the motions that its controller has opened."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._timeout: DriveTimeout | None = None
        self._ramp: DriveRamp | None = None
        self._body: BodyTwist | None = None
        self._motion: MotionPlayer | None = None
        self._opened: list[MotionPlayer] = []

    def drive(self, linear: float, angular: float, timeout_ns: int, lateral: float = 0.0) -> str | None:
        """Drive forward at m/s, counter-clockwise at rad/s, to the left at m/s; see `DriveRamp`.

        Args:
            linear, angular, lateral: the speeds.
            timeout_ns: time after which the robot stops without another command; 0: never.

        Returns:
            One line if the speed was reduced, else None.

        Raises:
            CommandError: a value is not finite; nothing changes, and the present timeout continues.
        """
        drive, name, playback = self._robot.drive, self._robot.name, self._robot.playback
        if self._robot.moved_by_twist:
            moving = playback.playing(BodyTwist, name)  # of a run that continues from a file
            self._body = self._body or moving or BodyTwist(self._robot, playback)
            self._body.move(linear, angular, lateral)
            self._stop_after(timeout_ns)
            return None
        if drive is None:
            raise CommandError(f"{self._robot.name} has no wheels that could be driven by a twist")
        for what, value in (("linear", linear), ("angular", angular), ("lateral", lateral)):
            check_finite(f"{self._robot.name}: {what} velocity", value)
        self._stop_after(timeout_ns)
        if drive.limits == UNLIMITED:
            return drive.set_twist(linear, angular, lateral)
        self._ramp = self._ramp or playback.playing(DriveRamp, name) or DriveRamp(self._robot, playback)
        return self._ramp.set_target(drive, (linear, lateral, angular))

    def _stop_after(self, timeout_ns: int) -> None:
        """Stop after a time without another command; 0: never."""
        if timeout_ns:
            playback = self._robot.playback
            playing = playback.playing(DriveTimeout, self._robot.name)  # of a run that continues from a file
            self._timeout = self._timeout or playing or DriveTimeout(self._robot, playback)
            self._timeout.set_timeout(timeout_ns)

    def follow(
        self,
        motors: Sequence[Motor],
        trajectory: Trajectory,
        now_ns: int,
        start_ns: int | None,
        leader: str = "",
        tolerances: Tolerances | None = None,
    ) -> str | None:
        """Move motors along a trajectory of their joints; it replaces that of the same leader.

        Args:
            motors, trajectory: as `TrajectoryPlayer` takes them.
            now_ns: sim time.
            start_ns: as `TrajectoryPlayer` takes it.
            leader: name of the sender, whose previous trajectory is replaced.
            tolerances: as `TrajectoryPlayer` takes them.

        Returns:
            One line if the trajectory exceeds a soft limit, else None.

        Raises:
            CommandError: it is over already; the present trajectory continues.
        """
        player = TrajectoryPlayer(trajectory, motors, self._robot.playback, start_ns, leader, tolerances)
        before = self._trajectories_of(leader)
        player.play(now_ns)
        for each in before:
            each.stop()
        return player.clamped()

    def end_trajectory(self, leader: str = "") -> None:
        """End the trajectory of a leader; the motors keep their last targets."""
        for each in self._trajectories_of(leader):
            each.stop()

    def hold(self, leader: str = "") -> None:
        """End the trajectory of a leader; the motors hold the present joint positions."""
        for each in self._trajectories_of(leader):
            each.hold()
            each.stop()

    def followed(self, leader: str = "") -> TrajectoryPlayer | None:
        """Return the leader's trajectory player that was started last, or None."""
        return next(reversed(self._trajectories_of(leader)), None)

    def _trajectories_of(self, leader: str) -> list[TrajectoryPlayer]:
        """Return the leader's trajectory players: the present one, and perhaps one that waits for its
        start."""
        return [
            player
            for player in self._robot.playback.players.values()
            if isinstance(player, TrajectoryPlayer) and player.leads(self._robot.name, leader)
        ]

    def play(self, file: str, world_file: str | Path, loop: bool, reverse: bool) -> list[str]:
        """Play a motion file; "": stop the present motion.

        Args:
            file, world_file: as `find_motion` takes them.
            loop, reverse: as `MotionPlayer` has them.

        Returns:
            Joints of the motion that the robot does not have.

        Raises:
            SceneErrors: there is no such file, or its rows are wrong.
            CommandError: the robot has none of its joints.
        """
        player = None
        if file:
            path = find_motion(file, world_file)
            player = self._robot.play_motion(path, loop=loop, reverse=reverse)
        if self._motion is not None:
            self._motion.stop()
        self._motion = player
        return [] if player is None else player.ignored

    def open(self, file: str | Path) -> int:
        """Read a motion for a controller; return its number.

        Raises:
            SceneErrors: the file cannot be read.
            CommandError: the robot has none of its joints.
        """
        self._opened.append(MotionPlayer(read_motion(file), self._robot.motors(), self._robot.playback))
        return len(self._opened) - 1

    def motion(self, number: int) -> MotionPlayer:
        """Return an opened motion.

        Raises:
            CommandError: no motion has this number.
        """
        if not 0 <= number < len(self._opened):
            raise CommandError(f"{self._robot.name}: found motion {number}, expected one that was opened")
        return self._opened[number]

    def close_motions(self) -> None:
        """Stop and remove all opened motions, because the controller has ended."""
        for player in self._opened:
            player.stop()
        self._opened.clear()


@dataclass(eq=False)
class TimeoutState(State):
    """Remaining time of the last command, in sim time."""

    left_ns: int = 0


class TimeoutSpec(PlayerSpec):
    """Specification of a `DriveTimeout`."""

    def player(self, robot: Robot, playback: Playback) -> DriveTimeout:
        """Return the player."""
        return DriveTimeout(robot, playback)


class DriveTimeout(Player):
    """Stops a robot's drive some sim time after the last command.

    The command is in force for all steps that start less than the timeout after it.
    """

    state: TimeoutState

    def __init__(self, robot: Robot, playback: Playback) -> None:
        super().__init__(TimeoutSpec(robot.name), playback)
        self._robot = robot
        self.state = TimeoutState()

    def set_timeout(self, timeout_ns: int) -> None:
        """Restart the timeout for a command that takes effect with the step that starts now."""
        self.state.left_ns = timeout_ns
        self._playback.start_player(self)

    def before_step(self, step_ns: int) -> bool:
        """Stop the drive if the time is over; return False then."""
        if self.state.left_ns > 0:
            self.state.left_ns -= step_ns
            return True
        if self._robot.drive is not None or self._robot.moved_by_twist:
            self._robot.motion_control.drive(0.0, 0.0, 0)
        return False
