"""Controllers of ros2_control, from the parameter file of their controller manager."""

import json
from pathlib import Path

import pytest

from ros_bridge.parameters.controllers import Controller, unknown_types
from ros_bridge.parameters.parameter_file import read_parameter_file, values_from_overrides
from ros_bridge.parameters.parameters import Parameters, build_parameters
from sim_core.base.config import DriveConfig
from sim_core.base.errors import ConfigError

DEVICES = {"ur5e": ["shoulder", "elbow", "grip"], "rosbot": ["fl", "fr", "rl", "rr", "imu"]}
FILE = """
ur5e/controller_manager:
  ros__parameters:
    update_rate: 50
    arm: { type: joint_trajectory_controller/JointTrajectoryController }
    broadcaster:
      type: joint_state_broadcaster/JointStateBroadcaster
ur5e/arm:
  ros__parameters:
    joints: [shoulder, elbow]
    command_interfaces: [position]
    allow_partial_joints_goal: true
    gains: { shoulder: { p: 1.0 } }
controller_manager:
  ros__parameters:
    base: { type: diff_drive_controller/DiffDriveController }
    imu_broadcaster: { type: imu_sensor_broadcaster/IMUSensorBroadcaster }
base:
  ros__parameters:
    left_wheel_names: [fl, rl]
    right_wheel_names: [fr, rr]
    wheel_separation: 0.2
    wheel_radius: 0.05
    wheel_separation_multiplier: 1.5
    use_stamped_vel: false
    linear.x.max_velocity: 1
    angular: { z: { has_velocity_limits: true, max_velocity: 3.0, min_velocity: -2.0 } }
another_node:
  ros__parameters: { anything: [1, 2] }
"""


def parameters(tmp_path: Path, text: str = FILE) -> Parameters:
    file = tmp_path / "controllers.yaml"
    file.write_text(text)
    return build_parameters(read_parameter_file(file), DEVICES)


def named(found: Parameters) -> dict[str, Controller]:
    return {each.name: each for each in found.bridge.controllers}


def test_each_controller_belongs_to_the_robot_with_its_joints(tmp_path: Path) -> None:
    found = named(parameters(tmp_path))
    assert {name: each.robot for name, each in found.items()} == {
        "ur5e/arm": "ur5e",
        "ur5e/broadcaster": "ur5e",
        "base": "rosbot",
    }
    assert found["ur5e/arm"].joints == ("shoulder", "elbow")
    assert found["ur5e/arm"].values["allow_partial_joints_goal"] is True
    assert found["ur5e/broadcaster"].values["update_rate"] == 50
    assert found["base"].values["cmd_vel_timeout"] == 0.5  # its default


@pytest.mark.parametrize(
    ("namespace", "parameters_of_base", "frame"),
    [
        ("", "", "odom"),
        ("rosbot/", "", "rosbot/odom"),
        ("rosbot/", "tf_frame_prefix: /left/", "left/odom"),
        ("", "tf_frame_prefix: left", "left/odom"),
        ("rosbot/", "tf_frame_prefix_enable: false", "odom"),
    ],
)
def test_the_frames_of_a_diff_drive_controller_have_its_prefix(
    tmp_path: Path, namespace: str, parameters_of_base: str, frame: str
) -> None:
    head, tail = FILE.split("\ncontroller_manager:")
    text = f"{head}\n{namespace}controller_manager:{tail}".replace("\nbase:", f"\n{namespace}base:")
    text = text.replace("use_stamped_vel: false", parameters_of_base or "use_stamped_vel: false")
    base = named(parameters(tmp_path, text))[f"{namespace}base"]
    assert base.frame("odom_frame_id") == frame
    assert base.frame("base_frame_id") == frame.replace("odom", "base_link")


def test_a_diff_drive_controller_says_how_its_robot_drives(tmp_path: Path) -> None:
    found = parameters(tmp_path)
    drive = DriveConfig(("fl", "rl"), ("fr", "rr"), 0.05, 0.2 * 1.5)
    assert found.simulation.robots["rosbot"].drive == drive
    base = named(found)["base"]
    assert [base.limited("linear.x", value) for value in (-2.0, 0.5, 2.0)] == [-1.0, 0.5, 1.0]
    assert [base.limited("angular.z", value) for value in (-9.0, 9.0)] == [-2.0, 3.0]


def test_they_are_the_same_from_the_values_of_a_recording(tmp_path: Path) -> None:
    found = parameters(tmp_path)
    again = build_parameters(values_from_overrides(json.loads(json.dumps(found.values)), "bag"), DEVICES)
    assert again.bridge == found.bridge and again.simulation.robots == found.simulation.robots


def test_a_type_that_is_not_simulated_is_said(tmp_path: Path) -> None:
    file = tmp_path / "controllers.yaml"
    file.write_text(FILE)
    (line,) = unknown_types(read_parameter_file(file))
    expected = (
        'controller "imu_broadcaster" of type imu_sensor_broadcaster/IMUSensorBroadcaster is not simulated'
    )
    assert line.endswith(expected)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("[shoulder, elbow]", "[shoulder, knee]", 'controller "ur5e/arm", expected a robot with "knee"'),
        ("[position]", "[effort]", "command_interfaces effort of .*expected position among them"),
        ("[fl, rl]", "[]", 'controller "base" without left_wheel_names, expected names of joints'),
        ("wheel_radius: 0.05", "wheel_radius: big", 'found "big", expected a number'),
        ("[shoulder, elbow]", "3", "found 3, expected names"),
    ],
)
def test_a_wrong_controller_is_one_line(tmp_path: Path, old: str, new: str, line: str) -> None:
    assert old in FILE
    with pytest.raises(ConfigError, match=line):
        parameters(tmp_path, FILE.replace(old, new))
