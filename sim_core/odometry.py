"""Dead reckoning of a differential robot from the angles of its wheels."""

from __future__ import annotations

from sim_core.devices.planar_motion import Pose2d, Twist2d, twist_from_wheels
from sim_core.differential_drive import DifferentialDrive


class WheelOdometry:
    """Pose and velocity as the wheels tell them; slip and wrong dimensions make them drift from the truth.

    The frame is that of the robot's axle centre at the start: x forward, y left.

    Attributes:
        pose: pose since the start or the last `reset`; m, m, rad.
        twist: velocity at the last `update`; m/s and rad/s.
    """

    is_shared = False
    """True: one call reckons for all robots (fast 2D)."""

    def __init__(self, drive: DifferentialDrive) -> None:
        self._drive = drive
        self._last = drive.wheel_positions()
        self.pose = Pose2d()
        self.twist = Twist2d(0.0, 0.0)

    def update(self) -> None:
        """Take in how far the wheels turned since the last call; exact if their speeds were constant."""
        drive = self._drive
        left, right = drive.wheel_positions()
        last_left, last_right = self._last
        self._last = (left, right)
        distance, angle = twist_from_wheels(
            left - last_left, right - last_right, drive.wheel_radius, drive.wheel_separation
        )
        self.pose = self.pose.advanced(distance, angle)
        self.twist = twist_from_wheels(*drive.wheel_velocities(), drive.wheel_radius, drive.wheel_separation)

    def reset(self, pose: Pose2d | None = None) -> None:
        """Start anew from a pose, or from the origin."""
        self._last = self._drive.wheel_positions()
        self.pose = pose or Pose2d()
        self.twist = Twist2d(0.0, 0.0)
