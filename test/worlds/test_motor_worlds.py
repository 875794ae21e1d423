"""The worlds of joints and motors do what their descriptions say, with the commands of their controllers."""

import math
from functools import partial

import pytest
from obeying import obey

from ros_bridge.cli.world_info import build
from ros_bridge.controllers.command_player import read_commands
from ros_bridge.interface.interface import build_topics
from ros_bridge.topics.filling import make_message
from sim_core.base.shipped import shipped_worlds
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation


def commanded(name: str) -> Simulation:
    """A world whose lists of commands are carried out once, in process."""
    path = shipped_worlds()[f"devices/{name}"]
    sim, params = build(load_scene(path), path)
    topics = {item.name: item for item in build_topics(sim, params).subscriptions}
    for robot in sim.robots.values():
        commands, _ = read_commands(robot.node["controllerArgs"])
        for command in commands:
            item = topics[f"/{robot.name}/{command.topic}"]
            act = partial(obey, sim, item, make_message(item.message_type, command.value))
            step = max(1, command.time_ns // sim.step_ns)
            sim.every(step * sim.step_ns / 1e9, partial(_once, sim, step * sim.step_ns, act))
    return sim


def _once(sim: Simulation, at_ns: int, act: partial, time_ns: int) -> None:
    if time_ns == at_ns:
        assert act() is None


def test_the_arm_obeys_by_position_and_velocity() -> None:
    sim = commanded("rotational_motor")
    motor = sim.robot("arm")["motor"]
    sim.run(1.9)
    assert motor.position == pytest.approx(1.5, abs=1e-3)
    assert motor.power == pytest.approx(5 * (1 * 9.81 * 0.25 * math.sin(1.5)), rel=0.01)
    sim.run(3.1)
    assert motor.velocity == pytest.approx(2.0, rel=0.01)


def test_the_lift_carries_its_load() -> None:
    sim = commanded("linear_motor")
    motor = sim.robot("lift")["motor"]
    motor.enable_feedback()
    sim.run(3.9)
    assert motor.position == pytest.approx(0.8, abs=2e-3)
    assert motor.effort == pytest.approx((2 + 3) * 9.81, rel=0.02)


def test_the_flywheel_is_braked_exponentially() -> None:
    sim = commanded("brake")
    sim.run(2.1)
    motor = sim.robot("flywheel")["motor"]
    before = motor.velocity
    inertia = 0.5 * 2 * 0.25**2
    assert before == pytest.approx(0.5 * 2.0 / inertia, rel=0.1)
    sim.run(1.0)
    assert motor.velocity == pytest.approx(before * math.exp(-0.05 / inertia), rel=0.02)


def test_the_head_pans_and_tilts() -> None:
    sim = commanded("servo")
    sim.run(3.9)
    head = sim.robot("head")
    assert (head["pan"].position, head["tilt"].position) == pytest.approx((1.2, 0.6), abs=0.01)


def test_the_mouse_turns_left_then_right() -> None:
    sim = commanded("differential_wheels")
    headings = []
    for _ in range(2):
        sim.run(3.9)
        rotation = sim.robot("mouse").frame.pose().rotation
        headings.append(math.atan2(rotation[3], rotation[0]))
    rate = 0.04 * 4 / 0.16
    assert math.remainder(headings[0] - rate * 3.9, 2 * math.pi) == pytest.approx(0.0, abs=0.2)
    assert headings[1] == pytest.approx(0.0, abs=0.4)


def test_the_gripper_closes_and_opens_with_both_fingers() -> None:
    sim = commanded("coupled_motors")
    robot = sim.robot("robot")
    for end in (-0.1, 0.04):
        sim.run(1.95)
        fingers = robot["gripper::left"].position, robot["gripper::right"].position
        assert fingers == pytest.approx((end, -end), abs=2e-3)


def test_the_wheel_rolls_round_the_post() -> None:
    """In the middle of its path of 1 m the wheel of 0.15 m goes at 5 rad/s: 0.75 rad/s about the post."""
    sim = commanded("hinge2_joint")
    sim.run(1.5)
    about = sim.robot("carousel")["round"].axis
    assert abs(about.velocity) == pytest.approx(0.75, rel=0.05)
    sim.run(2.0)
    assert sim.robot("carousel")["steering"].position == pytest.approx(0.1, abs=0.01)


def test_the_gimbal_comes_through_its_points() -> None:
    sim = commanded("ball_joint")
    robot = sim.robot("gimbal")
    axes = [robot[name] for name in ("roll", "pitch", "yaw")]
    for seconds, point in ((2.0, (0.8, 0.4, 1.0)), (2.0, (-0.8, -0.6, -1.0)), (2.0, (0.0, 0.0, 0.0))):
        sim.run(seconds)
        assert [axis.position for axis in axes] == pytest.approx(point, abs=0.02)


def test_the_torso_waves() -> None:
    sim = commanded("motion")
    torso = sim.robot("torso")
    sim.run(2.4)
    assert torso["left shoulder"].position == pytest.approx(-2.8, abs=0.05)
    assert torso["right shoulder"].position == pytest.approx(0.0, abs=0.05)
    sim.run(1.6)
    assert torso["right shoulder"].position == pytest.approx(-2.8, abs=0.05)
    sim.run(2.1)
    start = torso["left shoulder"].position
    sim.run(1.0)
    assert start == pytest.approx(0.0, abs=0.4) and torso["left shoulder"].position < -2.0
