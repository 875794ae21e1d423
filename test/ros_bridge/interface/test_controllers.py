"""Topics of ros2_control's controllers move joints like the simulation's own."""

import math
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import Twist, TwistStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ros_bridge.interface.interface import WorldTopics, build_topics, describe
from ros_bridge.parameters.parameter_file import read_parameter_file
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.recorder.run_journal import RunJournal
from sim_core.base.outcome import DONE, Outcome, Refused
from sim_core.model.device_spec import device_names
from sim_core.scene import parse_scene
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

WHEEL = """HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }}
  device [ RotationalMotor {{ name "{side}" maxVelocity 30 }} PositionSensor {{ name "{side} sensor" }} ]
  endPoint Solid {{ name "{side} wheel" translation 0 {y} 0 rotation 1 0 0 1.5707963267948966
    boundingObject Cylinder {{ radius 0.05 height 0.02 }} physics Physics {{ }} }} }}"""
LIFT = """SliderJoint {{ jointParameters JointParameters {{ axis 0 0 1 }}
  device LinearMotor {{ name "{name}" }}
  endPoint Solid {{ name "{name} end" physics Physics {{ density -1 mass 0.1 }} }} }}"""
WORLD = (
    """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Solid { boundingObject Plane { size 40 40 } }
Robot { name "bot" translation 0 0 0.05 controller "<extern>" physics Physics { }
  boundingObject Sphere { radius 0.045 } children [
"""
    + WHEEL.format(side="left", y=0.1)
    + WHEEL.format(side="right", y=-0.1)
    + LIFT.format(name="a")
    + LIFT.format(name="b")
    + "] }"
)
FILE = """
controller_manager:
  ros__parameters:
    update_rate: 40
    base: { type: diff_drive_controller/DiffDriveController }
    lift: { type: joint_trajectory_controller/JointTrajectoryController }
    other: { type: joint_trajectory_controller/JointTrajectoryController }
    group: { type: velocity_controllers/JointGroupVelocityController }
    places: { type: forward_command_controller/ForwardCommandController }
    states: { type: joint_state_broadcaster/JointStateBroadcaster }
base:
  ros__parameters:
    left_wheel_names: [left]
    right_wheel_names: [right]
    wheel_radius: 0.05
    wheel_separation: 0.2
    use_stamped_vel: false
    cmd_vel_timeout: 1.0
    linear: { x: { max_velocity: 0.5 } }
lift: { ros__parameters: { joints: [a] } }
other: { ros__parameters: { joints: [b, a] } }
group: { ros__parameters: { joints: [a, b] } }
places: { ros__parameters: { joints: [b, a], interface_name: position } }
states: { ros__parameters: { extra_joints: [mast] } }
"""


class Desk:
    """A session with the topics of its controllers."""

    def __init__(self, tmp_path: Path, file: str = FILE) -> None:
        (tmp_path / "c.yaml").write_text(file)
        scene = parse_scene(WORLD)
        self.parameters = build_parameters(read_parameter_file(tmp_path / "c.yaml"), device_names(scene))
        self.sim = Simulation(scene, self.parameters.simulation)
        self.session = Session(self.sim, RunJournal(None, self.sim))
        self.topics: WorldTopics = build_topics(self.sim, self.parameters.bridge)
        self.robot: Any = self.sim.robot("bot")

    def tell(self, topic: str, message: Any) -> Outcome:
        item = next(each for each in self.topics.subscriptions if each.name == topic)
        assert isinstance(message, item.message_type)
        return self.session.pipeline.submit(item.command(message))

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 100)):
            self.session.step()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def trajectory(points: list[tuple[float, ...]], *joints: str) -> JointTrajectory:
    """Each point: a time in s, and positions."""
    message = JointTrajectory(joint_names=list(joints))
    for time, *positions in points:
        point = JointTrajectoryPoint(positions=positions)
        point.time_from_start.sec, point.time_from_start.nanosec = int(time), round(time % 1.0 * 1e9)
        message.points.append(point)
    return message


def test_the_topics_are_those_of_the_controllers(desk: Desk) -> None:
    infos = {info.name: info for info in describe(desk.sim, desk.parameters.bridge)}
    kinds = {
        "/base/cmd_vel_unstamped": "geometry_msgs/msg/Twist",
        "/base/odom": "nav_msgs/msg/Odometry",
        "/lift/joint_trajectory": "trajectory_msgs/msg/JointTrajectory",
        "/group/commands": "std_msgs/msg/Float64MultiArray",
        "/places/commands": "std_msgs/msg/Float64MultiArray",
        "/joint_states": "sensor_msgs/msg/JointState",
    }
    assert {name: infos[name].type for name in kinds} == kinds
    assert infos["/base/odom"].frame_id == "odom"
    assert infos["/base/odom"].period == 0.02  # publish_rate is 50 Hz by default
    assert infos["/joint_states"].period == 0.025  # 1/40 s, in the mean


def test_joint_states_have_the_extra_joints_at_0(desk: Desk) -> None:
    item = next(each for each in desk.topics.publications if each.name == "/joint_states")
    message = JointState()
    item.constants(message)
    item.fill(message, 0)
    assert list(message.name) == ["left", "right", "a", "b", "mast"]
    assert message.position[4] == 0.0 and len(message.effort) == 5


