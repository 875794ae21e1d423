"""JointTrajectory and motion messages executed without a node."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from builtin_interfaces.msg import Duration
from obeying import obey
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ros_bridge.interface.interface import build_topics
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.topics.records import Subscription
from sim_core.base.errors import CommandError
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation

WAVE = "#WEBOTS_MOTION,V1.0,a,g::1,tail\n00:00:000,p,0,0,0\n00:01:000,q,1,0.5,0\n"


@pytest.fixture
def sim(tmp_path: Path) -> Simulation:
    joints = "".join(
        f"""HingeJoint {{ device RotationalMotor {{ name "{name}" maxTorque 1e9 maxVelocity 1e3 }}
        endPoint Solid {{ name "{name}" }} }}"""
        for name in ("a", "g::1", "g::2")
    )
    (tmp_path / "motions").mkdir()
    (tmp_path / "motions" / "wave.motion").write_text(WAVE)
    (tmp_path / "motions" / "my wave.motion").write_text(WAVE)
    (tmp_path / "motions" / "broken.motion").write_text("#WEBOTS_MOTION,V1.0,a\n0,p,x\n")
    world = tmp_path / "arm.wbt"
    world.write_text(f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 10 }} Robot {{ name "r" controller "void" children [ {joints} ] }}""")
    return load_world(world)


def topic(sim: Simulation, name: str) -> Subscription:
    params = build_parameters([], {"r": list(sim.robot("r").devices)}).bridge
    return next(item for item in build_topics(sim, params).subscriptions if item.name == name)


def trajectory(names: Sequence[str], *points: tuple[float, Sequence[float]], **more: Any) -> JointTrajectory:
    message = JointTrajectory(joint_names=list(names))
    for seconds, positions in points:
        time = Duration(sec=int(seconds // 1), nanosec=round(seconds % 1 * 1e9))
        fields = {key: list(value) for key, value in more.items()}
        message.points.append(JointTrajectoryPoint(time_from_start=time, positions=list(positions), **fields))
    return message


def test_the_joints_move_linearly_to_the_points(sim: Simulation) -> None:
    listen = topic(sim, "/r/joint_trajectory")
    assert obey(sim, listen, trajectory(["g::1", "a"], (1.0, [0.4, 1.0]), (2.0, [0.0, 1.5]))) is None
    found = []
    for _ in range(4):
        sim.run(0.5)
        found.append((sim.robot("r")["a"].position, sim.robot("r")["g::2"].position))
    expected = [(0.5, 0.2), (1.0, 0.4), (1.25, 0.2), (1.5, 0.0)]
    assert [value for pair in found for value in pair] == pytest.approx(
        [value for pair in expected for value in pair], abs=1e-6
    )


def test_velocities_make_it_a_cubic(sim: Simulation) -> None:
    """From rest to rest: p = 3·s² - 2·s³."""
    listen = topic(sim, "/r/joint_trajectory")
    obey(sim, listen, trajectory(["a"], (1.0, [1.0]), velocities=[0.0]))
    sim.run(0.25)
    assert sim.robot("r")["a"].position == pytest.approx(3 * 0.25**2 - 2 * 0.25**3, abs=1e-6)


def test_a_stamp_is_waited_for_and_a_new_message_takes_over(sim: Simulation) -> None:
    listen = topic(sim, "/r/joint_trajectory")
    later = trajectory(["a"], (0.0, [0.0]), (1.0, [1.0]))
    later.header.stamp.sec = 1
    obey(sim, listen, later)
    sim.run(1.5)
    assert sim.robot("r")["a"].position == pytest.approx(0.5, abs=1e-6)
    obey(sim, listen, trajectory(["a"], (0.5, [0.0])))
    sim.run(0.5)
    assert sim.robot("r")["a"].position == pytest.approx(0.0, abs=1e-6)
    sim.run(1.0)
    assert sim.robot("r")["a"].position == pytest.approx(0.0, abs=1e-6)


def test_a_message_without_points_stops(sim: Simulation) -> None:
    listen = topic(sim, "/r/joint_trajectory")
    obey(sim, listen, trajectory(["a"], (1.0, [1.0])))
    sim.run(0.5)
    obey(sim, listen, JointTrajectory())
    sim.run(1.0)
    assert sim.robot("r")["a"].position == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (trajectory(["z"], (1.0, [1.0])), 'joint "z", expected one of a, g::1, g::2'),
        (trajectory(["a"], (1.0, [math.nan])), "found nan"),
        (trajectory(["a"], (1.0, [0.0]), (0.5, [1.0])), "expected a later time"),
        (trajectory(["a"], (1.0, [0.0, 1.0])), "found 2 positions"),
        (trajectory(["a"], (1.0, [0.0]), effort=[1.0]), "found efforts"),
        (trajectory(["g::1", "g::2"], (1.0, [0.0, 1.0])), "coupled"),
    ],
)
def test_what_is_wrong_is_refused_and_the_old_one_goes_on(
    sim: Simulation, message: JointTrajectory, text: str
) -> None:
    listen = topic(sim, "/r/joint_trajectory")
    obey(sim, listen, trajectory(["a"], (1.0, [1.0])))
    with pytest.raises(CommandError, match=text):
        obey(sim, listen, message)
    sim.run(1.0)
    assert sim.robot("r")["a"].position == pytest.approx(1.0, abs=1e-6)


def test_a_motion_is_played_by_its_name(sim: Simulation) -> None:
    listen = topic(sim, "/r/motion")
    line = obey(sim, listen, String(data="wave.motion"))
    assert line is not None and line.endswith("ignored: tail")
    sim.run(0.51)
    assert sim.robot("r")["a"].position == pytest.approx(0.5, abs=1e-6)
    assert sim.robot("r")["g::2"].position == pytest.approx(0.25, abs=1e-6)
    obey(sim, listen, String(data=""))
    sim.run(1.0)
    assert sim.robot("r")["a"].position == pytest.approx(0.5, abs=1e-6)


def test_options_of_a_motion(sim: Simulation) -> None:
    listen = topic(sim, "/r/motion")
    obey(sim, listen, String(data='"my wave" reverse loop'))
    sim.run(0.21)
    assert sim.robot("r")["a"].position == pytest.approx(0.8, abs=1e-6)
    sim.run(1.01)
    assert sim.robot("r")["a"].position == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("none", "none: no such motion file"),
        ("wave quickly", 'option "quickly", expected loop or reverse'),
        ('"wave', "No closing quotation"),
        ("broken", r"broken\.motion:2:5: "),
    ],
)
def test_motions_that_cannot_be_played_are_refused(sim: Simulation, text: str, reason: str) -> None:
    listen = topic(sim, "/r/motion")
    with pytest.raises(CommandError, match=reason):
        obey(sim, listen, String(data=text))


def test_a_device_with_the_name_of_the_topic_keeps_it(tmp_path: Path) -> None:
    world = tmp_path / "w.wbt"
    world.write_text("""#VRML_SIM R2025a utf8
Robot { name "r" controller "void" children HingeJoint {
  device RotationalMotor { name "motion" } endPoint Solid { } } }""")
    sim = load_world(world)
    params = build_parameters([], {"r": ["motion"]}).bridge
    names = {item.name for item in build_topics(sim, params).subscriptions}
    assert "/r/motion" not in names and "/r/motion/position" in names
