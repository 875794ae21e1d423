"""Plugins that drive on wheels: what they say, and how the robot then drives."""

import math
from collections.abc import Callable

import pytest

from sim_core.devices.drives.ackermann_drive import AckermannDrive
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.drives.mecanum_drive import MecanumDrive
from sim_core.session.simulation import Simulation

Spawned = Callable[..., Simulation]
MASS = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'


def part(name: str, x: float, y: float, parent: str = "base", axis: str = "0 1 0", z: float = 0.0) -> str:
    """A wheel, or what holds it, and its joint, of the same name."""
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    return f"""<link name="{name} link">{MASS}{ball}</link><joint name="{name}" type="continuous">
<parent link="{parent}"/><child link="{name} link"/><origin xyz="{x} {y} {z}"/><axis xyz="{axis}"/></joint>"""


def robot(parts: str, plugin: str) -> str:
    box = '<collision><geometry><box size="0.4 0.2 0.05"/></geometry></collision>'
    fixed = '<joint name="f" type="fixed"><parent link="base"/><child link="s"/></joint>'
    base = f'<link name="base">{MASS}{box}</link><link name="s"/>{fixed}'
    return f'<robot name="r">{base}{parts}<gazebo>{plugin}</gazebo></robot>'


TWO = part("l", 0.0, 0.2) + part("r", 0.0, -0.2)
GZ, CLASSIC = "gz-sim-diff-drive-system", "libgazebo_ros_diff_drive.so"


def diff_drive(kind: str, inside: str) -> str:
    joints = "<left_joint>l</left_joint><right_joint>r</right_joint>"
    return robot(TWO, f'<plugin name="d" filename="{kind}">{joints}{inside}</plugin>')


@pytest.mark.parametrize(
    ("kind", "inside", "expected"),
    [
        (GZ, "", {}),
        (CLASSIC, "<wheel_diameter>0.1</wheel_diameter>", {"wheel_radius": 0.05}),
        (CLASSIC, "<wheelDiameter>0.1</wheelDiameter>", {"wheel_radius": 0.05}),
        (GZ, "<wheel_radius>0.1</wheel_radius>", {"wheel_radius": 0.1}),
        (
            GZ,
            "<topic>nav/vel</topic><odom_topic>/w</odom_topic>",
            {"cmd_vel_topic": "/nav/vel", "odom_topic": "/w"},
        ),
        (GZ, "<frame_id>o</frame_id><child_frame_id>s</child_frame_id>", {"odom_frame": "o"}),
        (GZ, "<child_frame_id>r::a body</child_frame_id>", {"base_frame": "r/a_body"}),
        (
            CLASSIC,
            "<command_topic>go</command_topic><odometry_topic>o</odometry_topic><odometry_frame>f</odometry_frame>",
            {"cmd_vel_topic": "/go", "odom_topic": "/o", "odom_frame": "f"},
        ),
        (
            CLASSIC,
            "<ros><namespace>/demo</namespace><remapping>cmd_vel:=go</remapping><remapping>odom:=/o</remapping></ros>",
            {"cmd_vel_topic": "/demo/go", "odom_topic": "/o"},
        ),
        (
            CLASSIC,
            "<ros><remapping>/demo/x:=y</remapping></ros><robot_base_frame>base</robot_base_frame>",
            {"cmd_vel_topic": "/cmd_vel", "odom_topic": "/odom", "base_frame": "base"},
        ),
        (GZ, "<odom_publish_frequency>10</odom_publish_frequency>", {"odometry_period": 0.1}),
        (GZ, "<odom_publish_frequency>0</odom_publish_frequency>", {"odometry_period": 0.0}),
        (CLASSIC, "<update_rate>20</update_rate>", {"odometry_period": 0.05}),
        (
            GZ,
            "<max_velocity>2</max_velocity><max_angular_velocity>1</max_angular_velocity>"
            "<min_linear_acceleration>-3</min_linear_acceleration><max_jerk>4</max_jerk>",
            {
                "max_linear_velocity": 2.0,
                "max_angular_velocity": 1.0,
                "min_linear_acceleration": -3.0,
                "max_linear_jerk": 4.0,
                "max_angular_jerk": 4.0,
            },
        ),
    ],
)
def test_diff_drive(spawned: Spawned, kind: str, inside: str, expected: dict[str, object]) -> None:
    settings = spawned(diff_drive(kind, inside)).scene.device_settings
    found = {each.name: each.value for each in settings if not each.layout}
    assert (found.pop("left"), found.pop("right")) == (["l"], ["r"])
    assert found == expected


