"""Learns to drive to a goal among posts, by an evolution strategy, on many copies of the world at once.

    python3 examples/go_to_goal/learn.py                     # a minute
    python3 examples/go_to_goal/learn.py --generations 5     # a taste of it

Each generation tries policies round the present one, in pairs of opposite steps, each in some copies of
`odesim/GoToGoal-v0` with the same starts for all, and steps towards those that earned more (Salimans 2017).
The same seed gives the same policy. `evaluate.py` drives it in the plane, on ODE and over ROS.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import policy

from sim_core.experiments.learning import OdesimVectorEnv
from sim_core.experiments.learning.tasks.go_to_goal import GoToGoal

STEP, SPREAD = 0.15, 0.15
"""Of the weights: how far a generation goes, and how far it looks around."""


def returns(env: OdesimVectorEnv, weights: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(p,) mean return of each policy over an episode in each of its copies, and the part that it won."""
    policies = len(weights)
    starts = env.num_envs // policies
    seen, _ = env.reset(seed=[seed + copy % starts for copy in range(env.num_envs)])
    earned, over, won = np.zeros(env.num_envs), np.zeros(env.num_envs, bool), np.zeros(env.num_envs, bool)
    while not over.all():
        action = policy.act(weights, seen.reshape(policies, starts, -1))
        seen, rewards, ended, late, infos = env.step(action.reshape(env.num_envs, -1))
        earned += np.where(over, 0.0, rewards)
        won |= infos["won"] & ~over
        over |= ended | late
    return earned.reshape(policies, -1).mean(axis=1), won.reshape(policies, -1).mean(axis=1)


def learn(generations: int, pairs: int, starts: int, seed: int) -> np.ndarray:
    """(COUNT,) the weights that were learned; prints how it goes."""
    random = np.random.default_rng(seed)
    env = OdesimVectorEnv(GoToGoal(duration=20.0), 2 * pairs * starts, autoreset="Disabled")
    weights = 0.3 * random.normal(size=policy.COUNT)
    momentum = np.zeros_like(weights)
    begin = time.monotonic()
    for generation in range(generations):
        steps = random.normal(size=(pairs, policy.COUNT))
        tried = weights + SPREAD * np.concatenate([steps, -steps])
        earned, won = returns(env, tried, seed=int(random.integers(2**31)))
        ranks = earned.argsort().argsort() / (2 * pairs - 1) - 0.5
        slope = (ranks[:pairs] - ranks[pairs:]) @ steps / pairs
        momentum = 0.8 * momentum + slope
        weights = weights + STEP * momentum
        if (generation + 1) % 10 == 0 or generation + 1 == generations:
            so_far = (
                f"return {earned.mean():6.2f}, goals {won.mean():4.0%}; {time.monotonic() - begin:4.0f} s"
            )
            print(f"generation {generation + 1:4d}: {so_far}", flush=True)
    env.close()
    return weights


def main() -> int:
    """Learn, and save the policy."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--pairs", type=int, default=24, help="of policies tried in each generation")
    parser.add_argument("--starts", type=int, default=16, help="copies for each policy")
    parser.add_argument("--file", type=Path, default=policy.FILE)
    options = parser.parse_args()
    policy.save(learn(options.generations, options.pairs, options.starts, options.seed), options.file)
    print(f"saved in {options.file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
