"""`/R/cmd_vel`: a robot with a drive, driven by twists."""

from __future__ import annotations

from typing import Any

from ros_bridge.topics.commands import drive_by_twist
from sim_core.base.clock import to_nanoseconds
from sim_core.session.players.drive_timeout import DriveTimeout
from sim_core.session.robot import Robot


class TwistInput:
    """Carries out geometry_msgs/Twist on a robot.

    Args:
        timeout: s of sim time after which a robot stops that has got no other one; 0: it never does.
    """

    def __init__(self, robot: Robot, timeout: float) -> None:
        self._robot = robot
        self._timeout: DriveTimeout | None = None
        self._timeout_ns = to_nanoseconds(timeout)
        if timeout > 0.0 and robot.drive is not None:
            playing = robot.playback.playing(DriveTimeout, robot.name)  # of the run that this goes on from
            self._timeout = playing or DriveTimeout(robot.drive, robot.playback)

    def apply(self, message: Any) -> str | None:
        """Drive like that from the next step on; returns a line if it was slowed.

        Raises:
            CommandError: a value is not finite; nothing changes, the time of the command before goes on.
        """
        said = drive_by_twist(self._robot, message)
        if self._timeout is not None:
            self._timeout.restart(self._timeout_ns)
        return said
