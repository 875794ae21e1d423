"""Worlds in one process do not change each other, to the last bit."""

from __future__ import annotations

import threading

import pytest

from sim_core.engines.ode import PhysicsWorld
from sim_core.engines.ode.snapshots import restore_world

STEPS = 120
HEAP = "".join(
    f"Solid {{ translation {0.13 * (index % 3)} {0.13 * (index // 3 % 3)} {0.12 + 0.21 * (index // 9)} "
    f"rotation 1 2 3 {index} boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ }} }}\n"
    for index in range(18)
)
"""Boxes that fall on each other; so many that the iterative solver, whose random generator is global, is
used."""


class Run:
    """A heap of boxes with a record of its states, step by step."""

    def __init__(self, lab, seed: int) -> None:
        self.world: PhysicsWorld = lab.make(lab.floor + HEAP, seed=seed, info="physicsDisableTime 0")[0]
        self.states: list[bytes] = []

    def step(self) -> None:
        self.world.step()
        self.states.append(self.world.get_state().bodies.tobytes())

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.step()


@pytest.fixture
def alone(lab) -> list[list[bytes]]:
    """Return the records of two heaps of different seeds, each run alone in the process."""
    runs = [Run(lab, seed) for seed in (1, 2)]
    for run in runs:
        run.steps(STEPS)
    first, second = runs
    assert first.world.built.solver_seed != 1, "the iterative solver was not used"
    assert first.states[-1] != second.states[-1], "its generator does not count"
    return [run.states for run in runs]


def test_alternating_with_builds_resets_and_restored_states_between(lab, alone: list[list[bytes]]) -> None:
    first, second = Run(lab, 1), Run(lab, 2)
    for index in range(STEPS):
        first.step()
        if index % 3 == 0:
            second.step()
    Run(lab, 7).steps(40)
    snapshot = first.world.get_state()
    second.steps(STEPS - len(second.states))
    assert [first.states, second.states] == alone
    first.steps(5)
    after, first.states = first.states[STEPS:], []
    second.world.reset()
    second.states.clear()
    restore_world(first.world, snapshot, anew=False)
    for _ in range(5):
        first.step()
        second.step()
    assert first.states == after
    assert second.states == alone[1][:5]


def test_in_threads(lab, alone: list[list[bytes]]) -> None:
    runs = [Run(lab, seed) for seed in (1, 2)]
    threads = [threading.Thread(target=run.steps, args=(STEPS,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.states for run in runs] == alone
