"""Convert goals of joint_trajectory_controller, from its topic and its action, to actions.

Which goals are accepted, the tolerances and the codes are those of ros2_controllers:
https://control.ros.org/rolling/doc/ros2_controllers/joint_trajectory_controller/doc/userdoc.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ros_bridge.parameters.controllers import Controller
from ros_bridge.topics.decoding import decode_trajectory
from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import CommandError
from sim_core.session.pipeline import Action
from sim_core.session.players.trajectory import chosen_motors
from sim_core.session.players.trajectory_player import Tolerance, TrajectoryOutcome
from sim_core.session.robot import Robot
from sim_core.session.robot_commands import FollowTrajectory

SUCCESSFUL, INVALID_GOAL, PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED = 0, -1, -4, -5
"""Result codes of FollowJointTrajectory."""
CODES = {
    TrajectoryOutcome.REACHED: SUCCESSFUL,
    TrajectoryOutcome.OFF_PATH: PATH_TOLERANCE_VIOLATED,
    TrajectoryOutcome.OFF_GOAL: GOAL_TOLERANCE_VIOLATED,
}
ERASED = -1.0
"""Value of a tolerance in a goal: unlimited."""
STANDING = 1.2e-7
"""Largest speed at the end of a trajectory that counts as 0, rad/s or m/s."""


class GoalTolerances(NamedTuple):
    """Tolerances of a goal, by joint."""

    path: Mapping[str, Tolerance]
    goal: Mapping[str, Tolerance]
    goal_time_ns: int

    def added_to(self, action: FollowTrajectory) -> FollowTrajectory:
        """Return a trajectory action with these tolerances."""
        return replace(
            action,
            path_tolerance=tuple(tuple(self.path[joint]) for joint in action.joints),
            goal_tolerance=tuple(tuple(self.goal[joint]) for joint in action.joints),
            goal_time_ns=self.goal_time_ns,
        )


def default_limits(controller: Controller) -> GoalTolerances:
    """Return the tolerances set by the parameters of a controller."""
    standing = controller.values["constraints.stopped_velocity_tolerance"]
    return GoalTolerances(
        {joint: Tolerance(controller.constraint(joint, "trajectory"), 0.0) for joint in controller.joints},
        {joint: Tolerance(controller.constraint(joint, "goal"), standing) for joint in controller.joints},
        to_nanoseconds(controller.values["constraints.goal_time"]),
    )


def limits_of(controller: Controller, goal: Any) -> GoalTolerances:
    """Return the tolerances of a FollowJointTrajectory goal; the parameters' where it gives none.

    Raises:
        CommandError: a joint is not the controller's, or a number is negative and not -1.
    """
    given = default_limits(controller)
    seconds = goal.goal_time_tolerance.sec + goal.goal_time_tolerance.nanosec * 1e-9
    return GoalTolerances(
        _changed(given.path, goal.path_tolerance, "path_tolerance"),
        _changed(given.goal, goal.goal_tolerance, "goal_tolerance"),
        to_nanoseconds(_limit(given.goal_time_ns / 1e9, seconds, "goal_time_tolerance")),
    )


def decode_for(controller: Controller, message: Any) -> tuple[Action, ...]:
    """Convert a trajectory_msgs/JointTrajectory for a joint_trajectory_controller; without points it stops.

    Path tolerances are always checked; goal tolerances only if the time to reach the goal is limited.

    Raises:
        CommandError: it names joints that are not the controller's, misses joints that are required, or ends
            in motion.
    """
    limits = default_limits(controller)
    action = checked(controller, message)
    is_judged = any(map(any, limits.path.values())) or limits.goal_time_ns
    return (limits.added_to(action) if action.times_ns and is_judged else action,)


def checked(controller: Controller, message: Any) -> FollowTrajectory:
    """Return a trajectory that a controller may execute, without tolerances.

    Raises:
        CommandError: see `decode_for`.
    """
    names = list(message.joint_names)
    other = [name for name in names if name not in controller.joints]
    if other:
        raise CommandError(f'found joint "{other[0]}", expected one of {", ".join(controller.joints)}')
    missing = [name for name in controller.joints if name not in names]
    if message.points and missing and not controller.values["allow_partial_joints_goal"]:
        found = f"a trajectory without {', '.join(missing)}"
        raise CommandError(f"found {found}, expected all joints: allow_partial_joints_goal is false")
    (action,) = decode_trajectory(controller.robot, message, controller.name)
    if action.velocities and not controller.values["allow_nonzero_velocity_at_trajectory_end"]:
        for name, speed in zip(names, action.velocities[-1], strict=False):
            if abs(speed) > STANDING:
                found = f'the velocity {speed:g} of "{name}" in the last point'
                expected = "0: allow_nonzero_velocity_at_trajectory_end is false"
                raise CommandError(f"found {found}, expected {expected}")
    return action


def check_goal(controller: Controller, robot: Robot | None, goal: Any, now_ns: int) -> FollowTrajectory:
    """Return the action for a FollowJointTrajectory goal, without tolerances.

    Args:
        controller: receiver of the goal.
        robot: the controller's; None: it is not in the world now.
        goal: of the action.
        now_ns: sim time.

    Raises:
        CommandError: the goal must be refused.
    """
    if robot is None:
        raise CommandError(f'found no robot "{controller.robot}", expected it in the world')
    if not goal.trajectory.points:
        raise CommandError("found no points, expected at least one")
    action = checked(controller, goal.trajectory)
    chosen_motors(action.joints, robot.motors())
    late = now_ns - action.trajectory.end_ns - (now_ns if action.start_ns is None else action.start_ns)
    if late > 0:
        raise CommandError(
            f"found a trajectory that ended {late / 1e9:g} s ago, expected one that ends later"
        )
    return action


def fill_point(point: Any, time_ns: int, *rows: Iterable[float]) -> None:
    """Fill a JointTrajectoryPoint: time from the start; positions, velocities, accelerations."""
    point.time_from_start.sec, point.time_from_start.nanosec = divmod(max(0, time_ns), 1_000_000_000)
    for name, row in zip(("positions", "velocities", "accelerations"), rows, strict=False):
        setattr(point, name, list(map(float, row)))


def _changed(given: Mapping[str, Tolerance], rows: Iterable[Any], what: str) -> dict[str, Tolerance]:
    """Return tolerances, with those replaced that a goal gives."""
    found = dict(given)
    for row in rows:
        if row.name not in found:
            raise CommandError(f'{what}: found joint "{row.name}", expected one of {", ".join(found)}')
        before = given[row.name]
        found[row.name] = Tolerance(
            _limit(before.position, row.position, f"{what} of {row.name}"),
            _limit(before.velocity, row.velocity, f"{what} of {row.name}"),
        )
    return found


def _limit(default: float, given: float, what: str) -> float:
    if given == 0.0:
        return default
    if abs(given - ERASED) < STANDING:
        return 0.0
    if not given > 0.0:
        raise CommandError(f"{what}: found {given:g}, expected more than 0, 0 or -1")
    return given
