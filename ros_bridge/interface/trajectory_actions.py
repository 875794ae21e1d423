"""The action FollowJointTrajectory and the service query_state of each joint_trajectory_controller.

They have a node of their own with its own thread. A goal becomes a command like all others, executed between
two steps: it is recorded, and its result is decided in sim time by the player that moves the motors
(`sim_core/session/players/following.py`). Here the player is observed after each step, and results are sent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node as RosNode
from rclpy.task import Future

from ros_bridge.composites.controller_state import ControllerState, Row
from ros_bridge.interface.controllers import ACTION, ACTION_PACKAGE, QUERY
from ros_bridge.interface.trajectory_goals import (
    CODES,
    INVALID_GOAL,
    SUCCESSFUL,
    GoalTolerances,
    check_goal,
    default_limits,
    fill_point,
    limits_of,
)
from ros_bridge.parameters.controllers import TRAJECTORY, Controller
from ros_bridge.topics.conversions import fill_time, messages_of, time_of
from sim_core.base.alarm import NEVER, Alarm
from sim_core.base.errors import CommandError
from sim_core.base.inbox import awaited
from sim_core.base.outcome import Outcome, Refused
from sim_core.session.pipeline import Action, Command
from sim_core.session.players.trajectory_player import TrajectoryOutcome, TrajectoryPlayer
from sim_core.session.robot import Robot
from sim_core.session.robot_commands import HoldPosition
from sim_core.session.session import Follower, Session

NODE = "trajectories"
PREEMPTED = "Current goal preempted by new incoming action."
"""Same text as that of joint_trajectory_controller."""
END_LIMIT = 1.0
LINGER = 0.2
"""Seconds that the node stays so that results reach their clients: rclpy cannot tell when they have."""


class GoalResult(NamedTuple):
    """Result of a goal."""

    finish: str
    """Method of its handle to call: `succeed`, `abort` or `canceled`."""
    code: int
    text: str


@dataclass(eq=False)
class Goal:
    """An accepted goal.

    Attributes:
        controller: controller that executes it.
        handle: of rclpy.
        end: future of its result.
        player: player that moves the motors; None: not started.
        feedback_ns: sim time of the next feedback.
        is_cancelled: whether its client has cancelled it.
    """

    controller: Controller
    handle: Any
    end: Any
    player: TrajectoryPlayer | None = None
    feedback_ns: int = 0
    is_cancelled: bool = False


def offer_trajectories(
    node: Any, session: Session, controllers: Iterable[Controller], warn: Callable[[str], object]
) -> TrajectoryActions | None:
    """Serve the actions of the joint_trajectory_controllers among the controllers.

    Args:
        node: of the simulation.
        session: whose robots have the controllers.
        controllers: of the world.
        warn: receives a line about refusals, or that control_msgs is not installed.

    Returns:
        The servers, which follow the session and must be closed at the end; None: there are none.
    """
    own = [each for each in controllers if each.kind == TRAJECTORY]
    if not own:
        return None
    if messages_of(ACTION_PACKAGE) is None:
        names = ", ".join(f"/{each.name}/{ACTION}" for each in own)
        warn(f"control_msgs is not installed: {names} not served; use the topic ~/joint_trajectory")
        return None
    return TrajectoryActions(node, session, own, warn)


class TrajectoryActions(Follower):
    """The action servers.

    Attributes:
        observes: each step while a goal is executed.
    """

    def __init__(
        self,
        node: Any,
        session: Session,
        controllers: Iterable[Controller],
        warn: Callable[[str], object],
    ) -> None:
        """See `offer_trajectories`; control_msgs must be installed."""
        from control_msgs.action import FollowJointTrajectory
        from control_msgs.srv import QueryTrajectoryState

        self.observes = self._alarm = Alarm()
        self._session, self._warn = session, warn
        self._action = FollowJointTrajectory
        self._goals: dict[bytes, Goal] = {}
        self._active: dict[str, Goal] = {}
        self._node = RosNode(
            NODE,
            namespace=node.get_fully_qualified_name(),
            context=node.context,
            use_global_arguments=False,
            start_parameter_services=False,
        )
        self._servers = []
        space = node.get_namespace().rstrip("/")
        for each in controllers:
            server = ActionServer(
                self._node,
                FollowJointTrajectory,
                f"{space}/{each.name}/{ACTION}",
                partial(self._execute, each),
                goal_callback=partial(self._accept_goal, each),
                cancel_callback=self._accept_cancel,
            )
            self._servers.append(server)
            query = partial(self._query, each)
            self._node.create_service(QueryTrajectoryState, f"{space}/{each.name}/{QUERY}", query)
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin, name=NODE, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the servers, and abort active goals; call it between two steps."""
        followed = list(self._active.values())
        for goal in followed:
            self._end(goal, GoalResult("abort", INVALID_GOAL, "the simulation is ending"))
        if followed:
            time.sleep(LINGER)
        self._executor.shutdown(END_LIMIT)
        self._thread.join(END_LIMIT)
        for server in self._servers:
            server.destroy()
        self._node.destroy_node()

    # ---- notifications of the session

    def after_step(self, now_ns: int) -> None:
        """Update the active goals."""
        for goal in list(self._active.values()):
            self._update(goal, now_ns)

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """Update the active goals: their robots may have been removed."""
        self.after_step(self._session.sim.time_ns)

    def world_loaded(self, is_trusted: bool) -> None:
        """Abort all goals: the robots have been replaced."""
        for goal in list(self._active.values()):
            self._end(goal, GoalResult("abort", INVALID_GOAL, "another world was loaded"))

    def time_is_zero(self, before_ns: int) -> None:
        """Abort the active goals, unless only the clock was reset."""
        for goal in self._active.values():
            goal.feedback_ns = 0
        self.after_step(self._session.sim.time_ns)

    # ---- in the ROS thread

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            self._executor.spin()

    def _accept_goal(self, controller: Controller, request: Any) -> GoalResponse:
        """Return whether a goal is accepted."""
        outcome = awaited(self._session.inbox.post(partial(self._checked, controller, request)))
        if isinstance(outcome, Refused):
            self._warn(f"/{controller.name}/{ACTION}: rejected: {outcome.text}")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    async def _execute(self, controller: Controller, handle: Any) -> Any:
        """Execute a goal to its end."""
        key = bytes(handle.goal_id.uuid)
        goal = self._goals[key] = Goal(controller, handle, Future(executor=self._executor))
        try:
            self._session.inbox.put(partial(self._begin, goal))
            end: GoalResult = await goal.end
        finally:
            del self._goals[key]
        getattr(handle, end.finish)()
        result = self._action.Result()
        result.error_code, result.error_string = end.code, end.text
        return result

    def _accept_cancel(self, handle: Any) -> CancelResponse:
        goal = self._goals.get(bytes(handle.goal_id.uuid))
        if goal is None or goal.end.done():
            return CancelResponse.REJECT
        self._session.inbox.put(partial(self._cancel, goal))
        return CancelResponse.ACCEPT

    def _query(self, controller: Controller, request: Any, response: Any) -> Any:
        outcome = awaited(self._session.inbox.post(partial(self._fill_state, controller, request, response)))
        response.success = not isinstance(outcome, Refused)
        response.message = outcome.text if isinstance(outcome, Refused) else ""
        return response

    # ---- between two steps

    def _checked(self, controller: Controller, request: Any) -> None:
        sim = self._session.sim
        check_goal(controller, sim.robots.get(controller.robot), request, sim.time_ns)

    def _begin(self, goal: Goal) -> None:
        """Start moving the motors, replacing the previous goal."""
        controller, sim = goal.controller, self._session.sim
        if goal.is_cancelled:
            self._end(goal, GoalResult("canceled", SUCCESSFUL, ""))
            return
        try:
            robot = sim.robots.get(controller.robot)
            action = check_goal(controller, robot, goal.handle.request, sim.time_ns)
        except CommandError as error:
            self._end(goal, GoalResult("abort", INVALID_GOAL, str(error)))
            return
        outcome = self._submit(controller, self._limits(goal).added_to(action))
        if isinstance(outcome, Refused):
            self._end(goal, GoalResult("abort", INVALID_GOAL, outcome.text))
            return
        before = self._active.get(controller.name)
        if before is not None:
            self._end(before, GoalResult("abort", INVALID_GOAL, PREEMPTED))
        goal.player = sim.robots[controller.robot].motion_control.followed(controller.name)
        self._active[controller.name] = goal
        self._alarm.set(0)

    def _limits(self, goal: Goal) -> GoalTolerances:
        """Return the goal's tolerances; those of the parameters if the goal's are invalid."""
        try:
            return limits_of(goal.controller, goal.handle.request)
        except CommandError as error:
            self._warn(f"/{goal.controller.name}/{ACTION}: {error}; using the parameters' tolerances")
            return default_limits(goal.controller)

    def _cancel(self, goal: Goal) -> None:
        goal.is_cancelled = True
        if self._active.get(goal.controller.name) is goal:
            self._submit(goal.controller, HoldPosition(goal.controller.robot, goal.controller.name))
            self._end(goal, GoalResult("canceled", SUCCESSFUL, ""))

    def _update(self, goal: Goal, now_ns: int) -> None:
        player = goal.player
        assert player is not None
        state = player.state
        if state.verdict is not TrajectoryOutcome.NONE:
            finish = "succeed" if state.verdict is TrajectoryOutcome.REACHED else "abort"
            self._end(goal, GoalResult(finish, CODES[state.verdict], state.reason))
        elif not player.is_playing:
            text = "stopped: it was replaced by another trajectory or the world was changed"
            self._end(goal, GoalResult("abort", INVALID_GOAL, text))
        elif now_ns >= goal.feedback_ns:
            goal.feedback_ns = now_ns + round(1e9 / goal.controller.values["action_monitor_rate"])
            self._feed_back(goal, player, now_ns)

    def _feed_back(self, goal: Goal, player: TrajectoryPlayer, now_ns: int) -> None:
        progress = player.progress()
        desired, time_ns = progress.desired, progress.time_ns
        feedback = self._action.Feedback()
        fill_time(feedback.header.stamp, now_ns)
        feedback.joint_names = list(player.motors)
        feedback.index = progress.following
        fill_point(feedback.desired, time_ns, *desired)
        fill_point(feedback.actual, time_ns, progress.positions, progress.velocities)
        errors = desired.positions - progress.positions, desired.velocities - progress.velocities
        fill_point(feedback.error, time_ns, *errors)
        goal.handle.publish_feedback(feedback)

    def _end(self, goal: Goal, end: GoalResult) -> None:
        """Set the result of a goal."""
        if self._active.get(goal.controller.name) is goal:
            del self._active[goal.controller.name]
            if not self._active:
                self._alarm.set(NEVER)
        goal.end.set_result(end)
        self._executor.wake()

    def _submit(self, controller: Controller, action: Action) -> Outcome:
        return self._session.pipeline.submit(Command(f"/{controller.name}/{ACTION}", (action,)))

    def _fill_state(self, controller: Controller, request: Any, response: Any) -> None:
        """Fill the desired joint state at a sim time.

        Raises:
            CommandError: no trajectory moves the joints then; the state is the one in which they are held.
        """
        sim = self._session.sim
        robot = sim.robots.get(controller.robot)
        if robot is None:
            raise CommandError(f'found no robot "{controller.robot}", expected it in the world')
        player = robot.motion_control.followed(controller.name)
        asked_ns = time_of(request.time)
        led: dict[str, Row] = {}
        sample = None
        if player is not None:
            sample = player.state_at(asked_ns - sim.time_ns + player.state.time_ns)
        if player is not None and sample is not None:
            rows = zip(*(part.tolist() for part in sample), strict=True)
            led = dict(zip(player.motors, rows, strict=True))
        held = ControllerState(robot, controller.name, controller.joints).wanted(led)
        response.name = list(held)
        for name, column in zip(
            ("position", "velocity", "acceleration"), zip(*held.values(), strict=True), strict=True
        ):
            setattr(response, name, list(column))
        if sample is None:
            raise CommandError(f"found the time {asked_ns / 1e9:g} s, expected one during a trajectory")
