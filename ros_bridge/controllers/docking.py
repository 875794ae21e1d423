"""Drives from mark to mark, and to the charger before the battery is empty.

    odesim run docking

What it does next, `DockingLaw`, goes by its pose and the level of the battery alone; the ways are those of
`pose_law.py`. The charger gives energy while the robot stands on it.
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
"""m; where the work is, one after another."""
NEAR_MARK = 0.1
"""m; so near to a mark counts as there."""
ENTRY: Pose2D = (0.7, 0.0, 0.0)
"""Before the charger, looking at it."""
DOCK_X = 1.18
"""m; so far in the robot drives, straight on."""
LOW, FULL = 0.5, 0.98
"""Levels of the battery at which it goes to the charger and leaves it."""
CREEP = 0.1
"""m/s; into the charger and out of it."""
KEEP_STRAIGHT = 2.0
"""1/s; turns against heading errors on the charger; likewise, per m, against being off its axis."""
RADIUS, HALF_AXLE, LIMIT = 0.04, 0.1, 8.0
"""The Cart's wheels in m, and the highest speed asked of them in rad/s."""


class Doing(enum.Enum):
    """What the robot is at."""

    WORK = "goes from mark to mark"
    APPROACH = "goes to the entry of the charger"
    ENTER = "drives in"
    CHARGE = "takes energy"
    LEAVE = "backs out"


class DockingLaw:
    """Speeds of the left and the right wheel, rad/s, from a pose and the level of the battery, 0 to 1.

    Attributes:
        doing: what it is at.
        mark: which mark is next.
    """

    def __init__(self) -> None:
        self.doing = Doing.WORK
        self.mark = 0
        self._way = PoseLaw(ENTRY)

    def __call__(self, pose: Pose2D, level: float) -> tuple[float, float]:
        """Decide, then drive."""
        self._look(pose, level)
        return wheel_speeds(*self._twist(pose), RADIUS, HALF_AXLE, LIMIT)

    def _look(self, pose: Pose2D, level: float) -> None:
        x, y, _ = pose
        if self.doing is Doing.WORK:
            if math.dist((x, y), MARKS[self.mark]) < NEAR_MARK:
                self.mark = (self.mark + 1) % len(MARKS)
            if level < LOW:
                self.doing, self._way = Doing.APPROACH, PoseLaw(ENTRY)
        elif self.doing is Doing.APPROACH:
            if self._way.at_place and self._way(pose) == (0.0, 0.0):
                self.doing = Doing.ENTER
        elif self.doing is Doing.ENTER:
            if x >= DOCK_X:
                self.doing = Doing.CHARGE
        elif self.doing is Doing.CHARGE:
            if level >= FULL:
                self.doing = Doing.LEAVE
        elif x <= ENTRY[0]:
            self.doing = Doing.WORK

    def _twist(self, pose: Pose2D) -> tuple[float, float]:
        x, y, heading = pose
        if self.doing is Doing.WORK:
            to_x, to_y = MARKS[self.mark]
            away = wrap(math.atan2(to_y - y, to_x - x) - heading)
            return LIMIT * RADIUS * max(0.0, math.cos(away)), 3.0 * away
        if self.doing is Doing.APPROACH:
            return self._way(pose)
        if self.doing is Doing.CHARGE:
            return 0.0, 0.0
        forward = CREEP if self.doing is Doing.ENTER else -CREEP
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
        """The simulation starts anew."""
        self.law = DockingLaw()

    def drive(self, readings: dict[str, Any]) -> dict[str, float]:
        """Motor velocities for one set of readings."""
        place, level = readings["gps"].point, readings["battery"].percentage
        before = self.law.doing
        left, right = self.law((place.x, place.y, heading_of(readings["inertial_unit"].orientation)), level)
        if self.law.doing is not before:
            self.get_logger().info(f"{100.0 * level:.0f} %: {self.law.doing.value}")
        return {"motor_left": left, "motor_right": right}


def main() -> int:
    """Run the controller in the robot's namespace."""
    return run(DockingController)


if __name__ == "__main__":
    sys.exit(main())