@pytest.mark.parametrize(
    ("inside", "named"),
    [
        ("<odom_publish_frequency>50</odom_publish_frequency><tf_topic>/tf</tf_topic>", ""),
        ("<tf_topic>/model/r/tf</tf_topic>", "tf_topic of"),
        (
            "<publish_odom_tf>false</publish_odom_tf><publish_wheel_tf>true</publish_wheel_tf>",
            "publish_odom_tf of",
        ),
        ("<ros><remapping>tf:=t</remapping></ros>", "ros/remapping"),
        ("<child_frame_id>s</child_frame_id>", 'odometry of the link "s": that of "base" is published'),
        (
            "<wheel_separation>1</wheel_separation><wheel_separation>2</wheel_separation>",
            "wheel_separation of",
        ),
        ("<left_joint>nothing</left_joint>", 'left_joint of plugin "d"'),
    ],
)
def test_what_a_drive_cannot_do_is_named(spawned: Spawned, inside: str, named: str) -> None:
    warnings = spawned(diff_drive(GZ, inside)).scene.warnings
    assert [named in str(warning) for warning in warnings] == [True] * bool(named)


def test_two_plugins_are_one_drive_of_all_their_wheels(spawned: Spawned) -> None:
    parts = "".join(part(f"{side}{x}", x, y) for x in (-1, 1) for side, y in (("l", 0.2), ("r", -0.2)))
    plugins = "".join(
        f'<plugin name="d{x}" filename="{GZ}"><left_joint>l{x}</left_joint>'
        f"<right_joint>r{x}</right_joint></plugin>"
        for x in (-1, 1)
    )
    drive = spawned(robot(parts, plugins)).robot("r").drive
    assert drive is not None
    assert [wheel.motor.name for wheel in (*drive.left, *drive.right)] == ["l-1", "l1", "r-1", "r1"]


def test_a_drive_without_its_joints_is_one_warning(spawned: Spawned) -> None:
    plugin = (
        f'<plugin name="d" filename="{GZ}"><left_joint>a</left_joint><right_joint>b</right_joint></plugin>'
    )
    (warning,) = spawned(robot(TWO, plugin)).scene.warnings
    assert str(warning).endswith(f'without effect: plugin "{GZ}"')


def test_wheels_have_the_limits_of_classic(spawned: Spawned) -> None:
    """m/s² of the rim are rad/s² of the wheel; without them wheels turn as they are told, as in Gazebo."""
    sizes = "<wheel_diameter>0.2</wheel_diameter><max_wheel_torque>3</max_wheel_torque>"
    sim = spawned(diff_drive(CLASSIC, f"{sizes}<max_wheel_acceleration>2</max_wheel_acceleration>"))
    motor = sim.robot("r")["l"].spec
    assert (motor["maxTorque"], motor["acceleration"], motor["maxVelocity"]) == (3.0, 20.0, 1000.0)
    assert spawned(diff_drive(GZ, "")).robot("r")["l"].spec["maxTorque"] == 1e6


def test_limits_hold_for_a_robot_that_is_loaded_without_ros(spawned: Spawned) -> None:
    sizes = "<wheel_radius>0.1</wheel_radius><wheel_separation>0.4</wheel_separation>"
    sim = spawned(diff_drive(GZ, f"{sizes}<max_linear_velocity>0.46</max_linear_velocity>"))
    drive = sim.robot("r").drive
    assert type(drive) is DifferentialDrive
    assert drive.limits[0].velocity[1] == 0.46


