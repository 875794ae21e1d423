"""FollowJointTrajectory, controller_state and query_state over DDS; needs the package control_msgs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is not installed")

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance, JointTrajectoryControllerState
from control_msgs.srv import QueryTrajectoryState
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ros_bridge.cli.__main__ import main

SLIDER = """SliderJoint {{ jointParameters JointParameters {{ axis {axis} }}
  device LinearMotor {{ name "{name}" maxVelocity 2 maxForce 1e9 }}
  endPoint Solid {{ name "{name} end" }} }}"""
WORLD = (
    """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot { name "r" controller "<extern>" children [ """
    + SLIDER.format(axis="0 0 1", name="a")
    + SLIDER.format(axis="0 1 0", name="b")
    + "] }"
)
FILE = """
controller_manager:
  ros__parameters:
    update_rate: 50
    arm: { type: joint_trajectory_controller/JointTrajectoryController }
arm:
  ros__parameters:
    joints: [a, b]
    command_interfaces: [position]
    state_interfaces: [position, velocity]
    action_monitor_rate: 50.0
    constraints: { goal_time: 0.5, a: { trajectory: 0.3, goal: 0.01 } }
"""
NAME = "/arm/follow_joint_trajectory"
RESULT = FollowJointTrajectory.Result


class Arm:
    """A client of the action."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.action = ActionClient(client.node, FollowJointTrajectory, NAME)
        client.until(self.action.server_is_ready, "the action")
        self.feedback: list[Any] = []

    def send(self, points: list[tuple[float, ...]], *joints: str, **tolerances: Any) -> Any:
        """Return the handle of a goal; each point has a time in s and a position for each joint."""
        goal = FollowJointTrajectory.Goal(**tolerances)
        goal.trajectory = trajectory(points, *joints)
        future = self.action.send_goal_async(goal, lambda told: self.feedback.append(told.feedback))
        self._client.until(future.done, "an answer to the goal")
        return future.result()

    def end(self, handle: Any) -> Any:
        """Return the result of an accepted goal."""
        assert handle.accepted
        return self.result(handle.get_result_async())

    def result(self, future: Any) -> Any:
        self._client.until(future.done, "the result")
        return future.result()

    def reaches(self, handle: Any) -> None:
        found = self.end(handle)
        assert (found.status, found.result.error_code) == (GoalStatus.STATUS_SUCCEEDED, RESULT.SUCCESSFUL)

    def fails(self, handle: Any, code: int, text: str) -> None:
        has_failed(self.end(handle), code, text)


def has_failed(found: Any, code: int, text: str) -> None:
    assert (found.status, found.result.error_code) == (GoalStatus.STATUS_ABORTED, code)
    assert text in found.result.error_string


def trajectory(points: list[tuple[float, ...]], *joints: str) -> JointTrajectory:
    message = JointTrajectory(joint_names=list(joints))
    for time, *positions in points:
        point = JointTrajectoryPoint(positions=positions)
        point.time_from_start.sec, point.time_from_start.nanosec = int(time), round(time % 1.0 * 1e9)
        message.points.append(point)
    return message


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "c.yaml").write_text(FILE)
    (tmp_path / "w.wbt").write_text(WORLD)
    return tmp_path / "w.wbt", tmp_path / "c.yaml"


def test_goals_over_dds_and_the_same_again_from_the_recording(
    files: tuple[Path, Path], simulate: Callable[..., Any], client: Any, tmp_path: Path
) -> None:
    world, parameters = files
    bag = tmp_path / "bag"
    run = simulate(world, params=[str(parameters)], record=str(bag))
    states = client.listen(JointTrajectoryControllerState, "/arm/controller_state")
    arm = Arm(client)

    # reached, with feedback on the way: linear from 0
    arm.reaches(arm.send([(0.4, 0.2, -0.1)], "a", "b"))
    assert arm.feedback and list(arm.feedback[0].joint_names) == ["a", "b"]
    for told in arm.feedback:
        time = told.desired.time_from_start.sec + told.desired.time_from_start.nanosec * 1e-9
        assert told.desired.positions[0] == pytest.approx(min(0.5 * time, 0.2), abs=1e-6)
        assert told.actual.positions[0] == pytest.approx(min(0.5 * time, 0.2), abs=1e-6)
        assert told.error.positions[1] == pytest.approx(0.0, abs=1e-6)
    client.until(lambda: states[-1].feedback.positions[0] == pytest.approx(0.2), "the state at the goal")
    state = states[-1]
    assert list(state.joint_names) == ["a", "b"]
    assert list(state.reference.positions) == pytest.approx([0.2, -0.1])
    assert list(state.error.positions) == pytest.approx([0.0, 0.0], abs=1e-6)
    moving = [each.reference for each in states if 0.0 < each.reference.positions[0] < 0.2]
    assert moving
    for each in moving:
        time = each.time_from_start.sec + each.time_from_start.nanosec * 1e-9
        assert each.positions[0] == pytest.approx(0.5 * time, abs=1e-6)

    # rejected: names, points, order of times, joints left out, an end in motion
    assert not arm.send([(1.0, 0.0, 0.0)], "a", "c").accepted
    assert not arm.send([], "a", "b").accepted
    assert not arm.send([(1.0, 0.0, 0.0), (0.5, 0.1, 0.0)], "a", "b").accepted
    assert not arm.send([(1.0, 0.0)], "a").accepted
    assert not arm.send([(1.0, 0.0)], "a", "b").accepted

    # 10 m/s are asked of a motor of 2 m/s
    arm.fails(arm.send([(0.2, 2.2, -0.1)], "a", "b"), RESULT.PATH_TOLERANCE_VIOLATED, "position error")
    none = JointTolerance(name="a", position=-1.0)
    late = arm.send([(0.1, 3.0, -0.1)], "a", "b", path_tolerance=[none])
    arm.fails(late, RESULT.GOAL_TOLERANCE_VIOLATED, "after the end")

    # cancelled: it holds where it is
    client.until(lambda: states[-1].feedback.velocities[0] == pytest.approx(0.0, abs=1e-6), "a stop")
    here = states[-1].feedback.positions[0]
    handle = arm.send([(5.0, here + 2.0, 0.0)], "a", "b")
    client.until(lambda: states[-1].feedback.positions[0] > here + 0.02, "motion")
    cancelled = handle.cancel_goal_async()
    client.until(cancelled.done, "an answer to cancel")
    assert arm.end(handle).status == GoalStatus.STATUS_CANCELED
    client.until(lambda: states[-1].feedback.velocities[0] == pytest.approx(0.0, abs=1e-6), "a stop")
    assert here < states[-1].feedback.positions[0] < here + 1.9

    # a new goal aborts the one before
    first = arm.send([(5.0, 0.0, 0.0)], "a", "b")
    second = arm.send([(1.0, 0.0, 0.0)], "a", "b", path_tolerance=[none])
    arm.fails(first, RESULT.INVALID_GOAL, "preempted")

    # where it will be, asked while it goes there
    query = client.node.create_client(QueryTrajectoryState, "/arm/query_state")
    client.until(query.service_is_ready, "query_state")
    request = QueryTrajectoryState.Request()
    request.time.sec = 10_000
    answer = query.call_async(request)
    client.until(answer.done, "an answer of query_state")
    assert not answer.result().success and "found the time 10000 s" in answer.result().message
    assert list(answer.result().name) == ["a", "b"]
    arm.reaches(second)

    # clients that wait when the run ends get a result
    last = arm.send([(50.0, 0.0, 0.0)], "a", "b").get_result_async()
    client.call("quit")
    has_failed(arm.result(last), RESULT.INVALID_GOAL, "the simulation is ending")
    assert run.wait() == 0
    assert main(["replay", str(bag)]) == 0
