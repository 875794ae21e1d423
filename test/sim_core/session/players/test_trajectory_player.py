"""Trajectories with tolerances: goals, path violations, timeouts, and replacement."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from sim_core.base.outcome import DONE
from sim_core.scene import parse_scene
from sim_core.session.pipeline import Action, Command
from sim_core.session.players.trajectory_player import TrajectoryOutcome, TrajectoryPlayer
from sim_core.session.robot_commands import FollowTrajectory, HoldPosition
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

SECOND = 10**9
STEP = 10_000_000
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot { name "r" controller "void" children [
  SliderJoint { jointParameters JointParameters { axis 0 0 1 }
    device LinearMotor { name "a" maxVelocity 0.5 maxForce 1e9 } endPoint Solid { name "end" } }
  SliderJoint { jointParameters JointParameters { axis 0 1 0 }
    device LinearMotor { name "b" maxVelocity 0.5 maxForce 1e9 } endPoint Solid { name "other" } } ] }
"""


class Bench:
    """Session with sliders of at most 0.5 m/s; without mass or force limit they move exactly as commanded."""

    def __init__(self) -> None:
        self.sim = Simulation(parse_scene(WORLD, "sliders.wbt"))
        self.session = Session(self.sim)
        self.robot = self.sim.robot("r")

    def tell(self, action: Action) -> None:
        assert self.session.pipeline.submit(Command("test", (action,))) is DONE

    def follow(self, points: list[tuple[float, float]], leader: str = "arm", **more: Any) -> TrajectoryPlayer:
        """Command positions of `a` at times in s."""
        times = tuple(round(time * SECOND) for time, _ in points)
        nothing = ((),) * len(points)
        rows = tuple((position,) for _, position in points)
        self.tell(FollowTrajectory("r", ("a",), times, rows, nothing, nothing, leader=leader, **more))
        player = self.robot.motion_control.followed(leader)
        assert player is not None
        return player

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 100)):
            self.session.step()


def test_a_goal_is_reached_one_step_after_the_end() -> None:
    """The joints are at the goal when the last step ends; the next step detects it."""
    bench = Bench()
    player = bench.follow([(1.0, 0.2)], path_tolerance=((0.01, 0.0),), goal_tolerance=((0.001, 0.0),))
    bench.run(1.0)
    assert player.is_playing and player.state.verdict is TrajectoryOutcome.NONE
    bench.run(0.01)
    assert not player.is_playing and player.state.verdict is TrajectoryOutcome.REACHED
    assert bench.robot["a"].position == pytest.approx(0.2)


