"""`/R/joint_trajectory` and `/R/motion`: motions that are led by the simulation, not message by message."""

from __future__ import annotations

import shlex
from typing import Any

from ros_bridge.topics.conversions import time_of
from sim_core.base.errors import CommandError, SceneErrors
from sim_core.session.players.motion import find_motion
from sim_core.session.players.motion_player import MotionPlayer
from sim_core.session.players.trajectory import checked_trajectory, chosen_motors
from sim_core.session.players.trajectory_player import TrajectoryPlayer
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

MOTION_OPTIONS = ("loop", "reverse")


class TrajectoryInput:
    """Carries out trajectory_msgs/JointTrajectory on a robot's motors; the newest one rules.

    Positions are interpolated linearly, with velocities by cubic and with accelerations too by quintic
    splines, from the joints' state at the start, as ros2_control's joint_trajectory_controller does. A stamp
    of 0 means now; one without points stops.
    """

    def __init__(self, sim: Simulation, robot: Robot) -> None:
        self._sim = sim
        self._robot = robot
        self._player = robot.playback.playing(TrajectoryPlayer, robot.name)

    def apply(self, message: Any) -> str | None:
        """Start a trajectory with the next step.

        Raises:
            CommandError: something in it is wrong; what is being played goes on.
        """
        joints = list(message.joint_names)
        if not message.points:
            self._replace(None)
            return None
        motors = chosen_motors(joints, self._robot.motors())
        points = message.points
        if any(len(point.effort) for point in points):
            raise CommandError("found efforts, expected positions, velocities and accelerations alone")
        trajectory = checked_trajectory(
            joints,
            [time_of(point.time_from_start) for point in points],
            [point.positions for point in points],
            [point.velocities for point in points],
            [point.accelerations for point in points],
        )
        start = time_of(message.header.stamp) or None
        player = TrajectoryPlayer(trajectory, motors, self._robot.playback, start)
        self._replace(player)
        return player.clamped()

    def _replace(self, player: TrajectoryPlayer | None) -> None:
        if player is not None:
            player.play(self._sim.time_ns)
        if self._player is not None:
            self._player.stop()
        self._player = player


class MotionInput:
    """Plays motion files by name: `walk.motion`, `walk loop`, `"my walk" reverse`; an empty text stops.

    A new one takes the place of the one that plays. See `find_motion` for where files are looked for.
    """

    def __init__(self, sim: Simulation, robot: Robot) -> None:
        self._file = sim.scene.file
        self._robot = robot
        self._player = robot.playback.playing(MotionPlayer, robot.name)

    def apply(self, message: Any) -> str | None:
        """Play from the next step on; returns a line if joints of the motion are ignored.

        Raises:
            CommandError: no such file, a wrong one, or an unknown option; what is being played goes on.
        """
        try:
            words = shlex.split(message.data)
        except ValueError as error:
            raise CommandError(f'found "{message.data}": {error}') from None
        player = None
        if words:
            for word in words[1:]:
                if word not in MOTION_OPTIONS:
                    raise CommandError(f'found the option "{word}", expected {" or ".join(MOTION_OPTIONS)}')
            loop, reverse = (option in words[1:] for option in MOTION_OPTIONS)
            try:
                file = find_motion(words[0], self._file)
                player = self._robot.play_motion(file, loop=loop, reverse=reverse)
            except SceneErrors as errors:
                raise CommandError(str(errors.problems[0])) from None
        if self._player is not None:
            self._player.stop()
        self._player = player
        if player is not None and player.ignored:
            return f"joints that {self._robot.name} does not have are ignored: {', '.join(player.ignored)}"
        return None
