"""The topics of a fleet are equivalent to those of its robots."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fleets import FleetRun
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from benchmarks.swarm import robot_text, wall_text, world_text
from ros_bridge.interface.interface import build_topics
from ros_bridge.parameters.parameter_file import Value
from ros_bridge.parameters.parameters import Parameters, build_parameters
from sim_core.base.errors import ConfigError
from sim_core.base.outcome import Clamped, Done, Refused
from sim_core.devices.motors.motor import Motor
from sim_core.devices.ranging.planar_distance_sensor import PlanarDistanceSensor
from sim_core.model.device_spec import device_names
from sim_core.scene import Scene, parse_scene

FILE = str(Path(__file__).resolve().parents[3] / "worlds" / "fleet.wbt")
SENSOR = (
    'DistanceSensor {{ name "{}" translation 0.1 0 0.05 rotation 0 0 1 {} lookupTable [ 0 0 0, 3 3 0 ] }}'
)
ROBOTS = 5
NAMES = [f"bot{number}" for number in range(ROBOTS)]


def scene() -> Scene:
    """Robots in a row in front of a wall, each with one or two sensors; the last one has no wheels."""
    robots = []
    for number, name in enumerate(NAMES):
        eyes = "\n".join(SENSOR.format(f"ds{k}", 0.4 * k) for k in range(1 + number % 2))
        robots.append(robot_text(name, 0.0, float(number), 0.1 * number, eyes))
    post = 'Robot { name "post" translation 3 9 0.1 boundingObject Box { size 0.2 0.2 0.2 } }'
    return parse_scene(world_text(*robots, post, wall_text("wall", 2.0, 2.0, "0.1 20 1")), FILE)


def parameters(of: Scene, physics: str = "fast2d", **fleet: Any) -> Parameters:
    values = [Value(("fleet", "swarm", name), value, "test") for name, value in fleet.items()]
    values.append(Value(("physics",), physics, "test"))
    return build_parameters([*values, Value(("state_period",), 0.032, "test")], device_names(of))


class Run(FleetRun):
    """The robots in a row."""

    def __init__(self, single_topics: bool = True, physics: str = "fast2d") -> None:
        of = scene()
        super().__init__(of, parameters(of, physics, robots=["bot*", "post"], single_topics=single_topics))


def speeds(names: list[str], values: list[float]) -> JointState:
    message = JointState()
    message.name, message.velocity = names, values
    return message


def wheels(turn: int) -> list[float]:
    """Return rad/s of all wheels, left and right of each robot."""
    return [4.0 + 0.3 * k + 0.5 * turn for k in range(2 * ROBOTS)]


@pytest.mark.parametrize("physics", ["fast2d", "ode"])
@pytest.mark.parametrize("named", [True, False], ids=["by name", "in their order"])
def test_a_fleet_is_told_and_tells_what_its_robots_would_be_one_by_one(named: bool, physics: str) -> None:
    together, apart = Run(physics=physics), Run(physics=physics)
    joints = [f"{name}/{side}" for name in NAMES for side in ("left", "right")]
    for turn in range(5):
        values = wheels(turn // 2)  # told again what they do already
        together.submit("/swarm/joint_command", speeds(joints if named else [], values))
        for k, name in enumerate(NAMES):
            apart.submit(f"/{name}/joint_command", speeds(["left", "right"], values[2 * k : 2 * k + 2]))
        together.steps(4)
        apart.steps(4)
    assert together.places == apart.places
    for run in (together, apart):
        check_messages(run)


def check_messages(run: Run) -> None:
    """Every number in the fleet's messages equals the robot's own."""
    states = run.last("/swarm/joint_states")
    poses, truths = run.last("/swarm/odom"), run.last("/swarm/ground_truth")
    twists, velocities = run.last("/swarm/odom/twist"), run.last("/swarm/ground_truth/twist")
    ranges = run.last("/swarm/ranges")
    assert list(states.name) == [f"{name}/{side}" for name in NAMES for side in ("left", "right")]
    assert (poses.header.frame_id, truths.header.frame_id) == ("odom", "world")
    assert (len(poses.poses), len(truths.poses)) == (ROBOTS, ROBOTS + 1)
    assert [(dim.label, dim.size, dim.stride) for dim in ranges.layout.dim] == [
        ("robot", ROBOTS + 1, 2 * ROBOTS + 2),
        ("sensor", 2, 2),
    ]
    for k, name in enumerate(NAMES):
        own = run.last(f"/{name}/joint_states")
        assert own.header.stamp == states.header.stamp == poses.header.stamp
        for field in ("position", "velocity", "effort"):
            assert list(getattr(states, field))[2 * k : 2 * k + 2] == list(getattr(own, field))
        odom, truth = run.last(f"/{name}/odom"), run.last(f"/{name}/ground_truth")
        assert (poses.poses[k], truths.poses[k]) == (odom.pose.pose, truth.pose.pose)
        linear, angular = odom.twist.twist.linear, odom.twist.twist.angular
        assert list(twists.data)[3 * k : 3 * k + 3] == [linear.x, linear.y, angular.z]
        linear, angular = truth.twist.twist.linear, truth.twist.twist.angular
        six = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        assert list(velocities.data)[6 * k : 6 * k + 6] == six
        assert ranges.data[2 * k] == np.float32(run.last(f"/{name}/ds0").range)
        second = ranges.data[2 * k + 1]
        assert math.isnan(second) if k % 2 == 0 else second == np.float32(run.last(f"/{name}/ds1").range)
    assert all(math.isnan(each) for each in ranges.data[2 * ROBOTS :])  # the post has none
    assert min(states.velocity) > 0.0 and min(ranges.data[: 2 * ROBOTS : 2]) < 3.0


def test_a_fleet_tells_of_its_robots_whatever_rows_an_edit_gives_them() -> None:
    run = Run()
    run.submit("/swarm/joint_command", speeds([], wheels(0)))
    run.steps(4)
    door = "Solid { children HingeJoint { endPoint Solid { translation 0 0 9 } } translation 9 9 0 }"
    run.sim.supervisor.import_text(door, index=1)
    run.steps(4)
    check_messages(run)
    assert run.sim.rolled is not None and run.sim.rolled.arrays.wheels.rows[:, 2].min() == 1


def test_joints_and_sensors_that_the_engine_has_as_arrays_are_not_asked_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = Run(single_topics=False)
    asked = []
    for kind, name in ((Motor, "position"), (Motor, "velocity"), (PlanarDistanceSensor, "distance")):
        monkeypatch.setattr(kind, name, property(lambda _: asked.append(1) or 0.0))
    run.submit("/swarm/joint_command", speeds([], wheels(0)))
    run.steps(4)
    assert min(run.last("/swarm/joint_states").velocity) > 0.0
    assert min(run.last("/swarm/ranges").data) < 3.0 and not asked


def test_velocities_that_are_not_plain_do_what_the_motor_itself_would_do_with_them() -> None:
    """A command beyond the limit, in fleets whose motors held a position, or turned, before."""
    fast = [5000.0, -2.0, *wheels(0)[2:]]
    for before in ([], wheels(1)):
        run, alone = Run(single_topics=False), Run(single_topics=False)
        run.submit("/swarm/joint_command", speeds([], before))
        alone.submit("/swarm/joint_command", speeds([], before))
        outcome = run.submit("/swarm/joint_command", speeds([], fast))
        said = [
            alone.sim.robot(name)[side].set_velocity(fast[2 * k + at])
            for k, name in enumerate(NAMES)
            for at, side in enumerate(("left", "right"))
        ]
        assert isinstance(outcome, Clamped) and outcome.text == said[0] and not any(said[1:])
        run.steps(5)
        alone.steps(5)
        assert run.places == alone.places


def test_twists_of_a_fleet_are_those_of_cmd_vel_and_nan_leaves_a_robot_as_it_is() -> None:
    together, apart = Run(), Run()
    twists = [each for k in range(ROBOTS) for each in (0.2 + 0.05 * k, 0.3 - 0.1 * k)]
    twists[4:6] = [math.nan, math.nan]
    message = Float64MultiArray()
    message.data = twists
    together.submit("/swarm/cmd_vel", message)
    for k, name in enumerate(NAMES):
        if k != 2:
            twist = apart.session_topics.inputs[f"/{name}/cmd_vel"].message_type()
            twist.linear.x, twist.angular.z = twists[2 * k : 2 * k + 2]
            apart.submit(f"/{name}/cmd_vel", twist)
    start = together.places[2]
    together.steps(10)
    apart.steps(10)
    assert together.places == apart.places
    assert together.places[2] == start != together.places[1]


def test_joints_whose_numbers_are_nan_go_on_as_before() -> None:
    run = Run(single_topics=False)
    run.submit("/swarm/joint_command", speeds([], wheels(0)))
    run.submit("/swarm/joint_command", speeds([], [1.0, *[math.nan] * (2 * ROBOTS - 1)]))
    targets = [
        robot.devices[side].target_velocity
        for name, robot in run.sim.robots.items()
        for side in ("left", "right")
        if name in NAMES
    ]
    assert targets == [1.0, *wheels(0)[1:]]


WRONG: dict[str, tuple[str, Any]] = {
    "another size": ("found 3 in velocity, expected none or 10", speeds([], [1.0, 2.0, 3.0])),
    "a stranger": ('found joint "bot9/left"', speeds(["bot9/left"], [1.0])),
    "twice": ('"bot0/left" twice', speeds(["bot0/left", "bot0/left"], [1.0, 2.0])),
    "infinite": ("expected finite numbers", speeds(["bot0/left", "bot1/left"], [1.0, math.inf])),
}


@pytest.mark.parametrize(("found", "message"), WRONG.values(), ids=WRONG)
def test_a_message_that_is_wrong_moves_nobody(found: str, message: JointState) -> None:
    run = Run(single_topics=False)
    start = run.places
    outcome = run.submit("/swarm/joint_command", message)
    assert isinstance(outcome, Refused) and found in outcome.text
    run.steps(3)
    assert run.places == start


def test_single_topics_are_off_in_a_fleet_unless_asked_for() -> None:
    topics = build_topics(Run(single_topics=False).sim, parameters(scene(), robots=["bot[0-3]"]).bridge)
    names = [item.name for item in (*topics.publications, *topics.subscriptions)]
    assert not any(name.startswith(("/bot0/", "/bot3/")) for name in names)
    assert {"/bot4/joint_states", "/bot4/cmd_vel", "/swarm/cmd_vel", "/swarm/joint_states"} <= set(names)
    run = Run(single_topics=False)
    assert isinstance(run.submit("/swarm/joint_command", speeds([], wheels(0))), Done)


@pytest.mark.parametrize(
    ("path", "value", "found"),
    [
        (("fleet", "robots"), ["*"], "expected fleet: <name>"),
        (("fleet", "swarm", "robot"), ["*"], 'found no parameter "robot" of a fleet'),
        (("fleet", "swarm", "robots"), ["nobody*"], "found no robot of these names, there are bot0"),
        (("fleet", "swarm", "robots"), "bot*", "expected"),
        (("fleet", "8", "robots"), ["*"], 'found the fleet "8"'),
    ],
)
def test_a_fleet_that_cannot_be_is_refused_in_one_line(path: tuple[str, ...], value: Any, found: str) -> None:
    with pytest.raises(ConfigError) as refused:
        build_parameters([Value(path, value, "a.yaml:3")], device_names(scene()))
    assert str(refused.value).startswith("a.yaml:3") and found in str(refused.value)


def test_a_robot_belongs_to_one_fleet() -> None:
    values = [Value(("fleet", name, "robots"), ["bot1"], "a.yaml") for name in ("a", "b")]
    with pytest.raises(ConfigError, match='"bot1" in the fleets a and b, expected it in one'):
        build_parameters(values, device_names(scene()))
