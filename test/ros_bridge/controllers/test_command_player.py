from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import Twist
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64, Float64MultiArray, Int32, UInt8MultiArray
from trajectory_msgs.msg import JointTrajectory

from ros_bridge.controllers.command_player import TimedCommand, read_commands
from ros_bridge.topics.filling import make_message
from sim_core.base.errors import ConfigError


def test_commands_are_read_and_put_in_order() -> None:
    commands, repeat = read_commands(
        ["repeat 4", "2 led 0", "0.5 radio/send [1, 2]", "0 cmd_vel {linear: {x: 1}}"]
    )
    assert repeat == 4_000_000_000
    assert commands == [
        TimedCommand(0, "cmd_vel", {"linear": {"x": 1}}),
        TimedCommand(500_000_000, "radio/send", [1, 2]),
        TimedCommand(2_000_000_000, "led", 0),
    ]


@pytest.mark.parametrize(
    "line", ["", "led 1", "x led 1", "-1 led 1", "nan led 1", "1 led", "repeat 0", "1 led ["]
)
def test_a_line_that_is_no_command_is_named(line: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_commands([line])
    assert f'found "{line}", expected "SECONDS TOPIC VALUE" or "repeat SECONDS"' in str(error.value)


def test_a_command_after_the_list_has_started_anew_is_refused() -> None:
    with pytest.raises(ConfigError, match="found a command at 4 s, expected one before 4 s"):
        read_commands(["repeat 4", "4 led 1"])


@pytest.mark.parametrize(
    ("kind", "value", "field", "expected"),
    [
        (Int32, 3, "data", 3),
        (Float64, 2, "data", 2.0),
        (Bool, True, "data", True),
        (UInt8MultiArray, [1, 255], "data", [1, 255]),
        (JointState, {"name": ["a"], "velocity": [1.5]}, "velocity", [1.5]),
    ],
)
def test_a_value_is_put_into_the_message(kind: Any, value: Any, field: str, expected: Any) -> None:
    found = getattr(make_message(kind, value), field)
    assert (list(found) if isinstance(expected, list) else found) == expected


def test_fields_within_fields_are_filled_and_the_others_stay() -> None:
    message = make_message(Twist, {"linear": {"x": 1}, "angular": {"z": -2.5}})
    assert (message.linear.x, message.linear.y, message.angular.z) == (1.0, 0.0, -2.5)


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        (Int32, "on", "found 'on' for \"data\", expected int32"),
        (UInt8MultiArray, [1, 256], 'for "data", expected sequence<uint8>'),
        (Twist, 3, 'found "data", expected a field of Twist: linear, angular'),
        (Twist, {"linear": {"w": 1}}, 'found "w", expected a field of Vector3: x, y, z'),
        (Float64, None, 'found None for "data", expected double'),
    ],
)
def test_a_value_that_does_not_fit_is_named(kind: Any, value: Any, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        make_message(kind, value)
    assert says in str(error.value)


ARM = """#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 gravity 0 }}
Robot {{ name "robot" synchronization FALSE controller "command_player"
  controllerArgs [ {arguments} ]
  children HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 }}
    device RotationalMotor {{ name "arm" }}
    endPoint Solid {{ }} }} }}
"""


def _world(tmp_path: Path, *arguments: str) -> Path:
    file = tmp_path / "arm.wbt"
    file.write_text(ARM.format(arguments=" ".join(f'"{line}"' for line in arguments)), encoding="utf-8")
    return file


def test_it_moves_a_motor_there_and_back_again(tmp_path: Path, simulate: Any, client: Any) -> None:
    world = _world(tmp_path, "repeat 2", "0 arm/position 0.5", "1 arm/position -0.5")
    simulate(world, controllers=True, speed=2.0)
    states = client.listen(JointState, "/robot/joint_states")

    def turns() -> int:
        places = [round(state.position[0], 1) for state in states]
        ends = [place for place in places if abs(place) == 0.5]
        return sum(a != b for a, b in pairwise(ends))

    client.until(lambda: turns() >= 3, "the arm at one side, the other, and again")


def test_a_wrong_value_ends_it_with_one_line(tmp_path: Path, simulate: Any, client: Any) -> None:
    simulation = simulate(_world(tmp_path, "0 arm/position far"), controllers=True)
    client.until(lambda: simulation.says("exit code 2"), "the end of the controller")
    assert simulation.says("command_player: ") and not simulation.says("Traceback")
    assert any("found 'far' for \"data\", expected double" in line for line in simulation.lines)


def test_lists_of_numbers_and_of_messages_are_values_too() -> None:
    speeds = make_message(Float64MultiArray, [8, 1.5])
    assert list(speeds.data) == [8.0, 1.5]
    points = [{"positions": [1, 2.5], "time_from_start": {"sec": 2}}]
    path = make_message(JointTrajectory, {"joint_names": ["a", "b"], "points": points})
    assert list(path.points[0].positions) == [1.0, 2.5]
    assert path.points[0].time_from_start.sec == 2
    with pytest.raises(ConfigError, match="expected a field of JointTrajectoryPoint"):
        make_message(JointTrajectory, {"points": [{"place": 1}]})
