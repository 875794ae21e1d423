"""cmd_vel and its timeout, without a node."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from geometry_msgs.msg import Twist
from obeying import obey

from ros_bridge.interface.interface import build_topics
from ros_bridge.parameters.parameter_file import Value
from ros_bridge.parameters.parameters import build_parameters
from sim_core.base.errors import CommandError
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation

STEP_NS = 4_000_000
SPEED = 0.3
RADIUS = 0.1
"""m/s, and m of the wheels of the robot `old`, whose wheels reach any speed within a step."""


@pytest.fixture
def driven(world_file: Any) -> Callable[..., tuple[Simulation, Any]]:
    def make(**parameters: float) -> tuple[Simulation, Any]:
        sim = load_world(world_file())
        values = [Value(tuple(name.split("__")), value, name) for name, value in parameters.items()]
        params = build_parameters(values, {name: list(robot.devices) for name, robot in sim.robots.items()})
        topics = build_topics(sim, params.bridge).subscriptions
        return sim, partial(obey, sim, next(item for item in topics if item.name == "/old/cmd_vel"))

    return make


def forward(speed: float) -> Twist:
    twist = Twist()
    twist.linear.x = speed
    return twist


def steps_moved(sim: Simulation, steps: int) -> list[bool]:
    """Return for each step whether the wheels were commanded to turn in it."""
    wheels = sim.robot("old").drive.left  # type: ignore[union-attr]
    moved = []
    for _ in range(steps):
        before = wheels[0].motor.position
        sim.step()
        moved.append(wheels[0].motor.position - before == pytest.approx(SPEED / RADIUS * STEP_NS / 1e9))
    return moved


def test_without_a_timeout_a_command_stays_in_force(driven: Any) -> None:
    sim, drive = driven()
    drive(forward(SPEED))
    assert all(steps_moved(sim, 500)[1:])
    assert not sim.playback.players  # and costs nothing


@pytest.mark.parametrize(
    "parameters",
    [
        {"cmd_vel_timeout": 0.1},
        {"robots__old__cmd_vel_timeout": 0.1},
        {"cmd_vel_timeout": 3.0, "robots__old__cmd_vel_timeout": 0.1},
    ],
)
def test_a_command_holds_for_the_steps_that_start_before_the_timeout(driven: Any, parameters: Any) -> None:
    sim, drive = driven(**parameters)
    drive(forward(SPEED))
    steps = round(0.1e9 / STEP_NS)
    assert steps_moved(sim, 2 * steps) == [True] * steps + [False] * steps
    assert not sim.playback.players
    drive(forward(SPEED))
    assert steps_moved(sim, 2 * steps) == [True] * steps + [False] * steps


def test_each_command_begins_the_time_anew_a_refused_one_does_not(driven: Any) -> None:
    sim, drive = driven(cmd_vel_timeout=0.1)
    for _ in range(4):
        drive(forward(SPEED))
        assert all(steps_moved(sim, 20))
    with pytest.raises(CommandError):
        drive(forward(math.nan))
    assert steps_moved(sim, 10) == [True] * 5 + [False] * 5


def test_a_robot_can_be_left_out(driven: Any) -> None:
    sim, drive = driven(cmd_vel_timeout=0.1, robots__old__cmd_vel_timeout=0.0)
    drive(forward(SPEED))
    assert all(steps_moved(sim, 100))


def test_a_reset_and_a_snapshot_know_how_long_the_command_holds(driven: Any) -> None:
    sim, drive = driven(cmd_vel_timeout=0.1)
    drive(forward(SPEED))
    sim.run(0.04)
    snapshot = sim.snapshot()
    expected = [True] * 15 + [False] * 5
    assert steps_moved(sim, 20) == expected
    sim.restore(snapshot)
    assert steps_moved(sim, 20) == expected
    drive(forward(SPEED))
    sim.reset()
    assert not sim.playback.players
    assert not any(steps_moved(sim, 5))
