import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from geometry_msgs.msg import Twist, TwistStamped
from obeying import perform
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ros_bridge.topics.decoding import (
    decode_ackermann,
    decode_joints,
    decode_steps,
    decode_thrust,
    decode_twist,
    joints_of,
)
from ros_bridge.topics.outcomes import OutcomeLog
from sim_core.base.errors import CommandError
from sim_core.base.outcome import DONE, Clamped, Refused
from sim_core.devices.motors.motor import Motor
from sim_core.devices.motors.motor_control import ControlMode
from sim_core.session.load_world import load_world
from sim_core.session.robot import Robot
from sim_core.session.robot_commands import DeviceCommand, Drive
from sim_core.session.simulation import Simulation


@pytest.fixture
def sim(world_file: Callable[..., Path]) -> Simulation:
    return load_world(world_file())


@pytest.fixture
def robot(sim: Simulation) -> Robot:
    return sim.robot("robot1")


def joint_command(sim: Simulation, robot: str, message: JointState) -> str | None:
    """Execute a JointState as `joint_command` does."""
    return perform(sim, *decode_joints(robot, joints_of(sim.robot(robot)), message))


def targets(robot: Robot) -> dict[str, tuple[ControlMode, float]]:
    motors = [device for device in robot.devices.values() if isinstance(device, Motor)]
    return {motor.name: (motor.mode, motor.target_velocity) for motor in motors}


def test_a_refusal_is_said_once_per_sender_and_period_and_clamping_once() -> None:
    said: list[str] = []
    now = [0.0]
    log = OutcomeLog(said.append, 5.0, lambda: now[0])
    for time in (0.0, 1.0, 4.9, 5.0, 9.0):
        now[0] = time
        log.log("/a", Refused(4, f"found {time:g}"))
        log.log("/a", Clamped("clamped"))
        log.log("/a", DONE)
    log.log("/b", Refused(4, "found b"))
    assert said == [
        "/a: refused: found 0",
        "/a: clamped (logged once)",
        "/a: refused: found 5",
        "/b: refused: found b",
    ]


def test_joints_are_motors_by_name_and_the_old_wheels(sim: Simulation) -> None:
    assert list(joints_of(sim.robot("robot1"))) == ["motor left", "motor right", "lift"]
    assert list(joints_of(sim.robot("old"))) == ["left wheel", "right wheel", "arm"]


def test_each_column_commands_what_it_says(sim: Simulation, robot: Robot) -> None:
    nan = math.nan
    message = JointState(
        name=["motor left", "motor right", "lift"],
        position=[nan, nan, 0.1],
        velocity=[2.0, nan, 0.5],
        effort=[nan, 0.3, nan],
    )
    assert joint_command(sim, "robot1", message) is None
    left, right, lift = joints_of(robot).values()
    assert (left.mode, left.target_velocity) == (ControlMode.VELOCITY, 2.0)
    assert right.mode is ControlMode.EFFORT
    assert (lift.mode, lift.target_position, lift.target_velocity) == (ControlMode.POSITION, 0.1, 0.5)


def test_an_empty_command_changes_nothing(sim: Simulation, robot: Robot) -> None:
    before = targets(robot)
    joint_command(sim, "robot1", JointState())
    joint_command(sim, "robot1", JointState(name=["motor left"]))
    assert targets(robot) == before


def test_a_joint_with_nothing_but_nan_keeps_its_command(sim: Simulation, robot: Robot) -> None:
    """The hardware interface of a controller manager sends NaN for joints that no controller has."""
    joint_command(sim, "robot1", JointState(name=["motor left", "lift"], velocity=[1.0, 0.2]))
    joint_command(sim, "robot1", JointState(name=["motor left", "lift"], velocity=[2.0, math.nan]))
    left, _, lift = joints_of(robot).values()
    assert (left.target_velocity, lift.target_velocity) == (2.0, 0.2)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (
            {"name": ["motor left", "x"], "velocity": [1.0, 1.0]},
            'found joint "x", expected one of motor left',
        ),
        ({"name": ["motor left", "lift"], "velocity": [1.0]}, "found 1 in velocity, expected none or 2"),
        ({"name": ["motor left", "lift"], "velocity": [math.nan] * 2}, 'found nan for "motor left"'),
        ({"name": ["motor left", "lift"], "velocity": [1.0, math.inf]}, "found inf"),
        ({"name": ["lift", "lift"], "velocity": [1.0, 2.0]}, 'found joint "lift" twice, expected each once'),
        ({"name": ["motor left", "lift"], "velocity": [1.0, -1.0], "position": [math.nan, 0.1]}, "0 or more"),
        ({"name": ["motor left", "lift"], "position": [1.0, math.inf]}, "found position inf"),
    ],
)
def test_a_command_with_one_wrong_part_changes_nothing(
    sim: Simulation, robot: Robot, fields: dict, says: str
) -> None:  # type: ignore[type-arg]
    before = targets(robot)
    with pytest.raises(CommandError) as caught:
        joint_command(sim, "robot1", JointState(**fields))
    assert says in str(caught.value)
    assert targets(robot) == before


