"""Drives from mark to mark, and to the charger before the battery is empty.

    odesim run docking

The state machine `DockingLaw` uses only pose and level of the battery; paths are computed by `pose_law.py`.
The charger supplies energy while the robot stands on it.
"""

from __future__ import annotations

import enum
import math
import sys
from typing import Any

from geometry_msgs.msg import PointStamped
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, Imu

from ros_bridge.controllers.go_to_pose import heading_of
from ros_bridge.controllers.pose_law import Pose2D, PoseLaw, wheel_speeds, wrap
from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run

MARKS: tuple[tuple[float, float], ...] = ((-1.0, -0.8), (0.4, 0.8), (-1.0, 0.8))
"""Marks to visit in turn, m."""
NEAR_MARK = 0.1
"""Distance at which a mark counts as reached, m."""
ENTRY: Pose2D = (0.7, 0.0, 0.0)
"""Pose in front of the charger, facing it."""
DOCK_X = 1.18
"""x at which the robot stops in the charger, m."""
LOW, FULL = 0.5, 0.98
"""Levels of the battery at which it goes to the charger and leaves it."""
CREEP = 0.1
"""Speed into the charger and out of it, m/s."""
KEEP_STRAIGHT = 2.0
"""Gains on the charger: of the heading error, 1/s, and of the distance from its axis, 1/(s·m)."""
RADIUS, HALF_AXLE, LIMIT = 0.04, 0.1, 8.0
"""Wheel radius and half the axle of the Cart, m; largest wheel speed, rad/s."""


class DockingPhase(enum.Enum):
    """State of the robot."""

    WORK = "goes from mark to mark"
    APPROACH = "goes to the entry of the charger"
    ENTER = "drives in"
    CHARGE = "takes energy"
    LEAVE = "backs out"


class DockingLaw:
    """Computes left and right wheel speed, rad/s, from a pose and the level of the battery, 0 to 1.

    Attributes:
        state: current state.
        mark: index of the next mark.
    """

    def __init__(self) -> None:
        self.state = DockingPhase.WORK
        self.mark = 0
        self._way = PoseLaw(ENTRY)

    def __call__(self, pose: Pose2D, level: float) -> tuple[float, float]:
        """Update the state and return the wheel speeds."""
        self._update_phase(pose, level)
        return wheel_speeds(*self._twist(pose), RADIUS, HALF_AXLE, LIMIT)

    def _update_phase(self, pose: Pose2D, level: float) -> None:
        x, y, _ = pose
        if self.state is DockingPhase.WORK:
            if math.dist((x, y), MARKS[self.mark]) < NEAR_MARK:
                self.mark = (self.mark + 1) % len(MARKS)
            if level < LOW:
                self.state, self._way = DockingPhase.APPROACH, PoseLaw(ENTRY)
        elif self.state is DockingPhase.APPROACH:
            if self._way.at_place and self._way(pose) == (0.0, 0.0):
                self.state = DockingPhase.ENTER
        elif self.state is DockingPhase.ENTER:
            if x >= DOCK_X:
                self.state = DockingPhase.CHARGE
        elif self.state is DockingPhase.CHARGE:
            if level >= FULL:
                self.state = DockingPhase.LEAVE
        elif x <= ENTRY[0]:
            self.state = DockingPhase.WORK

    def _twist(self, pose: Pose2D) -> tuple[float, float]:
        x, y, heading = pose
        if self.state is DockingPhase.WORK:
            to_x, to_y = MARKS[self.mark]
            away = wrap(math.atan2(to_y - y, to_x - x) - heading)
            return LIMIT * RADIUS * max(0.0, math.cos(away)), 3.0 * away
        if self.state is DockingPhase.APPROACH:
            return self._way(pose)
        if self.state is DockingPhase.CHARGE:
            return 0.0, 0.0
        forward = CREEP if self.state is DockingPhase.ENTER else -CREEP
        aim = wrap(ENTRY[2] - math.copysign(KEEP_STRAIGHT, forward) * (y - ENTRY[1]))
        return forward, KEEP_STRAIGHT * wrap(aim - heading)


class DockingController(Node):
    """A node that drives one robot."""

    def __init__(self) -> None:
        super().__init__("docking", parameter_overrides=READINGS_ALONE)
        self.law = DockingLaw()
        sensors = {"gps": PointStamped, "inertial_unit": Imu, "battery": BatteryState}
        self.client = RobotClient(self, sensors, self.drive, restart=self.start)

    def start(self) -> None:
        """Restart after a reset."""
        self.law = DockingLaw()

    def drive(self, readings: dict[str, Any]) -> dict[str, float]:
        """Return motor velocities for one set of readings."""
        place, level = readings["gps"].point, readings["battery"].percentage
        before = self.law.state
        left, right = self.law((place.x, place.y, heading_of(readings["inertial_unit"].orientation)), level)
        if self.law.state is not before:
            self.get_logger().info(f"{100.0 * level:.0f} %: {self.law.state.value}")
        return {"motor_left": left, "motor_right": right}


def main() -> int:
    """Run the controller in the robot's namespace."""
    return run(DockingController)


if __name__ == "__main__":
    sys.exit(main())
