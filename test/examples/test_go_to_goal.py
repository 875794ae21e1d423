"""Learning to go to a goal: the script learns, and its policy drives in the plane, on ODE and over ROS."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from domains import free_domain

pytest.importorskip("gymnasium")

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "go_to_goal"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))


def test_some_generations_earn_more_than_the_first(example: None, tmp_path: Path) -> None:
    import learn
    import policy

    from sim_core.experiments.learning import OdesimVectorEnv
    from sim_core.experiments.learning.tasks.go_to_goal import GoToGoal

    random = np.random.default_rng(1)
    first = 0.3 * random.normal(size=policy.COUNT)
    later = learn.learn(generations=5, pairs=12, starts=8, seed=1)
    policy.save(later, tmp_path / "policy.json")
    assert policy.load(tmp_path / "policy.json")[0] == pytest.approx(later, abs=1e-5)
    env = OdesimVectorEnv(GoToGoal(duration=20.0), 100, autoreset="Disabled")
    earned, _ = learn.returns(env, np.stack([first, later]), seed=77)
    assert earned[1] > earned[0] + 0.5


def test_the_policy_reaches_goals_in_the_plane_on_ode_and_over_ros() -> None:
    starts = 3
    with free_domain() as domain:
        done = subprocess.run(
            [sys.executable, str(EXAMPLE / "evaluate.py"), "--starts", str(starts)],
            capture_output=True,
            text=True,
            timeout=240.0,
            check=False,
            env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
        )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line[:14].strip() for line in lines] == ["in the plane", "on ODE", "over ROS"]
    for line in lines:
        assert float(line[14:].split("%")[0]) >= 60.0, done.stdout