def test_ackermann_steers_by_the_numbers_of_the_plugin(spawned: Spawned) -> None:
    """As in ackermann_steering.sdf of gz-sim: R = 5 m, left atan(1/4.5), right atan(1/5.5)."""
    steered = part("sl", 1.0, 0.5, axis="0 0 1") + part("fl", 0.0, 0.0, "sl link")
    steered += part("sr", 1.0, -0.5, axis="0 0 1") + part("fr", 0.0, 0.0, "sr link")
    driven = part("l", -0.5, 0.6) + part("r", -0.5, -0.6)
    names = "<left_joint>l</left_joint><right_joint>r</right_joint>"
    names += "<left_steering_joint>sl</left_steering_joint><right_steering_joint>sr</right_steering_joint>"
    sizes = (
        "<kingpin_width>1.0</kingpin_width><wheel_base>1.0</wheel_base><steering_limit>0.5</steering_limit>"
    )
    sizes += "<wheel_separation>1.25</wheel_separation><wheel_radius>0.3</wheel_radius>"
    plugin = f'<plugin name="gz::sim::systems::AckermannSteering" filename="x">{names}{sizes}</plugin>'
    sim = spawned(robot(driven + steered, plugin))
    drive = sim.robot("r").drive
    assert isinstance(drive, AckermannDrive) and not sim.scene.warnings
    assert drive.steering_angles(0.2) == pytest.approx((0.2187, 0.1799), abs=1e-4)
    assert 1.0 / drive.max_curvature == pytest.approx(2.0858, abs=1e-4)
    drive.set_twist(0.5, 0.1)
    wheels = [wheel.motor for wheel in drive.left + drive.right]
    assert [motor.target_velocity for motor in wheels] == pytest.approx([1.4583, 1.875], abs=1e-4)
    assert sim.robot("r")["sl"].spec["controlPID"] == (1.0, 0.0, 0.0)


def test_mecanum_wheels_are_those_of_the_plugin(spawned: Spawned) -> None:
    wheels = "".join(
        part(f"{end}{side}", x, y)
        for end, x in (("front", 0.5), ("back", -0.5))
        for side, y in (("left", 0.5), ("right", -0.5))
    )
    names = "".join(
        f"<{end}_{side}_joint>{end}{side}</{end}_{side}_joint>"
        for side in ("left", "right")
        for end in ("back", "front")
    )
    sizes = "<wheelbase>1.511</wheelbase><wheel_separation>1.25</wheel_separation>"
    sizes += "<wheel_radius>0.3</wheel_radius>"
    limits = "<max_acceleration>5</max_acceleration><min_acceleration>-5</min_acceleration>"
    plugin = f'<plugin name="m" filename="gz-sim-mecanum-drive-system">{names}{sizes}{limits}</plugin>'
    drive = spawned(robot(wheels, plugin)).robot("r").drive
    assert isinstance(drive, MecanumDrive)
    assert [wheel.motor.name for wheel in drive.left] == ["frontleft", "backleft"]
    assert (drive.wheelbase, drive.wheel_separation, drive.wheel_radius) == (1.511, 1.25, 0.3)
    assert drive.limits[0].acceleration == (-5.0, 5.0)


@pytest.mark.parametrize("name", ["libgazebo_ros_planar_move.so", "gz-sim-velocity-control-system"])
def test_a_body_is_moved_by_the_twist_itself(spawned: Spawned, name: str) -> None:
    """A circle of radius 0.5/0.25 = 2 m, driven sideways; a timeout ends it."""
    sim = spawned(robot("", f'<plugin name="m" filename="{name}"/>'), "@0,0,1,0")
    bot = sim.robot("r")
    assert bot.drive is None
    bot.motion_control.drive(0.0, 0.25, 2_000_000_000, 0.5)
    sim.run(2.0)
    x, y, z = bot.frame.pose().position
    assert (x, y) == pytest.approx((2.0 * (math.cos(0.5) - 1.0), 2.0 * math.sin(0.5)), abs=2e-3)
    assert z == pytest.approx(1.0, abs=1e-3)
    kept = sim.snapshot()
    sim.run(1.0)
    there = bot.frame.pose()
    assert there.position[:2] == pytest.approx((x, y), abs=3e-3)
    sim.restore(kept)
    sim.run(1.0)
    assert bot.frame.pose() == there


def test_where_it_is_told_is_the_truth(spawned: Spawned) -> None:
    inside = "<ros><remapping>cmd_vel:=go</remapping></ros><odometry_frame>o</odometry_frame>"
    plugin = f'<plugin name="m" filename="libgazebo_ros_planar_move.so">{inside}</plugin>'
    found = {each.name: each.value for each in spawned(robot("", plugin)).scene.device_settings}
    assert found["cmd_vel_topic"] == "/go"
    assert (found["ground_truth_topic"], found["ground_truth_frame"]) == ("/odom", "o")
