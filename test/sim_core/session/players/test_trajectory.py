"""Trajectories: splines against polynomials that they must reproduce, and motors that follow them."""

from collections.abc import Callable

import numpy as np
import pytest

from sim_core.base.errors import CommandError
from sim_core.scene import parse_scene
from sim_core.session.players.trajectory import Trajectory, checked_trajectory, chosen_motors
from sim_core.session.players.trajectory_player import TrajectoryPlayer
from sim_core.session.simulation import Simulation

SECOND = 10**9


def arm(physics: bool = True, motor: str = "") -> Simulation:
    mass = "boundingObject Box { size 0.4 0.4 0.1 } physics Physics { density -1 mass 2 }" if physics else ""
    joints = "".join(
        f"""HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 anchor {x} 0 0 }}
        device RotationalMotor {{ name "{name}" maxTorque 1e9 maxVelocity 100 {motor} }}
        endPoint Solid {{ name "{name}" translation {x} 0 0 {mass} }} }}"""
        for x, name in enumerate(["a", "b", "c::1", "c::2"])
    )
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 10 gravity 0 }} Robot {{ name "r" controller "void" children [ {joints} ] }}"""
    return Simulation(parse_scene(text, "arm.wbt"))


def knots(times: list[float], of: list[Callable[[float], float]], order: int) -> Trajectory:
    """Return a trajectory through a function, with its derivatives up to `order`."""
    tables = [np.array([[f(t)] for t in times]) for f in of[: order + 1]]
    return Trajectory(tuple(round(t * SECOND) for t in times), *tables)


@pytest.mark.parametrize("degree", [0, 1, 3, 5])
def test_splines_reproduce_polynomials_of_their_degree(degree: int) -> None:
    """Linear, cubic and quintic splines are exact for polynomials of degree 1, 3 and 5."""
    p = np.polynomial.Polynomial([0.3, -0.7, 0.5, 0.9, -0.2, 0.1][: degree + 1])
    order = {0: 0, 1: 0, 3: 1, 5: 2}[degree]
    curve = knots([0.5, 1.0, 2.5], [p, p.deriv(1), p.deriv(2)], order)
    for t in np.linspace(0.5, 2.5, 41):
        assert curve.positions_at(round(t * SECOND))[0] == pytest.approx(p(t), abs=1e-8)
    assert curve.positions_at(0)[0] == p(0.5)
    assert curve.positions_at(9 * SECOND)[0] == p(2.5)


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_samples_have_the_derivatives_of_the_polynomials(degree: int) -> None:
    """Velocity and acceleration are those of the polynomial that the knots were taken from."""
    p = np.polynomial.Polynomial([0.3, -0.7, 0.5, 0.9, -0.2, 0.1][: degree + 1])
    curve = knots([0.5, 1.0, 2.5], [p, p.deriv(1), p.deriv(2)], {1: 0, 3: 1, 5: 2}[degree])
    for t in np.linspace(0.5, 2.4, 20):
        sample = curve.state_at(round(t * SECOND))
        wanted = (p(t), p.deriv(1)(t), p.deriv(2)(t))
        assert [row[0] for row in sample] == pytest.approx(wanted, abs=1e-7)
        assert sample.positions[0] == curve.positions_at(round(t * SECOND))[0]
    assert [row[0] for row in curve.state_at(0)] == [p(0.5), 0.0, 0.0]
    end = curve.state_at(9 * SECOND)
    assert (end.positions[0], end.accelerations[0]) == (p(2.5), 0.0)
    assert end.velocities[0] == (0.0 if degree == 1 else pytest.approx(p.deriv(1)(2.5)))


def test_each_segment_has_the_highest_spline_that_both_points_allow() -> None:
    """Quintic, cubic, linear, by what both points have."""
    curve = checked_trajectory(
        ["a"],
        [0, SECOND, 2 * SECOND, 3 * SECOND],
        [[0.0], [1.0], [2.0], [0.0]],
        [[0.0], [0.0], [0.0], []],
        [[0.0], [0.0], [], []],
    )
    s = 0.3
    quintic, cubic = 10 * s**3 - 15 * s**4 + 6 * s**5, 3 * s**2 - 2 * s**3
    expected = (quintic, 1.0 + cubic, 2.0 - 2.0 * s)
    for start, position in enumerate(expected):
        assert curve.positions_at(round((start + s) * SECOND))[0] == pytest.approx(position, abs=1e-12)


def play(
    sim: Simulation, trajectory: Trajectory, names: list[str], start: int | None = None
) -> TrajectoryPlayer:
    motors = chosen_motors(names, sim.robot("r").motors())
    player = TrajectoryPlayer(trajectory, motors, sim.playback, start)
    player.play(sim.time_ns)
    return player


@pytest.mark.parametrize("physics", [True, False])
def test_a_motor_follows_without_lag(physics: bool) -> None:
    """At the end of each step the joint is where the spline is."""
    sim = arm(physics)
    p = np.polynomial.Polynomial([0, 0, 0.75, -0.25])  # rest at 0 s, 1 rad and rest at 2 s
    curve = knots([2.0], [p, p.deriv()], 1)
    player = play(sim, curve, ["a"])
    motor = sim.robot("r")["a"]
    for k in range(1, 201):
        sim.step()
        assert motor.position == pytest.approx(p(0.01 * k), abs=1e-3 if physics else 1e-9)
    assert not player.is_playing
    sim.run(1.0)
    assert motor.position == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("physics", [True, False])
def test_without_velocities_the_path_is_linear_from_the_present_position(physics: bool) -> None:
    sim = arm(physics)
    motor = sim.robot("r")["b"]
    motor.set_position(-0.5)
    sim.run(2.0)
    play(sim, Trajectory((SECOND, 2 * SECOND), np.array([[0.5], [0.3]])), ["b"])
    for k in range(1, 201):
        sim.step()
        t = 0.01 * k
        expected = -0.5 + t if t <= 1.0 else 0.5 - 0.2 * (t - 1.0)
        assert motor.position == pytest.approx(expected, abs=1e-3)


def test_a_start_in_the_future_waits_and_one_in_the_past_has_begun() -> None:
    sim = arm(False)
    sim.run(1.0)
    line = Trajectory((0, SECOND), np.array([[0.0], [1.0]]))
    play(sim, line, ["a"], start=round(1.5 * SECOND))
    play(sim, line, ["b"], start=round(0.6 * SECOND))
    sim.run(0.1)
    assert sim.robot("r")["a"].position == 0.0
    assert sim.robot("r")["b"].position == pytest.approx(0.5)
    sim.run(0.9)
    assert sim.robot("r")["a"].position == pytest.approx(0.5)
    with pytest.raises(CommandError, match=r"ended 0\.5 s ago"):
        play(sim, line, ["a"], start=round(0.5 * SECOND))


def test_a_leader_is_on_the_way_to_the_first_point_before_the_start() -> None:
    """Like a joint_trajectory_controller: from 0 at 1 s to 1 rad at 1.5 s + 0.5 s, then to 0 at 2.5 s."""
    sim = arm(False)
    sim.run(1.0)
    line = Trajectory((SECOND // 2, SECOND), np.array([[1.0], [0.0]]))
    robot = sim.robot("r")
    robot.motion_control.follow([robot.motors()["a"]], line, SECOND, round(1.5 * SECOND), "arm")
    for expected in (0.25, 0.5, 0.75, 1.0, 0.5, 0.0):
        sim.run(0.25)
        assert robot["a"].position == pytest.approx(expected)


def test_multipliers_count_and_coupled_motors_follow() -> None:
    sim = arm()
    play(sim, Trajectory((SECOND,), np.array([[0.8]])), ["c::2"])
    sim.run(2.0)
    assert sim.robot("r")["c::1"].position == pytest.approx(0.8, abs=1e-4)


def test_a_reset_stops_it() -> None:
    sim = arm()
    player = play(sim, Trajectory((SECOND,), np.array([[0.8]])), ["a"])
    sim.run(0.5)
    sim.reset()
    sim.run(0.5)
    assert (player.is_playing, sim.robot("r")["a"].position) == (False, pytest.approx(0.0))


def test_positions_past_a_limit_are_reported() -> None:
    sim = arm(motor="minPosition -1 maxPosition 1")
    motors = [sim.robot("r")["a"]]
    assert TrajectoryPlayer(Trajectory((1,), np.array([[0.5]])), motors, sim.playback).clamped() is None
    line = TrajectoryPlayer(Trajectory((1,), np.array([[1.5]])), motors, sim.playback).clamped()
    assert line is not None and "limits -1 and 1, clamped" in line


@pytest.mark.parametrize(
    ("times", "rows", "text"),
    [
        ([], ([], [], []), "no points"),
        ([1, 1], ([[0], [0]], [[], []], [[], []]), "in point 1, expected a later time"),
        ([-5], ([[0]], [[]], [[]]), "in point 0, expected 0 or more"),
        ([1], ([[]], [[1]], [[]]), "no positions"),
        ([1], ([[0, 0]], [[]], [[]]), "found 2 positions in point 0, expected 1"),
        ([1, 2], ([[0], []], [[], []], [[], []]), "found no positions in point 1"),
        ([1, 2], ([[0], [0]], [[0, 1], []], [[], []]), "found 2 velocities in point 0"),
        ([1], ([[0]], [[]], [[1]]), "accelerations without velocities"),
        ([1], ([[float("nan")]], [[]], [[]]), 'found nan in positions of "a" in point 0'),
        ([1], ([[0]], [[float("inf")]], [[]]), 'found inf in velocities of "a"'),
    ],
)
def test_wrong_trajectories_are_refused_with_a_line(times: list, rows: tuple, text: str) -> None:
    with pytest.raises(CommandError, match=text):
        checked_trajectory(["a"], times, *rows)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], "no joint names"),
        (["a", "z"], 'found joint "z", expected one of a, b, c::1, c::2'),
        (["a", "a"], '"a" twice'),
        (["c::1", "c::2"], "coupled"),
    ],
)
def test_joints_that_cannot_be_commanded_are_refused(names: list[str], text: str) -> None:
    with pytest.raises(CommandError, match=text):
        chosen_motors(names, arm().robot("r").motors())
