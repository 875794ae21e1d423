"""The ready tasks: the checkers of Gymnasium and PettingZoo, many against one, baselines that do the task."""

import math
import warnings

import pytest

gymnasium = pytest.importorskip("gymnasium")

import numpy as np  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

from sim_core.experiments.learning import TASKS, TaskEnv  # noqa: E402
from sim_core.experiments.learning.tasks.follow_line import START, from_line  # noqa: E402

PLANE = ("odesim/GoToGoal-v0", "odesim/Avoid-v0", "odesim/FollowWall-v0")
"""Tasks whose worlds are stepped as one batch."""


@pytest.mark.parametrize("name", TASKS)
def test_gymnasium_finds_nothing_wrong_and_many_are_as_one(name: str) -> None:
    """The checker on one, then the same episodes in one environment and in two copies."""
    one = gymnasium.make(name, duration=1.0).unwrapped
    assert isinstance(one, TaskEnv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*spec.*")
        check_env(one, skip_render_check=True, skip_close_check=True)
    many = gymnasium.make_vec(name, 2, duration=1.0, workers=0)
    assert (many.why is None) == (name in PLANE)
    seen, _ = many.reset(seed=6)
    for row in range(2):
        assert np.array_equal(one.reset(seed=6 + row)[0], seen[row])
    random = np.random.default_rng(0)
    for _ in range(4):
        actions = random.uniform(-1.0, 1.0, many.action_space.shape).astype(np.float32)
        seen, rewards, *_ = many.step(actions)
        observation, reward, *_ = one.step(actions[1])  # which was begun last
        assert np.array_equal(seen[1], observation) and rewards[1] == reward
        assert many.observation_space.contains(seen)
    one.close()
    many.close()


def test_pettingzoo_finds_nothing_wrong_with_two_against_two() -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import parallel_api_test

    from sim_core.experiments.learning.tasks.agents import TwoAgainstTwoEnv

    env = TwoAgainstTwoEnv(duration=1.0)
    parallel_api_test(env, num_cycles=12)
    env.reset(seed=1)
    _, rewards, *_ = env.step({name: np.ones(2, np.float32) for name in env.agents})
    assert rewards["blue1"] == rewards["blue2"] == -rewards["yellow1"] == -rewards["yellow2"]
    env.close()


def played(name: str, count: int, **arguments: object) -> tuple[float, float]:
    """Mean return of the baseline over an episode of each copy, and the part of them that it wins."""
    many = gymnasium.make_vec(name, count, **arguments)
    seen, _ = many.reset(seed=100)
    total, over, won = np.zeros(count), np.zeros(count, bool), np.zeros(count, bool)
    while not over.all():
        seen, rewards, ended, late, infos = many.step(many.task.baseline(seen))
        total += np.where(over, 0.0, rewards)
        won |= infos["won"] & ~over
        over |= ended | late
    many.close()
    return float(total.mean()), float(won.mean())


def test_baselines_do_the_tasks() -> None:
    """What can be expected without any number of ours: goals reached, and no less than half of the way that
    the wheels allow in the time where the task is to drive on."""
    _, won = played("odesim/GoToGoal-v0", 100)
    assert won > 0.9
    way, _ = played("odesim/Avoid-v0", 100)
    assert way > 0.5 * 30.0 * 10.0 * 0.04  # s, rad/s, m
    way, _ = played("odesim/FollowWall-v0", 50)
    assert way > 0.5 * 60.0 * 4.0 * 0.2
    _, won = played("odesim/Dock-v0", 2, workers=0)
    assert won == 1.0
    way, _ = played("odesim/FollowLine-v0", 1, duration=3.0)
    assert way > 0.5 * 3.0 * 0.5 * 10.0 * 0.04


def test_the_line_is_where_the_world_has_it() -> None:
    """A closed curve of two kinds of arcs: on it 0, beside it the distance."""
    turns = np.linspace(-0.8, 0.8, 9)
    assert from_line(0.8 + 0.53 * np.cos(turns), 0.53 * np.sin(turns)) == pytest.approx(np.full(9, 0.03))
    bottom = np.linspace(-0.5, 0.5, 9)
    inner = from_line(0.66 * np.sin(bottom), 0.894427 - 0.66 * np.cos(bottom))
    assert inner == pytest.approx(np.full(9, 0.04))
    assert from_line(*(np.array([value]) for value in START[:2]))[0] == pytest.approx(0.0, abs=1e-4)
    tangent = math.atan2(START.y, START.x - 0.8) + math.pi / 2.0  # of the circle about (0.8, 0)
    assert abs(math.sin(START.heading - tangent)) < 1e-3


def test_two_against_two_is_the_same_from_both_sides() -> None:
    """Turned by half a turn, yellow sees what blue saw."""
    task = gymnasium.make("odesim/TwoAgainstTwo-v0").unwrapped.task
    random = np.random.default_rng(3)
    poses = np.empty((1, 5, 4))
    poses[0, :, :2] = random.uniform(-1.5, 1.5, (5, 2))
    turns = random.uniform(-3.0, 3.0, 5)
    poses[0, :, 2:] = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    order = [2, 3, 0, 1, 4]
    there = type("Seen", (), {"poses": poses})
    back = type("Seen", (), {"poses": -poses[:, order]})
    first, second = (task.observe(seen).reshape(4, -1) for seen in (there, back))
    assert first[:, :4] == pytest.approx(second[[2, 3, 0, 1], :4], abs=1e-6)
    assert first[:, 6:] == pytest.approx(second[[2, 3, 0, 1], 6:], abs=1e-6)