def test_a_twist_is_held_within_the_limits_and_stops_after_its_timeout(desk: Desk) -> None:
    """0.5 m/s on wheels of 5 cm are 10 rad/s; the order for 2 m/s is clamped to that."""
    twist = Twist()
    twist.linear.x = 2.0
    assert desk.tell("/base/cmd_vel_unstamped", twist) is DONE
    desk.run(0.9)
    assert desk.robot["left"].commanded_velocity == pytest.approx(10.0)
    assert desk.robot.frame.linear_velocity()[0] == pytest.approx(0.5, rel=0.02)
    desk.run(0.2)
    assert desk.robot["left"].commanded_velocity == 0.0


def test_a_twist_that_is_not_finite_is_refused_where_there_are_limits_too(desk: Desk) -> None:
    for velocity in (math.nan, math.inf):
        twist = Twist()
        twist.linear.x = velocity
        outcome = desk.tell("/base/cmd_vel_unstamped", twist)
        assert isinstance(outcome, Refused) and f"found {velocity}" in outcome.text
    assert desk.robot["left"].commanded_velocity == 0.0


def test_the_timeout_of_a_twist_counts_from_its_stamp(tmp_path: Path) -> None:
    """Of two commands at 2 s with 1 s of timeout, that of 1.4 s lasts for 0.4 s, that of 0.9 s is refused."""
    desk = Desk(tmp_path, FILE.replace("use_stamped_vel: false", "use_stamped_vel: true"))
    desk.run(2.0)

    def tell(sec: int, nanosec: int) -> Outcome:
        message = TwistStamped()
        message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
        message.twist.linear.x = 0.2
        return desk.tell("/base/cmd_vel", message)

    assert tell(1, 400_000_000) is DONE
    desk.run(0.39)
    assert desk.robot["left"].commanded_velocity == pytest.approx(4.0)
    desk.run(0.02)
    assert desk.robot["left"].commanded_velocity == 0.0
    stale = tell(0, 900_000_000)
    assert isinstance(stale, Refused)
    assert stale.text.endswith("found a command from 1.51 s ago, expected one that is less than 1 s old")
    for stamp in ((0, 0), (9_000, 0)):  # not stamped; stamped by another clock
        assert tell(*stamp) is DONE
        desk.run(0.99)
        assert desk.robot["left"].commanded_velocity == pytest.approx(4.0)
        desk.run(0.02)
        assert desk.robot["left"].commanded_velocity == 0.0


def test_the_drive_has_the_controllers_limits_of_acceleration(tmp_path: Path) -> None:
    """0.5 m/s² for 0.4 s are 0.2 m/s, which are 4 rad/s on wheels of 5 cm; -1 m/s² take half the time."""
    limits = "{ max_velocity: 0.5, max_acceleration: 0.5, max_deceleration: -1.0 }"
    desk = Desk(tmp_path, FILE.replace("{ max_velocity: 0.5 }", limits))
    twist = Twist()
    twist.linear.x = 0.2
    assert desk.tell("/base/cmd_vel_unstamped", twist) is DONE
    desk.run(0.2)
    assert desk.robot["left"].commanded_velocity == pytest.approx(2.0)
    desk.run(0.2)
    assert desk.robot["left"].commanded_velocity == pytest.approx(4.0)
    assert desk.tell("/base/cmd_vel_unstamped", Twist()) is DONE
    desk.run(0.1)
    assert desk.robot["left"].commanded_velocity == pytest.approx(2.0)


def test_a_limited_twist_is_recorded_as_it_was_sent(desk: Desk) -> None:
    twist = Twist()
    twist.linear.x = 2.0
    assert desk.tell("/base/cmd_vel_unstamped", twist) is DONE
    assert twist.linear.x == 2.0


def test_groups_of_joints_are_told_in_their_order(desk: Desk) -> None:
    assert desk.tell("/places/commands", Float64MultiArray(data=[0.2, -0.1])) is DONE
    desk.run(1.5)
    assert (desk.robot["b"].position, desk.robot["a"].position) == pytest.approx((0.2, -0.1), abs=2e-3)
    assert desk.tell("/group/commands", Float64MultiArray(data=[0.1, 0.0])) is DONE
    desk.run(0.5)
    assert (desk.robot["a"].velocity, desk.robot["b"].velocity) == pytest.approx((0.1, 0.0), abs=1e-3)
    for data in ([0.1], [0.1, math.nan]):
        assert isinstance(desk.tell("/group/commands", Float64MultiArray(data=data)), Refused)


def test_two_controllers_lead_joints_of_one_robot_at_a_time(desk: Desk) -> None:
    """Each controller follows its own trajectory; one without points ends only that of its controller."""
    assert desk.tell("/lift/joint_trajectory", trajectory([(1.0, 0.1)], "a")) is DONE
    assert desk.tell("/other/joint_trajectory", trajectory([(1.0, 0.3, 0.1)], "b", "a")) is DONE
    assert desk.tell("/lift/joint_trajectory", JointTrajectory()) is DONE
    desk.run(1.1)
    assert (desk.robot["a"].position, desk.robot["b"].position) == pytest.approx((0.1, 0.3), abs=2e-3)
    assert desk.tell("/lift/joint_trajectory", trajectory([(1.0, 0.2)], "a")) is DONE
    assert desk.tell("/other/joint_trajectory", JointTrajectory()) is DONE
    desk.run(1.1)
    assert desk.robot["a"].position == pytest.approx(0.2, abs=2e-3)


def test_a_trajectory_must_have_the_controllers_joints(desk: Desk) -> None:
    missing = desk.tell("/other/joint_trajectory", trajectory([(1.0, 0.1)], "a"))
    assert isinstance(missing, Refused) and "without b, expected all joints" in missing.text
    other = desk.tell("/lift/joint_trajectory", trajectory([(1.0, 0.1)], "b"))
    assert isinstance(other, Refused) and 'found joint "b", expected one of a' in other.text