def test_a_wheel_of_the_old_kind_takes_velocities_only(sim: Simulation) -> None:
    with pytest.raises(CommandError, match="it is a wheel"):
        joint_command(sim, "old", JointState(name=["left wheel"], position=[1.0]))
    with pytest.raises(CommandError, match="cannot be driven by effort"):
        joint_command(sim, "old", JointState(name=["left wheel"], effort=[1.0]))


def test_a_twist_becomes_wheel_speeds(sim: Simulation, robot: Robot) -> None:
    """Forward kinematics of the wheel speeds gives the twist back: radius 0.1 m, separation 0.4 m."""
    twist = Twist()
    twist.linear.x, twist.angular.z = 0.3, 0.5
    assert perform(sim, *decode_twist("robot1", 0, twist)) is None
    left, right, _ = joints_of(robot).values()
    speeds = left.target_velocity, right.target_velocity
    assert 0.1 * (speeds[0] + speeds[1]) / 2.0 == pytest.approx(0.3)
    assert 0.1 * (speeds[1] - speeds[0]) / 0.4 == pytest.approx(0.5)


def test_a_twist_that_is_not_finite_anywhere_is_refused(sim: Simulation, robot: Robot) -> None:
    twist = Twist()
    twist.linear.x, twist.linear.y = 0.3, math.nan
    with pytest.raises(CommandError, match="found nan"):
        decode_twist("robot1", 0, twist)


def test_a_steering_angle_turns_a_car_on_the_circle_of_its_wheelbase() -> None:
    """ω = v·tan δ/L; `SimpleNamespace` stands for ackermann_msgs, which is not installed everywhere."""
    message = SimpleNamespace(speed=2.0, steering_angle=0.3)
    for given in (message, SimpleNamespace(drive=message)):  # without a stamp, and with one
        (told,) = decode_ackermann("c", 2.9, 5, given)
        assert told == Drive("c", 2.0, pytest.approx(2.0 * math.tan(0.3) / 2.9), 5)
    for speed, angle in ((math.nan, 0.0), (1.0, math.pi / 2.0), (1.0, -2.0)):
        with pytest.raises(CommandError):
            decode_ackermann("c", 2.9, 0, SimpleNamespace(speed=speed, steering_angle=angle))


def test_a_twist_with_a_stamp_is_the_same_twist() -> None:
    stamped = TwistStamped()
    stamped.header.stamp.sec = 99
    stamped.twist.linear.x, stamped.twist.angular.z = 0.2, -0.4
    assert decode_twist("r", 7, stamped) == decode_twist("r", 7, stamped.twist)


def test_in_steps_each_point_is_the_target_from_the_one_before_on() -> None:
    message = JointTrajectory(joint_names=["a"])
    for seconds, position in ((1, 0.5), (2, -0.5)):
        point = JointTrajectoryPoint(positions=[position])
        point.time_from_start.sec = seconds
        message.points.append(point)
    (told,) = decode_steps("r", message)
    assert list(told.times_ns) == [0, 1_000_000_000, 1_000_000_001, 2_000_000_000]
    assert [list(row) for row in told.positions] == [[0.5], [0.5], [-0.5], [-0.5]]


@pytest.mark.parametrize(("thrust", "velocity"), [(8.0, 2.0), (-2.0, -1.0), (0.0, 0.0)])
def test_a_thrust_is_the_speed_that_a_propeller_has_it_with(thrust: float, velocity: float) -> None:
    (told,) = decode_thrust("r", "m", 2.0, Float64(data=thrust))
    assert told == DeviceCommand("r", "m", "set_velocity", {"velocity": velocity})
    with pytest.raises(CommandError, match="finite"):
        decode_thrust("r", "m", 2.0, Float64(data=float("nan")))
