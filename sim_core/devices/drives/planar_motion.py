"""Plane motion of a differential robot: from wheel speeds to motion along an arc."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from sim_core.base.geometry import ZERO, Pose, Vec3, rotate
from sim_core.base.state import Resettable, State
from sim_core.engines.world_view import World
from sim_core.model.device_spec import NodeSpec


class Twist2d(NamedTuple):
    """Velocity of a differential robot's axle centre in the robot's own FLU frame (x forward, y left, z
    up)."""

    linear: float
    """m/s along x."""
    angular: float
    """rad/s about z, counter-clockwise."""
    lateral: float = 0.0
    """m/s along y."""


class Pose2d(NamedTuple):
    """Pose in a plane: m, m, and rad without wrapping at ±π."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    def advanced(self, distance: float, angle: float) -> Pose2d:
        """Return the pose after driving `distance` m along an arc and turning by `angle` rad on the way.

        Exact for constant speeds: the chord of the arc is distance·sin(angle/2)/(angle/2), in the direction
        of the mean heading. (The motion equations of Siegwart and Nourbakhsh, "Introduction to Autonomous
        Mobile Robots", section 3.2, integrated over a step in which both wheels' speeds are constant.)
        """
        half = angle / 2.0
        chord = distance * (math.sin(half) / half if abs(half) > 1e-9 else 1.0)
        direction = self.yaw + half
        return Pose2d(
            self.x + chord * math.cos(direction), self.y + chord * math.sin(direction), self.yaw + angle
        )


ORIGIN, STILL = Pose2d(), Twist2d(0.0, 0.0)


def twist_from_wheels(left: float, right: float, radius: float, separation: float) -> Twist2d:
    """Return the twist of a differential robot (forward kinematics).

    v = r·(ωr + ωl)/2 and ω = r·(ωr - ωl)/separation, for wheels that turn at ωl and ωr in rad/s and roll
    without slipping. With angles in rad instead of speeds it gives the distance and the angle driven.
    """
    return Twist2d(radius * (right + left) / 2.0, radius * (right - left) / separation)


@dataclass(eq=False)
class PlanarBaseState(State):
    """True if the robot moved in the last step."""

    is_moving: bool = False


class PlanarBase(Resettable):
    """A robot without Physics that is moved in its own x-y plane, as if on wheels that do not slip."""

    state: PlanarBaseState

    def __init__(self, robot: NodeSpec, world: World, centre: Vec3 = ZERO) -> None:
        """Prepare to move a robot; `centre`: the point midway between its wheels in its own frame, m."""
        self._robot = robot
        self._world = world
        self._frame = world.frame(robot.id)
        self._step = world.clock.step_ns / 1e9
        self.set_centre(centre)
        self.state = PlanarBaseState()

    def set_centre(self, centre: Vec3) -> None:
        """Set the point midway between the wheels, about which the robot turns, in the robot's frame, m."""
        self._to_centre = Pose(centre)
        self._from_centre = self._to_centre.inverse()

    def move(self, twist: Twist2d) -> bool:
        """Move for one step at a twist of the centre; return False if an obstacle stops the robot."""
        pose = self._frame.pose()
        if twist.linear == 0.0 and twist.angular == 0.0:
            self._stop(pose)
            return True
        x, y, yaw = Pose2d().advanced(twist.linear * self._step, twist.angular * self._step)
        turn = (math.cos(yaw), -math.sin(yaw), 0.0, math.sin(yaw), math.cos(yaw), 0.0, 0.0, 0.0, 1.0)
        moved = pose * self._to_centre * Pose((x, y, 0.0), turn) * self._from_centre
        if self._world.is_blocked(self._robot.id, moved):
            self._stop(pose)
            return False
        cx, cy, _ = self._to_centre.position
        own = (twist.linear + twist.angular * cy, -twist.angular * cx, 0.0)
        spin = rotate(moved.rotation, (0.0, 0.0, twist.angular))
        self._world.move(self._robot.id, moved, rotate(moved.rotation, own), spin)
        self.state.is_moving = True
        return True

    def reset(self) -> None:
        """Return to the start, after the world was reset."""
        self.state = PlanarBaseState()

    def _stop(self, pose: Pose) -> None:
        if self.state.is_moving:
            self._world.move(self._robot.id, pose, ZERO, ZERO)
            self.state.is_moving = False
