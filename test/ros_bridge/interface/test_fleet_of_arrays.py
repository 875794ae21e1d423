"""A fleet of robots held as arrays equals one of robots as objects, bit by bit."""

import math
from pathlib import Path
from typing import Any

import pytest
from fleets import FleetRun
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from benchmarks.fast2d import swarm, write_proto
from benchmarks.swarm import robot_text
from ros_bridge.control.fields.names import check_fields
from ros_bridge.node.startup import check_controllers
from ros_bridge.parameters.parameter_file import Value
from ros_bridge.parameters.parameters import Parameters, build_parameters
from sim_core.base.errors import ConfigError, OdesimError
from sim_core.base.outcome import Clamped, Refused
from sim_core.model.device_spec import device_names
from sim_core.model.robots import robot_names
from sim_core.scene import Scene, parse_scene

ROBOTS = 20
TOPICS = ("joint_states", "odom", "odom/twist", "ground_truth", "ground_truth/twist", "ranges")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Twenty equal robots among walls, with one of another type and one without wheels."""
    world = swarm(ROBOTS, write_proto(tmp_path_factory.mktemp("protos")))
    post = 'Robot { name "post" translation 9 9 0.1 boundingObject Box { size 0.2 0.2 0.2 } }'
    first, tenth, rest = world.partition('RingRobot { name "r10"')
    return first + robot_text("other", 0.0, 0.0, 0.3) + post + tenth + rest


def scene(text: str, instanced: bool = True) -> Scene:
    return parse_scene(text, "test.wbt", instanced=instanced)


def parameters(of: Scene, **more: Any) -> Parameters:
    given = {"physics": "fast2d", "instanced": bool(of.folded), "state_period": 0.032} | more
    values = [Value((*name.split("."),), value, f"a.yaml:{name}") for name, value in given.items()]
    return build_parameters(values, device_names(of), [each.name for each in of.folded])


FLEET = {"fleet.swarm.robots": ["r*", "other", "post"]}


def run(text: str, instanced: bool = True, **more: Any) -> FleetRun:
    of = scene(text, instanced)
    return FleetRun(of, parameters(of, **(FLEET | more)))


def speeds(names: list[str], velocities: list[float]) -> JointState:
    message = JointState()
    message.name, message.velocity = names, velocities
    return message


def twists(numbers: list[float]) -> Float64MultiArray:
    message = Float64MultiArray()
    message.data = numbers
    return message


def told(of: FleetRun) -> list[dict[str, bytes]]:
    """Return all messages of a fleet that is commanded in order and by name, some beyond the limit."""
    joints = 2 * (ROBOTS + 1)
    names = [f"r{k}/{side}" for k in (3, 17) for side in ("right", "left")]
    twist = [each for k in range(ROBOTS + 1) for each in (0.03 * k, 1.5 - 0.2 * k)]
    twist[8:10] = [math.nan, math.nan]
    twist[20] = 80.0  # faster than it can
    said = []
    commands: list[tuple[str, Any]] = [
        ("joint_command", speeds([], [4.0 + 0.3 * k for k in range(joints)])),
        ("joint_command", speeds([], [math.nan] * 4 + [2000.0, -3.0] + [math.nan] * (joints - 6))),
        ("joint_command", speeds(names, [6.0, -6.0, -3000.0, 1.0])),
        ("cmd_vel", twists(twist)),
    ]
    for topic, message in commands:
        outcome = of.submit(f"/swarm/{topic}", message)
        assert not isinstance(outcome, Refused)
        assert isinstance(outcome, Clamped) == (message is not commands[0][1])
        for _ in range(4):
            of.steps(2)
            said.append({name: bytes(of.told[f"/swarm/{name}"][1]) for name in TOPICS})
    return said


def test_messages_and_commands_are_those_of_robots_that_are_written_out(text: str) -> None:
    written, instanced = run(text, instanced=False), run(text)
    assert len(written.sim.robots) == ROBOTS + 2 and list(instanced.sim.robots) == ["r0", "other", "post"]
    assert robot_names(instanced.sim.scene) == list(written.sim.robots)
    said = told(written)
    assert told(instanced) == said and told(run(text)) == said
    assert len({each["ranges"] for each in said}) == len(said)  # they do move, and see it
    states = instanced.last("/swarm/joint_states")
    wheels = [f"{name}/{side}" for name in written.sim.robots if name != "post" for side in ("left", "right")]
    assert list(states.name) == wheels
    assert len(instanced.last("/swarm/odom").poses) == ROBOTS + 1
    assert len(instanced.last("/swarm/ground_truth").poses) == ROBOTS + 2
    assert instanced.last("/swarm/ranges").layout.dim[0].size == ROBOTS + 2


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, 'found "r1" in no fleet, and 18 more, expected all robots that are held as arrays in fleets'),
        (FLEET | {"fleet.swarm.single_topics": True}, "fleet.swarm.* single_topics: true for robots held as"),
        (FLEET | {"cmd_vel_timeout": 0.5}, "a.yaml:cmd_vel_timeout: found 0.5 s with robots held as arrays"),
        (FLEET | {"robots.r5.sampling_period": 0.1}, 'found a parameter of "r5", which is held as an array'),
    ],
)
def test_parameters_that_arrays_cannot_have_are_refused(text: str, more: dict[str, Any], found: str) -> None:
    with pytest.raises(ConfigError, match=found):
        parameters(scene(text), **more)


def test_settings_of_the_robot_that_others_equal_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r'a.yaml:.*found settings of "r0", which robots that are held'):
        run(text, **{"robots.r0.ds1.gaussian": 0.1})


def test_controllers_of_arrays_are_refused(text: str, tmp_path: Path) -> None:
    check_controllers(run(text).sim)  # none of them names one
    extern = write_proto(tmp_path)
    proto = tmp_path / "RingRobot.proto"
    proto.write_text(proto.read_text("utf-8").replace('"void"', '"driver"'), "utf-8")
    named = run(swarm(3, extern), **{"fleet.swarm.robots": ["*"]})
    with pytest.raises(ConfigError, match=r'found controller "driver" of robots that are held as arrays'):
        check_controllers(named.sim)


def test_what_an_array_cannot_be_told_is_refused_and_moves_nobody(text: str) -> None:
    of = run(text)
    message = speeds(["r0/left", "r5/left"], [1.0, math.nan])
    message.position = [math.nan, 2.0]
    outcome = of.submit("/swarm/joint_command", message)
    assert isinstance(outcome, Refused) and 'for "r5/left", expected a finite velocity alone' in outcome.text
    outcome = of.submit("/swarm/joint_command", speeds(["r5/left"], [math.inf]))
    assert isinstance(outcome, Refused)
    of.steps(2)
    assert not any(of.last("/swarm/joint_states").velocity)
    for ask in (of.sim.robot, of.sim.supervisor.node):
        with pytest.raises(OdesimError, match=r'robot "r5": found row 5 of Simulation.rolled'):
            ask("r5")
    with pytest.raises(ConfigError, match=r'^a.yaml: robot "r5": found row 5 of Simulation.rolled'):
        check_fields(of.sim, [Value(("r5", "translation"), [0.0, 0.0, 0.0], "a.yaml")])
