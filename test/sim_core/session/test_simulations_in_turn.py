"""Simulations in one process do not change each other, to the last bit."""

from __future__ import annotations

import pytest
from random_edits import hashed_steps

from sim_core.base.config import SimulationConfig
from sim_core.base.shipped import shipped_worlds
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation


def begun(seed: int) -> Simulation:
    return Simulation(load_scene(shipped_worlds()["devices/gps"]), SimulationConfig(seed=seed))


@pytest.fixture(scope="module")
def alone() -> list[tuple[str, ...]]:
    runs = [tuple(hashed_steps(begun(seed))) for seed in range(8)]
    assert len(set(runs)) == 8, "their noise does not differ"
    return runs


@pytest.mark.parametrize("count", [2, 8])
def test_simulations_stepped_in_turn_equal_single_ones(alone: list[tuple[str, ...]], count: int) -> None:
    sims = [begun(seed) for seed in range(count)]
    in_turn = list(zip(*(hashed_steps(sim) for sim in sims), strict=True))
    assert list(zip(*in_turn, strict=True)) == alone[:count]