def test_progress_is_the_spline_and_the_joint() -> None:
    bench = Bench()
    player = bench.follow([(0.5, 0.1), (1.0, 0.3)], path_tolerance=((0.0, 0.0),))
    bench.run(0.75)
    progress = player.progress()
    assert (progress.time_ns, progress.following) == (SECOND * 3 // 4, 1)
    assert (progress.desired.positions[0], progress.desired.velocities[0]) == pytest.approx((0.2, 0.4))
    assert progress.positions[0] == pytest.approx(0.2)


def test_a_joint_that_leaves_the_path_is_held() -> None:
    """2 m/s are commanded to a motor of 0.5 m/s: after t the error is 1.5·t, past 0.16 m after 11 steps."""
    bench = Bench()
    player = bench.follow([(1.0, 2.0)], path_tolerance=((0.16, 0.0),), goal_tolerance=((0.0, 0.0),))
    steps = 0
    while player.is_playing:
        bench.session.step()
        steps += 1
    assert player.state.verdict is TrajectoryOutcome.OFF_PATH
    assert player.state.reason == "path tolerance violated: position error 0.165 of a, tolerance 0.16"
    here = bench.robot["a"].position
    assert steps == 12 and here == pytest.approx(0.5 * 0.11)
    bench.run(0.5)
    assert bench.robot["a"].position == pytest.approx(here, abs=1e-9)


@pytest.mark.parametrize(
    ("goal_time", "verdict"), [(0.3, TrajectoryOutcome.OFF_GOAL), (0.9, TrajectoryOutcome.REACHED)]
)
def test_the_goal_must_be_reached_in_its_time(goal_time: float, verdict: TrajectoryOutcome) -> None:
    """0.5 m take 1 s at 0.5 m/s, 0.5 s more than the trajectory has."""
    bench = Bench()
    player = bench.follow(
        [(0.5, 0.5)],
        path_tolerance=((0.0, 0.0),),
        goal_tolerance=((0.01, 0.0),),
        goal_time_ns=round(goal_time * SECOND),
    )
    bench.run(1.5)
    assert not player.is_playing and player.state.verdict is verdict
    expected = 0.5 if verdict is TrajectoryOutcome.REACHED else 0.5 * 0.81
    assert bench.robot["a"].position == pytest.approx(expected, abs=0.011)


def test_without_a_time_limit_the_goal_is_waited_for() -> None:
    bench = Bench()
    player = bench.follow([(0.1, 1.0)], path_tolerance=((0.0, 0.0),), goal_tolerance=((0.01, 0.0),))
    bench.run(1.5)
    assert player.is_playing
    bench.run(1.0)
    assert player.state.verdict is TrajectoryOutcome.REACHED


def test_a_goal_at_time_zero_is_reached_after_its_command() -> None:
    """A single point at time 0, as MoveIt and others send it first, is not a reached goal before it is
    commanded."""
    bench = Bench()
    player = bench.follow([(0.0, 0.3)], path_tolerance=((0.0, 0.0),), goal_tolerance=((0.01, 0.0),))
    bench.run(1.0)
    assert player.state.verdict is TrajectoryOutcome.REACHED
    assert bench.robot["a"].position == pytest.approx(0.3, abs=0.01)


def test_hold_ends_it_at_the_present_position() -> None:
    bench = Bench()
    player = bench.follow([(2.0, 1.0)])
    bench.run(0.5)
    bench.tell(HoldPosition("r", "arm"))
    assert not player.is_playing
    here = bench.robot["a"].position
    bench.run(1.0)
    assert bench.robot["a"].position == pytest.approx(here, abs=1e-9) == pytest.approx(0.25)


def test_a_future_trajectory_replaces_the_present_one_at_once() -> None:
    """As in ros2_control: the joint is on its way from 0.1 to the first point, 0.5 at 1 s + 0.5 s."""
    bench = Bench()
    first = bench.follow([(2.0, 0.4)])
    bench.run(0.5)
    second = bench.follow([(0.5, 0.5)], start_ns=SECOND)
    assert not first.is_playing and bench.robot["a"].position == pytest.approx(0.1)
    bench.run(0.5)
    assert bench.robot["a"].position == pytest.approx(0.3)
    bench.run(0.5)
    assert not second.is_playing and bench.robot["a"].position == pytest.approx(0.5)


def test_the_action_is_plain_data_with_the_same_result_when_repeated() -> None:
    """As in a recording: JSON, with lists for rows."""
    bench, again = Bench(), Bench()
    action = FollowTrajectory(
        "r", ("a",), (SECOND,), ((2.0,),), ((),), ((),), None, "arm", ((0.16, 0.0),), ((0.0, 0.0),), 5
    )
    bench.tell(action)
    again.tell(FollowTrajectory(**json.loads(json.dumps(asdict(action)))))
    for each in (bench, again):
        each.run(0.5)
    assert bench.robot["a"].position == again.robot["a"].position == pytest.approx(0.055)


def test_a_snapshot_continues_to_the_same_result() -> None:
    bench = Bench()
    bench.follow([(1.0, 0.2)], path_tolerance=((0.01, 0.0),), goal_tolerance=((0.001, 0.0),))
    bench.run(0.5)
    snapshot = bench.sim.snapshot()
    bench.run(0.6)
    position = bench.robot["a"].position
    bench.sim.restore(snapshot)
    player = bench.robot.motion_control.followed("arm")
    assert player is not None and player.state.verdict is TrajectoryOutcome.NONE
    bench.run(0.6)
    assert player.state.verdict is TrajectoryOutcome.REACHED and bench.robot["a"].position == position
