import math
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import pytest
from geometry_msgs.msg import Twist
from sensor_msgs.msg import JointState

from ros_bridge.topics.commands import CommandGate, Throttle, drive_by_twist, joint_command, joints_of
from sim_core.base.errors import CommandError
from sim_core.devices.motors.motor import Motor
from sim_core.devices.motors.motor_control import ControlMode
from sim_core.session.robot import Robot
from sim_core.session.simulation import load_world


@pytest.fixture
def robot(world_file: Callable[..., Path]) -> Robot:
    return load_world(world_file()).robot("robot1")


def targets(robot: Robot) -> dict[str, tuple[ControlMode, float]]:
    motors = [device for device in robot.devices.values() if isinstance(device, Motor)]
    return {motor.name: (motor.mode, motor.target_velocity) for motor in motors}


def test_a_throttle_says_one_line_per_key_and_period() -> None:
    said: list[str] = []
    now = [0.0]
    throttle = Throttle(said.append, 5.0, lambda: now[0])
    for time in (0.0, 1.0, 4.9, 5.0, 9.0):
        now[0] = time
        throttle("a", f"a{time:g}")
    throttle("b", "b")
    assert said == ["a0", "a5", "b"]


def test_the_gate_says_clamping_once_per_topic_and_refusals_throttled() -> None:
    said: list[str] = []
    gate = CommandGate(said.append, lambda: 0.0)

    def refused() -> str | None:
        raise CommandError("found nan")

    for _ in range(3):
        gate.apply("/a", lambda: "clamped")
        gate.apply("/a", refused)
        gate.apply("/b", lambda: None)
    assert said == ["/a: clamped (said once)", "/a: refused: found nan"]


def test_joints_are_motors_by_name_and_the_old_wheels(world_file: Callable[..., Path]) -> None:
    sim = load_world(world_file())
    assert list(joints_of(sim.robot("robot1"))) == ["motor left", "motor right", "lift"]
    assert list(joints_of(sim.robot("old"))) == ["left wheel", "right wheel", "arm"]


def test_each_column_commands_what_it_says(robot: Robot) -> None:
    nan = math.nan
    message = JointState(
        name=["motor left", "motor right", "lift"],
        position=[nan, nan, 0.1],
        velocity=[2.0, nan, 0.5],
        effort=[nan, 0.3, nan],
    )
    assert joint_command(joints_of(robot), message) is None
    left, right, lift = joints_of(robot).values()
    assert (left.mode, left.target_velocity) == (ControlMode.VELOCITY, 2.0)
    assert right.mode is ControlMode.EFFORT
    assert (lift.mode, lift.target_position, lift.target_velocity) == (ControlMode.POSITION, 0.1, 0.5)


def test_an_empty_command_changes_nothing(robot: Robot) -> None:
    before = targets(robot)
    joint_command(joints_of(robot), JointState())
    joint_command(joints_of(robot), JointState(name=["motor left"]))
    assert targets(robot) == before


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (
            {"name": ["motor left", "x"], "velocity": [1.0, 1.0]},
            'found joint "x", expected one of motor left',
        ),
        ({"name": ["motor left", "lift"], "velocity": [1.0]}, "found 1 in velocity, expected none or 2"),
        ({"name": ["motor left", "lift"], "velocity": [1.0, math.nan]}, 'found nan for "lift"'),
        ({"name": ["motor left", "lift"], "velocity": [1.0, math.inf]}, "found inf"),
        ({"name": ["lift", "lift"], "velocity": [1.0, 2.0]}, 'found joint "lift" twice, expected each once'),
        ({"name": ["motor left", "lift"], "velocity": [1.0, -1.0], "position": [math.nan, 0.1]}, "0 or more"),
        ({"name": ["motor left", "lift"], "position": [1.0, math.inf]}, "found position inf"),
    ],
)
def test_a_command_with_one_wrong_part_changes_nothing(robot: Robot, fields: dict, says: str) -> None:  # type: ignore[type-arg]
    before = targets(robot)
    with pytest.raises(CommandError) as caught:
        joint_command(MappingProxyType(joints_of(robot)), JointState(**fields))
    assert says in str(caught.value)
    assert targets(robot) == before


def test_a_wheel_of_the_old_kind_takes_velocities_only(world_file: Callable[..., Path]) -> None:
    joints = joints_of(load_world(world_file()).robot("old"))
    with pytest.raises(CommandError, match="it is a wheel"):
        joint_command(joints, JointState(name=["left wheel"], position=[1.0]))
    with pytest.raises(CommandError, match="no effort moves"):
        joint_command(joints, JointState(name=["left wheel"], effort=[1.0]))


def test_a_twist_becomes_wheel_speeds(robot: Robot) -> None:
    """Forward kinematics of the wheel speeds gives the twist back: radius 0.1 m, separation 0.4 m."""
    twist = Twist()
    twist.linear.x, twist.angular.z = 0.3, 0.5
    assert drive_by_twist(robot, twist) is None
    left, right, _ = joints_of(robot).values()
    speeds = left.target_velocity, right.target_velocity
    assert 0.1 * (speeds[0] + speeds[1]) / 2.0 == pytest.approx(0.3)
    assert 0.1 * (speeds[1] - speeds[0]) / 0.4 == pytest.approx(0.5)


def test_a_twist_that_is_not_finite_anywhere_is_refused(robot: Robot) -> None:
    twist = Twist()
    twist.linear.x, twist.linear.y = 0.3, math.nan
    with pytest.raises(CommandError, match="found nan"):
        drive_by_twist(robot, twist)
